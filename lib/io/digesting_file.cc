#include "io/digesting_file.h"

#include <algorithm>

#include "base/status_macros.h"

namespace shardine {

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

Result<Digest128> DigestingFile::Finish() {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;
  ByteBuffer buffer;
  while (hashed_ < size()) {
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
