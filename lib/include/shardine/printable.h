// Printable text for a terminal: names and texts come from files that anyone
// can write, and a terminal obeys the control characters in them.
#ifndef SHARDINE_PRINTABLE_H_
#define SHARDINE_PRINTABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace shardine {

// Whether a byte continues a UTF-8 character that began before it.
constexpr bool ContinuesCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The length of the character that `text` begins with if a terminal would act
// on it or be misled by it: controls (C0, DEL, C1), the line and paragraph
// separators, and characters that turn the direction of writing (Unicode's
// Bidi_Control). 1 for a byte outside UTF-8; 0 for a printable character.
// REQUIRES: !text.empty().
std::size_t UnprintableLength(std::string_view text);

// `text` as one line: such characters become \xHH for each of their bytes.
// Unlike EscapeBytes() it leaves `\` alone, since parts of a message are
// escaped already: the result of either function stays as it is.
std::string PrintableLine(std::string_view text);

// A message as it leaves the process, as one line: names in quotes, which come
// from files of any kind, are cut after 200 bytes, and all of it after 8 KiB.
std::string MessageLine(std::string_view message);

// The same for a table: line feeds and tabs stay.
std::string PrintableText(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_PRINTABLE_H_
