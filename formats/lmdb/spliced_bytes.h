// SplicedBytes: bytes put together from small pieces of its own and views of
// large ones, so that a payload is copied only when all is.
#ifndef SHARDINE_FORMATS_LMDB_SPLICED_BYTES_H_
#define SHARDINE_FORMATS_LMDB_SPLICED_BYTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace shardine {

// Thread-compatible. Spliced views must outlive the last CopyTo().
class SplicedBytes {
 public:
  void Clear();
  void Append(ByteView bytes);
  void Splice(ByteView bytes);
  // Removes `count` bytes at `at`. REQUIRES: Append() wrote them, and nothing
  // was spliced in after them.
  void Erase(std::uint64_t at, std::size_t count);
  // Replaces bytes at `at`. REQUIRES: as in Erase(), but for the bytes that
  // follow.
  void Overwrite(std::uint64_t at, ByteView bytes);

  std::uint64_t size() const { return own_.size() + spliced_size_; }
  // REQUIRES: size() bytes.
  void CopyTo(std::span<std::byte> to) const;
  std::string ToString() const;

 private:
  struct Inset {
    std::size_t at = 0;  // in own_
    ByteView bytes;
  };
  std::size_t InOwn(std::uint64_t at) const;

  std::string own_;
  std::vector<Inset> splices_;
  std::uint64_t spliced_size_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_SPLICED_BYTES_H_
