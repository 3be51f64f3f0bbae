#include "base/sealed_text.h"

#include <cstddef>

#include "base/bytes.h"
#include "base/checksum.h"

namespace shardine {

std::string SealText(std::string text) {
  text += Xxh3_128(AsBytes(text)).ToHex() + "\n";
  return text;
}

std::optional<std::string_view> UnsealText(std::string_view text,
                                           std::string_view magic) {
  constexpr std::size_t kLine = 33;
  if (!text.starts_with(magic) || text.size() < magic.size() + kLine) {
    return std::nullopt;
  }
  const std::string_view body = text.substr(0, text.size() - kLine);
  if (text.substr(body.size()) != Xxh3_128(AsBytes(body)).ToHex() + "\n") {
    return std::nullopt;
  }
  return body.substr(magic.size());
}

}  // namespace shardine
