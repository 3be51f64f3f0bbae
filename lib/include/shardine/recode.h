// How images that stay as they are otherwise get another encoding, at their
// own size.
#ifndef SHARDINE_RECODE_H_
#define SHARDINE_RECODE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "shardine/array_layout.h"
#include "shardine/image.h"

namespace shardine {

// The pixels of a new image are those that loaders decode of the old one: gray
// or RGB without alpha. The color profile and the EXIF orientation stay.
struct RecodeOptions {
  // The encoding of images that are neither JPEG nor PNG; nullopt: they stay.
  std::optional<Encoding> recode = {};
  // Channels of 16 bits become 8 bits, value / 257 rounded; PNGs of 16 bits
  // are encoded again, too. Otherwise a PNG keeps the 16 bits, and a JPEG, with
  // its 8, is refused.
  bool to_8_bits = false;

  friend bool operator==(const RecodeOptions&, const RecodeOptions&) = default;
};

// The encoding of images that are arrays of pixels.
struct ArrayEncoding {
  Encoding encoding = Encoding::kPng;
  ArrayLayout layout = ArrayLayout::kHwc;
  bool to_8_bits = false;  // as RecodeOptions::to_8_bits

  friend bool operator==(const ArrayEncoding&, const ArrayEncoding&) = default;
};

// The options that decide the bytes of images encoded again, in one line: "jpeg
// quality=90 8-bit". Empty: no image is. `quality` of a JPEG is 1 to 100.
std::string Describe(const RecodeOptions& options, std::uint32_t quality);

}  // namespace shardine

#endif  // SHARDINE_RECODE_H_
