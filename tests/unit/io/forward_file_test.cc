#include "io/forward_file.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <vector>

namespace shardine::forward_file_test {
namespace {

constexpr std::uint64_t kRange = std::uint64_t{4} << 20;

// Bytes that say where they are; notes the ranges asked for ahead, and which of
// them are kept.
class NotingFile : public RandomAccessFile {
 public:
  explicit NotingFile(std::uint64_t size) : size_(size) {}

  static std::byte ByteAt(std::uint64_t offset) {
    return static_cast<std::byte>(offset * 31 + (offset >> 20));
  }
  Result<std::size_t> ReadAt(std::uint64_t offset,
                             std::span<std::byte> out) const override {
    longest = std::max<std::uint64_t>(longest, out.size());
    within = within && offset / kRange == (offset + out.size() - 1) / kRange;
    const auto got = static_cast<std::size_t>(
        std::min<std::uint64_t>(out.size(), size_ - std::min(offset, size_)));
    for (std::size_t i = 0; i < got; ++i) out[i] = ByteAt(offset + i);
    return got;
  }
  std::uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }
  std::shared_ptr<const void> ReadAhead(std::uint64_t offset,
                                        std::uint64_t size,
                                        std::uint64_t& room) const override {
    room -= size;
    asked[offset] += 1;
    bytes += size;
    auto held = std::make_shared<int>(0);
    kept[offset] = held;
    return held;
  }
  std::vector<std::uint64_t> Kept() const {
    std::vector<std::uint64_t> ranges;
    for (const auto& [offset, held] : kept) {
      if (!held.expired()) ranges.push_back(offset / kRange);
    }
    return ranges;
  }

  mutable std::map<std::uint64_t, int> asked;
  mutable std::map<std::uint64_t, std::weak_ptr<int>> kept;
  mutable std::uint64_t bytes = 0;
  mutable std::uint64_t longest = 0;
  mutable bool within = true;

 private:
  const std::uint64_t size_;
  const std::string path_ = "far/away";
};

struct Opened {
  explicit Opened(std::uint64_t size) {
    auto made = std::make_unique<NotingFile>(size);
    below = made.get();
    file = std::make_unique<ForwardFile>(std::move(made));
  }
  void Check(std::uint64_t offset, std::size_t count) const {
    std::vector<std::byte> out(count);
    const auto got = file->ReadAt(offset, out);
    REQUIRE(got.ok());
    const std::uint64_t rest = file->size() - std::min(offset, file->size());
    REQUIRE(*got == std::min<std::uint64_t>(count, rest));
    for (std::size_t i = 0; i < *got; ++i) {
      if (out[i] != NotingFile::ByteAt(offset + i)) {
        FAIL("a wrong byte at " << offset + i);
      }
    }
  }

  NotingFile* below = nullptr;
  std::unique_ptr<ForwardFile> file;
};

TEST_CASE("A file that is read forward is asked for once, eight ranges ahead",
          "[io]") {
  const std::uint64_t size = 20 * kRange + 12345;
  const Opened opened(size);
  for (std::uint64_t at = 0; at < size; at += 100'003) {
    opened.Check(at, 100'003);
    REQUIRE(opened.below->Kept().size() <= 8);
  }
  CHECK(opened.below->asked.size() == 21);
  for (const auto& [offset, times] : opened.below->asked) CHECK(times == 1);
  CHECK(opened.below->bytes == size);
  CHECK(opened.below->within);
}

TEST_CASE("Reads beyond a range and beyond the end are whole", "[io]") {
  const Opened opened(3 * kRange + 10);
  opened.Check(kRange - 5, 10);
  opened.Check(0, 3 * kRange + 10);
  opened.Check(3 * kRange, 100);
  opened.Check(3 * kRange + 10, 1);
  CHECK(opened.below->within);
  const Opened empty(0);
  empty.Check(0, 1);
  CHECK(empty.below->asked.empty());
}

TEST_CASE("A look behind asks for nothing, a jump ahead begins there", "[io]") {
  const Opened opened(100 * kRange);
  opened.Check(10 * kRange, 1);
  CHECK(opened.below->Kept() ==
        std::vector<std::uint64_t>{10, 11, 12, 13, 14, 15, 16, 17});
  opened.Check(2 * kRange, 1);
  CHECK(opened.below->asked.size() == 8);
  opened.Check(17 * kRange, 1);
  CHECK(opened.below->Kept().front() == 17);
  opened.Check(50 * kRange, 1);
  CHECK(opened.below->Kept() ==
        std::vector<std::uint64_t>{50, 51, 52, 53, 54, 55, 56, 57});
}

}  // namespace
}  // namespace shardine::forward_file_test
