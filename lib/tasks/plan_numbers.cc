#include "tasks/plan_numbers.h"

#include <cstddef>

namespace shardine {
namespace {

constexpr std::size_t kWidth = 8;

}  // namespace

std::string EncodePlanNumbers(const std::vector<std::uint64_t>& numbers) {
  const std::size_t count = numbers.size();
  std::string bytes(count * kWidth, '\0');
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // Neighbours mostly follow each other: zeros, which take no room.
    const std::uint64_t step = numbers[i] - expected;
    expected = numbers[i] + 1;
    for (std::size_t plane = 0; plane < kWidth; ++plane) {
      bytes[plane * count + i] = static_cast<char>(step >> (8 * plane) & 0xFF);
    }
  }
  return bytes;
}

bool DecodePlanNumbers(ByteView& bytes, std::uint64_t count,
                       std::vector<std::uint64_t>& numbers) {
  if (count > bytes.size() / kWidth) return false;
  const auto each = static_cast<std::size_t>(count);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < each; ++i) {
    std::uint64_t step = 0;
    for (std::size_t plane = 0; plane < kWidth; ++plane) {
      step |= static_cast<std::uint64_t>(bytes[plane * each + i])
              << (8 * plane);
    }
    numbers.push_back(expected + step);
    expected = numbers.back() + 1;
  }
  bytes = bytes.subspan(each * kWidth);
  return true;
}

}  // namespace shardine
