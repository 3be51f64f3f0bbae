// ASCII letters in lower case, whatever the user's locale calls one.
#ifndef SHARDINE_BASE_ASCII_H_
#define SHARDINE_BASE_ASCII_H_

#include <string>
#include <string_view>

namespace shardine {

constexpr char LowerAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = LowerAscii(c);
  return lower;
}

}  // namespace shardine

#endif  // SHARDINE_BASE_ASCII_H_
