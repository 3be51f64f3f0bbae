// Pixels for tests of codecs: a smooth picture with some noise on top.
#ifndef SHARDINE_TESTS_SUPPORT_PICTURE_MAKER_H_
#define SHARDINE_TESTS_SUPPORT_PICTURE_MAKER_H_

#include <cstdint>

#include "pixels/pixels.h"

namespace shardine {

inline PixelBuffer MakePicture(PixelSize size, std::uint8_t channels,
                               std::uint32_t seed = 1,
                               std::uint32_t noise = 16) {
  PixelBuffer pixels;
  pixels.Reset(size, channels);
  std::uint32_t state = seed;
  for (std::uint32_t y = 0; y < size.height; ++y) {
    std::uint8_t* row = pixels.row(y);
    for (std::uint32_t i = 0; i < size.width * channels; ++i) {
      state = state * 1664525U + 1013904223U;
      const std::uint32_t slope =
          i * (1 + i % channels) / 3 + y * (2 + seed % 3) / 2 + seed * 40;
      const std::uint32_t smooth =
          slope % 512 < 256 ? slope % 256 : 255 - slope % 256;
      row[i] = static_cast<std::uint8_t>(smooth * (255 - noise) / 255 +
                                         (state >> 24) * noise / 256);
    }
  }
  return pixels;
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_PICTURE_MAKER_H_
