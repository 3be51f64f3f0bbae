// \xHH, in upper-case hex: how text stands for bytes that it cannot hold.
#ifndef SHARDINE_BASE_HEX_ESCAPE_H_
#define SHARDINE_BASE_HEX_ESCAPE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace shardine {

// Appends \xHH for each of `bytes`.
inline void AppendHexEscaped(std::string_view bytes, std::string& text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    text += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
}

}  // namespace shardine

#endif  // SHARDINE_BASE_HEX_ESCAPE_H_
