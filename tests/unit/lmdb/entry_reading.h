// All entries of a file as LmdbReader gives them.
#ifndef SHARDINE_TESTS_UNIT_LMDB_ENTRY_READING_H_
#define SHARDINE_TESTS_UNIT_LMDB_ENTRY_READING_H_

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "lmdb/lmdb_reader.h"

namespace shardine {

// A file that is a string. It counts its reads, and one of them can fail.
class TextFile : public RandomAccessFile {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  explicit TextFile(std::string bytes) : bytes_(std::move(bytes)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    if (reads_++ == failing_) {
      return Status::FromErrno(EIO, "read", path_).At({.offset = offset});
    }
    const ByteView rest =
        AsBytes(bytes_).subspan(std::min<std::size_t>(offset, bytes_.size()));
    const std::size_t count = std::min(rest.size(), out.size());
    std::ranges::copy(rest.first(count), out.begin());
    return count;
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

  std::string& bytes() { return bytes_; }
  std::uint64_t reads() const { return reads_; }
  void FailRead(std::uint64_t number) { failing_ = number; }

 private:
  std::string bytes_;
  const std::uint64_t size_ = bytes_.size();  // when it was opened
  const std::string path_ = "x.lmdb";
  mutable std::uint64_t reads_ = 0;
  std::uint64_t failing_ = kNone;
};

struct ReadEntries {
  std::vector<std::pair<std::string, std::string>> entries;
  std::vector<LmdbEntry> places;  // without their keys
  Status status;                  // of the first failure
};

inline bool LiesAt(const Extent& extent, ByteView value,
                   std::string_view file) {
  return extent.offset <= file.size() &&
         file.substr(extent.offset, extent.length) == AsText(value);
}

// Reads entries in key order, up to the first error. Each value is where its
// entry says.
inline ReadEntries ReadAll(TextFile& file) {
  ReadEntries read;
  const auto reader = LmdbReader::Open(file);
  read.status = reader.status();
  if (!reader.ok()) return read;
  auto entry = (*reader)->First();
  for (; entry.ok() && *entry; entry = (*reader)->After((*entry)->place)) {
    LmdbEntry place = **entry;
    const std::string key(AsText(place.key));
    const auto value = (*reader)->Value(place);
    read.status = value.status();
    if (!value.ok()) return read;
    if (!LiesAt(place.value, *value, file.bytes())) {
      read.status = Status(Code::kFailed, "a value lies elsewhere");
      return read;
    }
    read.entries.emplace_back(key, AsText(*value));
    place.key = {};
    read.places.push_back(place);
  }
  read.status = entry.status();
  return read;
}

inline ReadEntries ReadAll(const std::string& bytes) {
  TextFile file(bytes);
  return ReadAll(file);
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LMDB_ENTRY_READING_H_
