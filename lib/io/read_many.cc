#include "io/read_many.h"

#include <algorithm>
#include <latch>

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

bool RandomAccessFile::IsAtHand(std::uint64_t /*offset*/) const {
  return false;
}

std::shared_ptr<const void> RandomAccessFile::ReadAhead(
    std::uint64_t /*offset*/, std::uint64_t /*size*/,
    std::uint64_t& /*room*/) const {
  return nullptr;
}

void ReadMany(std::span<Piece> pieces) {
  if (pieces.empty()) return;
  std::latch done(static_cast<std::ptrdiff_t>(pieces.size()));
  while (!pieces.empty()) {
    const RandomAccessFile* const file = pieces.front().file;
    const auto other = std::ranges::find_if_not(
        pieces, [&](const Piece& piece) { return piece.file == file; });
    const auto count = static_cast<std::size_t>(other - pieces.begin());
    file->StartReads(pieces.first(count), done);
    pieces = pieces.subspan(count);
  }
  done.wait();
}

}  // namespace shardine
