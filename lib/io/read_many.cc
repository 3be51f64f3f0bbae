#include "io/read_many.h"

#include <algorithm>
#include <latch>

#include "base/status_macros.h"

namespace shardine {

// Here, because readable_storage.h knows of no Piece but its name.
void RandomAccessFile::StartReads(std::span<Piece> pieces,
                                  std::latch& done) const {
  for (Piece& piece : pieces) {
    piece.status = ReadExactly(piece.offset, piece.out);
  }
  done.count_down(static_cast<std::ptrdiff_t>(pieces.size()));
}

bool RandomAccessFile::ReadAgain(std::span<Piece> /*pieces*/) const {
  return false;
}

std::uint64_t RandomAccessFile::StoredFrom(std::uint64_t offset) const {
  return offset;
}

bool RandomAccessFile::IsAtHand(std::uint64_t /*offset*/) const {
  return false;
}

std::shared_ptr<const void> RandomAccessFile::ReadAhead(
    std::uint64_t /*offset*/, std::uint64_t /*size*/,
    std::uint64_t& /*room*/) const {
  return nullptr;
}

void RandomAccessFile::EndReads(std::span<Piece> /*pieces*/) const {}

void RandomAccessFile::Forget(std::uint64_t /*offset*/,
                              std::uint64_t /*size*/) const {}

namespace {

// Calls work(file, pieces) with each run of neighbours in one file.
template <typename Work>
void ForEachFile(std::span<Piece> pieces, const Work& work) {
  while (!pieces.empty()) {
    const RandomAccessFile* const file = pieces.front().file;
    const auto other = std::ranges::find_if_not(
        pieces, [&](const Piece& piece) { return piece.file == file; });
    const auto count = static_cast<std::size_t>(other - pieces.begin());
    work(*file, pieces.first(count));
    pieces = pieces.subspan(count);
  }
}

}  // namespace

void ReadMany(std::span<Piece> pieces) {
  if (pieces.empty()) return;
  std::latch done(static_cast<std::ptrdiff_t>(pieces.size()));
  ForEachFile(pieces, [&](const RandomAccessFile& file, auto of_file) {
    file.StartReads(of_file, done);
  });
  done.wait();
  ForEachFile(pieces, [](const RandomAccessFile& file, auto of_file) {
    file.EndReads(of_file);
  });
}

Result<std::size_t> ReadOnePiece(const RandomAccessFile& file,
                                 std::uint64_t offset,
                                 std::span<std::byte> out) {
  const std::uint64_t rest = file.size() - std::min(offset, file.size());
  out = out.first(std::min<std::uint64_t>(out.size(), rest));
  Piece piece{.file = &file, .offset = offset, .out = out};
  ReadMany(std::span(&piece, 1));
  SHARDINE_RETURN_IF_ERROR(piece.status);
  return out.size();
}

}  // namespace shardine
