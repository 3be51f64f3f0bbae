#include "pixels/tone_tables.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "pixels/byte_table.h"

namespace shardine {
namespace {

using Histogram = std::array<std::uint64_t, 256>;

void Look(RgbPixels image, const std::array<ByteTable, 3>& tables) {
  LookUpColors(tables, image.data, image.count());
}

std::array<Histogram, 3> HistogramsOf(RgbPixels image) {
  std::array<Histogram, 3> counts = {};
  const std::uint8_t* const end = image.data + image.bytes();
  for (const std::uint8_t* pixel = image.data; pixel != end; pixel += 3) {
    ++counts[0][pixel[0]];
    ++counts[1][pixel[1]];
    ++counts[2][pixel[2]];
  }
  return counts;
}

ByteTable Identity() {
  ByteTable table;
  for (std::size_t v = 0; v < 256; ++v) {
    table[v] = static_cast<std::uint8_t>(v);
  }
  return table;
}

ByteTable Stretched(const Histogram& counts) {
  std::size_t least = 0;
  std::size_t most = 255;
  while (counts[least] == 0) ++least;
  while (counts[most] == 0) --most;
  ByteTable table = Identity();
  if (least == most) return table;
  // Torch multiplies by the rounded 1 / 255 and divides by the product.
  const float scale =
      static_cast<float>(most - least) * static_cast<float>(1.0 / 255);
  for (std::size_t v = least; v <= most; ++v) {
    const float value = static_cast<float>(v - least) / scale;
    table[v] = static_cast<std::uint8_t>(std::min(value, 255.0F));
  }
  return table;
}

ByteTable Equalized(const Histogram& counts, std::uint64_t pixels) {
  std::size_t most = 255;
  while (counts[most] == 0) --most;
  ByteTable table = Identity();
  const std::uint64_t step = (pixels - counts[most]) / 255;
  if (step == 0) return table;
  std::uint64_t below = 0;
  for (std::size_t v = 0; v < 256; ++v) {
    table[v] = static_cast<std::uint8_t>(
        std::min<std::uint64_t>((below + step / 2) / step, 255));
    below += counts[v];
  }
  return table;
}

}  // namespace

void Invert(RgbPixels image) {
  const std::size_t bytes = image.bytes();
  for (std::size_t i = 0; i < bytes; ++i) {
    image.data[i] = static_cast<std::uint8_t>(~image.data[i]);
  }
}

void Posterize(RgbPixels image, std::uint32_t bits) {
  SHARDINE_CHECK(bits <= 8);
  const auto mask = static_cast<std::uint8_t>(0xFF00U >> bits);
  const std::size_t bytes = image.bytes();
  for (std::size_t i = 0; i < bytes; ++i) {
    image.data[i] = static_cast<std::uint8_t>(image.data[i] & mask);
  }
}

void Solarize(RgbPixels image, double threshold) {
  ByteTable table = Identity();
  for (std::size_t v = 0; v < 256; ++v) {
    if (static_cast<float>(v) >= static_cast<float>(threshold)) {
      table[v] = static_cast<std::uint8_t>(255 - v);
    }
  }
  LookUp(table, image.data, image.bytes());
}

void AutoContrast(RgbPixels image) {
  if (image.count() == 0) return;
  const auto counts = HistogramsOf(image);
  Look(image,
       {Stretched(counts[0]), Stretched(counts[1]), Stretched(counts[2])});
}

void Equalize(RgbPixels image) {
  if (image.count() == 0) return;
  const auto counts = HistogramsOf(image);
  Look(image, {Equalized(counts[0], image.count()),
               Equalized(counts[1], image.count()),
               Equalized(counts[2], image.count())});
}

void AddColor(RgbPixels image, const std::array<double, 3>& color) {
  std::array<ByteTable, 3> tables;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t v = 0; v < 256; ++v) {
      const double sum = static_cast<double>(v) + color[c];
      // nearbyint rounds as the environment says, and nobody here changes that.
      tables[c][v] = static_cast<std::uint8_t>(
          std::nearbyint(std::clamp(sum, 0.0, 255.0)));
    }
  }
  Look(image, tables);
}

}  // namespace shardine
