#include "io/digesting_file.h"

#include <algorithm>
#include <vector>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;
// Shorter holes are read, as they cost little.
constexpr std::uint64_t kLeastHole = std::uint64_t{1} << 24;
constexpr std::uint64_t kLook = std::uint64_t{1} << 12;

}  // namespace

Result<std::size_t> DigestingFile::ReadAt(std::uint64_t offset,
                                          std::span<std::byte> out) const {
  SHARDINE_ASSIGN_OR_RETURN(const std::size_t count, file_.ReadAt(offset, out));
  if (offset > hashed_) return count;
  // A file that grows while it is read keeps the digest of its old size.
  const std::uint64_t end = std::min(offset + count, size());
  if (end > hashed_) {
    stream_.Update(out.subspan(static_cast<std::size_t>(hashed_ - offset),
                               static_cast<std::size_t>(end - hashed_)));
    hashed_ = end;
  }
  return count;
}

Result<bool> DigestingFile::IsZero(std::uint64_t offset,
                                   std::uint64_t size) const {
  ByteBuffer buffer;
  buffer.Resize(static_cast<std::size_t>(size));
  SHARDINE_RETURN_IF_ERROR(file_.ReadExactly(offset, buffer.span()));
  return std::ranges::all_of(
      buffer.view(), [](std::byte byte) { return byte == std::byte{}; });
}

Status DigestingFile::HashHole() {
  const std::uint64_t end = std::min(file_.StoredFrom(hashed_), size());
  if (end < hashed_ + kLeastHole) return {};
  // Some file systems take bytes for a hole that are not on the disk yet.
  for (const std::uint64_t at : {hashed_, end - kLook}) {
    SHARDINE_ASSIGN_OR_RETURN(const bool zero, IsZero(at, kLook));
    if (!zero) return {};
  }
  const std::vector<std::byte> zeros(kPiece);
  while (hashed_ < end) {
    const std::uint64_t size = std::min(kPiece, end - hashed_);
    stream_.Update(ByteView(zeros).first(static_cast<std::size_t>(size)));
    hashed_ += size;
  }
  return {};
}

Result<Digest128> DigestingFile::Finish() {
  ByteBuffer buffer;
  while (hashed_ < size()) {
    SHARDINE_RETURN_IF_ERROR(HashHole());
    buffer.Resize(static_cast<std::size_t>(std::min(kPiece, size() - hashed_)));
    SHARDINE_RETURN_IF_ERROR(ReadExactly(hashed_, buffer.span()));
  }
  return stream_.Digest();
}

Result<Digest128> DigestOfFile(ReadableStorage& storage,
                               const std::string& path) {
  SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path));
  return DigestingFile(*file).Finish();
}

}  // namespace shardine
