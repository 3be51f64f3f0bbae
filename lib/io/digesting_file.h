// DigestingFile: computes the XXH3-128 of a whole file in the same pass in
// which something else reads it, so that a shard is read once to be scanned
// and digested.
#ifndef SHARDINE_IO_DIGESTING_FILE_H_
#define SHARDINE_IO_DIGESTING_FILE_H_

#include <cstdint>
#include <string>

#include "base/checksum.h"
#include "io/storage.h"

namespace shardine {

// Passes reads through and hashes those bytes of them that extend the hashed
// beginning of the file; a read that begins beyond it hashes nothing. So
// sequential reads, overlapping or not, are hashed where they lie, without a
// copy, and Finish() reads only the skipped bytes a second time.
//
// Thread-compatible, unlike other files: ReadAt changes the unguarded state of
// the hash.
class DigestingFile : public RandomAccessFile {
 public:
  // `file` must outlive this.
  explicit DigestingFile(const RandomAccessFile& file) : file_(file) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override;
  std::uint64_t size() const override { return file_.size(); }
  const std::string& path() const override { return file_.path(); }

  // Reads and hashes the rest, and returns the XXH3-128 of the first size()
  // bytes. Zeros that take no room on the disk are hashed unread. kCorrupt if
  // the file has become shorter.
  Result<Digest128> Finish();

 private:
  Status HashHole();
  Result<bool> IsZero(std::uint64_t offset, std::uint64_t size) const;

  const RandomAccessFile& file_;
  mutable Xxh3Stream stream_;
  mutable std::uint64_t hashed_ = 0;  // stream_ has seen [0, hashed_)
};

// The XXH3-128 of a whole file. kNotFound if it is absent.
Result<Digest128> DigestOfFile(ReadableStorage& storage,
                               const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_IO_DIGESTING_FILE_H_
