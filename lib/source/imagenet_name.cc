#include "source/imagenet_name.h"

namespace shardine {

std::optional<std::uint64_t> ImageNetNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "ILSVRC2012_val_";
  constexpr std::size_t kDigits = 8;
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name.size() < kDigits) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : name.substr(0, kDigits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

}  // namespace shardine
