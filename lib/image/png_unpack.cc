#include "image/png_unpack.h"

#include <algorithm>
#include <cstring>

namespace shardine {
namespace {

void SpreadGray(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels,
                unsigned bits) {
  const unsigned scale = 255 / ((1U << bits) - 1);
  for (std::size_t i = 0; i < pixels; ++i) {
    to[i] = static_cast<std::uint8_t>(PngSampleAt(from, i, bits) * scale);
  }
}

void ClipGray(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels) {
  for (std::size_t i = 0; i < pixels; ++i) {
    to[i] = from[2 * i] != 0 ? std::uint8_t{255} : from[2 * i + 1];
  }
}

// The first kChannels of each pixel's samples, by their first byte.
template <std::size_t kChannels>
void Pick(const std::uint8_t* from, std::uint8_t* to, std::size_t pixels,
          std::size_t sample, std::size_t pixel) {
  for (std::size_t i = 0; i < pixels; ++i) {
    for (std::size_t c = 0; c < kChannels; ++c) to[c] = from[c * sample];
    to += kChannels;
    from += pixel;
  }
}

}  // namespace

PngUnpacker::PngUnpacker(const PngHeader& header, ByteView palette,
                         ColorRule samples)
    : header_(header),
      samples_(samples),
      channels_(header.color == PngColor::kGray ||
                        header.color == PngColor::kGrayAlpha
                    ? 1
                    : 3) {
  const std::size_t size = std::min(palette.size(), palette_.size());
  if (size > 0) std::memcpy(palette_.data(), palette.data(), size);
}

void PngUnpacker::Unpack(const std::uint8_t* from, std::uint8_t* to,
                         std::size_t pixels) const {
  const std::size_t sample = header_.bits / 8U;
  const std::size_t pixel = sample * header_.components();
  if (header_.color == PngColor::kPalette) {
    UnpackIndices(from, to, pixels);
  } else if (sample == 0) {
    SpreadGray(from, to, pixels, header_.bits);
  } else if (pixel == channels_) {
    std::memcpy(to, from, pixels * pixel);
  } else if (header_.color == PngColor::kGray &&
             samples_ == ColorRule::kPillow) {
    ClipGray(from, to, pixels);
  } else if (channels_ == 1) {
    Pick<1>(from, to, pixels, sample, pixel);
  } else {
    Pick<3>(from, to, pixels, sample, pixel);
  }
}

void PngUnpacker::UnpackIndices(const std::uint8_t* from, std::uint8_t* to,
                                std::size_t pixels) const {
  const unsigned bits = header_.bits;
  for (std::size_t i = 0; i < pixels; ++i, to += 3) {
    const unsigned index = bits == 8 ? from[i] : PngSampleAt(from, i, bits);
    std::memcpy(to, palette_.data() + std::size_t{3} * index, 3);
  }
}

}  // namespace shardine
