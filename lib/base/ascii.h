// ASCII text: letters in lower case, and text without the blanks around it,
// whatever the user's locale calls one.
#ifndef SHARDINE_BASE_ASCII_H_
#define SHARDINE_BASE_ASCII_H_

#include <cstddef>
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

constexpr std::string_view WithoutBlanks(std::string_view text,
                                         std::string_view blanks = " \t\r\n") {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return text.substr(text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace shardine

#endif  // SHARDINE_BASE_ASCII_H_
