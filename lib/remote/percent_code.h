// %XX, as addresses have bytes that they cannot hold.
#ifndef SHARDINE_REMOTE_PERCENT_CODE_H_
#define SHARDINE_REMOTE_PERCENT_CODE_H_

#include <string>

namespace shardine {

// Appends "%XX", in upper-case hex.
inline void AppendPercentCode(char c, std::string& text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
}

// The value of a hex digit in either case; -1 for any other character.
inline int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace shardine

#endif  // SHARDINE_REMOTE_PERCENT_CODE_H_
