// A file with some bytes at its beginning and zeros up to any size, as
// `truncate -s 60G` makes one. It counts the bytes of each request.
#ifndef SHARDINE_TESTS_SUPPORT_SPARSE_FILE_H_
#define SHARDINE_TESTS_SUPPORT_SPARSE_FILE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "io/storage.h"

namespace shardine {

class SparseFile : public RandomAccessFile {
 public:
  SparseFile(std::string path, std::string begin, std::uint64_t size)
      : path_(std::move(path)), begin_(std::move(begin)), size_(size) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    longest_ = std::max(longest_, out.size());
    if (offset >= size_) return std::size_t{0};
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(out.size(), size_ - offset));
    std::memset(out.data(), 0, count);
    if (offset < begin_.size()) {
      const auto at = static_cast<std::size_t>(offset);
      std::memcpy(out.data(), begin_.data() + at,
                  std::min(count, begin_.size() - at));
    }
    return count;
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

  // Bytes of the longest read.
  std::size_t longest() const { return longest_; }

 private:
  const std::string path_;
  const std::string begin_;
  const std::uint64_t size_;
  mutable std::size_t longest_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_SPARSE_FILE_H_
