#include "shardine/digest.h"

namespace shardine {

std::string Digest128::ToHex() const {
  constexpr char kHex[] = "0123456789abcdef";
  std::string hex(32, '0');
  for (unsigned i = 0; i < 16; ++i) {
    hex[15 - i] = kHex[(high >> (4 * i)) & 15];
    hex[31 - i] = kHex[(low >> (4 * i)) & 15];
  }
  return hex;
}

std::optional<Digest128> Digest128::FromHex(std::string_view hex) {
  if (hex.size() != 32) return std::nullopt;
  std::uint64_t halves[2] = {0, 0};
  for (std::size_t i = 0; i < 32; ++i) {
    const char c = hex[i];
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else {
      return std::nullopt;
    }
    halves[i / 16] = (halves[i / 16] << 4) | digit;
  }
  return Digest128{halves[1], halves[0]};
}

}  // namespace shardine
