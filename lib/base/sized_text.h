// Sized texts: a text with its length in front, of 32 bits, little endian.
#ifndef SHARDINE_BASE_SIZED_TEXT_H_
#define SHARDINE_BASE_SIZED_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace shardine {

// REQUIRES: the length has 32 bits.
inline void AppendSized(std::string_view text, std::string& to) {
  AppendLe(static_cast<std::uint32_t>(text.size()), to);
  to += text;
}

// False: the bytes end before the text does.
[[nodiscard]] inline bool ReadSized(ByteCursor& from, std::string& text) {
  std::uint32_t size = 0;
  ByteView bytes;
  if (!from.Read(size) || !from.ReadBytes(size, bytes)) return false;
  text = AsText(bytes);
  return true;
}

}  // namespace shardine

#endif  // SHARDINE_BASE_SIZED_TEXT_H_
