#include "source/mask_runs.h"

namespace shardine {

std::optional<std::vector<std::int64_t>> ReadRunText(std::string_view text) {
  std::vector<std::int64_t> counts;
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t bits = 0;
    unsigned shift = 0;
    unsigned group = 0;
    do {
      // More than 7 groups are more pixels than any image has.
      if (at == text.size() || shift == 35) return std::nullopt;
      group = static_cast<unsigned char>(text[at++]) - 48U;
      if (group > 63) return std::nullopt;
      bits |= std::uint64_t{group & 31U} << shift;
      shift += 5;
    } while ((group & 32U) != 0);
    if ((group & 16U) != 0) bits |= ~std::uint64_t{0} << shift;
    auto count = static_cast<std::int64_t>(bits);
    if (counts.size() > 2 &&
        __builtin_add_overflow(count, counts[counts.size() - 2], &count)) {
      return std::nullopt;
    }
    counts.push_back(count);
  }
  return counts;
}

bool FillsMask(const std::vector<std::int64_t>& counts, std::uint64_t height,
               std::uint64_t width) {
  std::uint64_t area = 0;
  if (__builtin_mul_overflow(height, width, &area)) return false;
  std::uint64_t sum = 0;
  for (const std::int64_t count : counts) {
    if (count < 0 ||
        __builtin_add_overflow(sum, static_cast<std::uint64_t>(count), &sum)) {
      return false;
    }
  }
  return sum == area;
}

}  // namespace shardine
