// Bytes of an archive as a file of their own: an archive in an archive.
#ifndef SHARDINE_ARCHIVE_ARCHIVE_PART_H_
#define SHARDINE_ARCHIVE_ARCHIVE_PART_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "io/readable_storage.h"

namespace shardine {

// Thread-safe. REQUIRES: the bytes lie in `whole`, which outlives the part.
class ArchivePart : public RandomAccessFile {
 public:
  ArchivePart(const RandomAccessFile& whole, std::uint64_t begin,
              std::uint64_t size, std::string path)
      : whole_(whole), begin_(begin), size_(size), path_(std::move(path)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    const std::uint64_t left = size_ - std::min(offset, size_);
    return whole_.ReadAt(begin_ + offset,
                         out.first(static_cast<std::size_t>(
                             std::min<std::uint64_t>(out.size(), left))));
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  const RandomAccessFile& whole_;
  const std::uint64_t begin_;
  const std::uint64_t size_;
  const std::string path_;
};

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_ARCHIVE_PART_H_
