// FuzzChoices: takes the bytes of a fuzzer as a list of decisions. When they
// are used up all that follow are 0.
#ifndef SHARDINE_TESTS_SUPPORT_FUZZ_CHOICES_H_
#define SHARDINE_TESTS_SUPPORT_FUZZ_CHOICES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace shardine {

class FuzzChoices {
 public:
  FuzzChoices(const std::uint8_t* data, std::size_t size)
      : bytes_(data, size) {}

  bool empty() const { return bytes_.empty(); }

  std::uint64_t Number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes && !bytes_.empty(); ++i) {
      value |= std::uint64_t{bytes_[0]} << 8 * i;
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }

  // Below `count`. REQUIRES: count > 0.
  std::size_t Below(std::size_t count) {
    return static_cast<std::size_t>(Number(count > 256 ? 2 : 1)) % count;
  }

  // A length, and so many bytes as far as there are any.
  std::string Text() {
    const std::size_t length = Below(256);
    const std::size_t size = std::min(length, bytes_.size());
    std::string text(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return text;
  }

  // One that checks are made for, near one, or any.
  std::uint64_t Value() {
    constexpr std::uint64_t kValues[] = {
        0,          1,          4,          16,         255,        4096, 65536,
        1ULL << 31, 1ULL << 32, 1ULL << 61, 1ULL << 62, 1ULL << 63, ~0ULL};
    const std::size_t choice = Below(std::size(kValues) + 2);
    if (choice == std::size(kValues)) return Number(2);
    if (choice > std::size(kValues)) return Number(8);
    return kValues[choice] + Number(1) - 1;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_FUZZ_CHOICES_H_
