// From the samples of a PNG row to 8-bit gray or RGB.
#ifndef SHARDINE_IMAGE_PNG_UNPACK_H_
#define SHARDINE_IMAGE_PNG_UNPACK_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "image/png_header.h"
#include "pixels/color_rules.h"

namespace shardine {

// Sample `i` of a row of less than 8 bits each, the first in the high bits.
inline unsigned PngSampleAt(const std::uint8_t* row, std::size_t i,
                            unsigned bits) {
  const unsigned in_byte = 8 / bits;
  const unsigned shift = 8 - bits * (1 + static_cast<unsigned>(i % in_byte));
  return row[i / in_byte] >> shift & ((1U << bits) - 1);
}

// Thread-compatible.
class PngUnpacker {
 public:
  // `palette`: RGB triples; an index beyond them is black.
  PngUnpacker(const PngHeader& header, ByteView palette,
              ColorRule samples = ColorRule::kPillow);

  // Channels of the unpacked pixels: 1 for gray with or without alpha, else 3.
  std::uint8_t channels() const { return channels_; }

  // Gray of 1, 2 and 4 bits is spread over 0..255; 16-bit gray is clipped to
  // 255 (as Pillow does) or gives its high byte (as OpenCV does); of all other
  // 16-bit samples the high byte is taken; alpha is dropped. `from` and `to` do
  // not overlap.
  void Unpack(const std::uint8_t* from, std::uint8_t* to,
              std::size_t pixels) const;

 private:
  void UnpackIndices(const std::uint8_t* from, std::uint8_t* to,
                     std::size_t pixels) const;

  PngHeader header_;
  ColorRule samples_;
  std::uint8_t channels_;
  std::array<std::uint8_t, 3 * 256> palette_{};
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_UNPACK_H_
