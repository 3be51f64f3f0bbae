#include "pixels/opencv_colors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace shardine {
namespace {

using ByteTable = std::array<std::uint8_t, 256>;

std::uint8_t ToByte(long value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0l, 255l));
}

template <typename F>
ByteTable TableOf(F value) {
  ByteTable table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = ToByte(value(static_cast<float>(i)));
  }
  return table;
}

std::uint32_t SwappedGray(const std::uint8_t* rgb) {
  return (1868 * rgb[0] + 9617 * rgb[1] + 4899 * rgb[2] + (1 << 13)) >> 14;
}

}  // namespace

void ScaleAndShift(RgbPixels image, float scale, float shift) {
  const ByteTable table =
      TableOf([=](float value) { return std::lrint(value * scale + shift); });
  std::transform(image.data, image.data + image.bytes(), image.data,
                 [&](std::uint8_t value) { return table[value]; });
}

float MeanOfSwappedGray(RgbPixels image) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < image.bytes(); i += 3) {
    sum += SwappedGray(image.data + i);
  }
  const double reciprocal = 1. / static_cast<double>(image.count());
  return static_cast<float>(static_cast<double>(sum) * reciprocal);
}

void BlendWithSwappedGray(RgbPixels image, float share, float rest) {
  for (std::size_t i = 0; i < image.bytes(); i += 3) {
    std::uint8_t* const pixel = image.data + i;
    const float gray = static_cast<float>(SwappedGray(pixel)) * rest;
    for (std::size_t c = 0; c < 3; ++c) {
      pixel[c] =
          ToByte(std::lrint(static_cast<float>(pixel[c]) * share + gray));
    }
  }
}

void AddTruncated(RgbPixels image, const std::array<float, 3>& color) {
  std::array<ByteTable, 3> tables;
  for (std::size_t c = 0; c < 3; ++c) {
    tables[c] = TableOf(
        [&](float value) { return static_cast<long>(value + color[c]); });
  }
  for (std::size_t i = 0; i < image.bytes(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c) {
      image.data[i + c] = tables[c][image.data[i + c]];
    }
  }
}

}  // namespace shardine
