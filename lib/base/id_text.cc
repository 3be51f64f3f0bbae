#include "base/id_text.h"

#include <cstddef>

namespace shardine {

std::string IdText(std::uint64_t id) {
  constexpr std::size_t kDigits = 8;
  std::string digits = std::to_string(id);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return digits;
}

}  // namespace shardine
