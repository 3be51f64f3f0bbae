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

// The least and the greatest value of each channel.
struct Extremes {
  std::array<std::uint8_t, 3> least = {255, 255, 255};
  std::array<std::uint8_t, 3> most = {0, 0, 0};

  void Add(std::size_t channel, std::uint8_t low, std::uint8_t high) {
    least[channel] = std::min(least[channel], low);
    most[channel] = std::max(most[channel], high);
  }
};

// Channels are in the same places again, and it is whole vectors.
constexpr std::size_t kPeriod = 48;

void Extend(const std::uint8_t* values, std::uint8_t* __restrict least,
            std::uint8_t* __restrict most) {
  for (std::size_t j = 0; j < kPeriod; ++j) {
    least[j] = values[j] < least[j] ? values[j] : least[j];
    most[j] = values[j] > most[j] ? values[j] : most[j];
  }
}

Extremes ExtremesOf(RgbPixels image) {
  std::array<std::uint8_t, kPeriod> least;
  std::array<std::uint8_t, kPeriod> most;
  least.fill(255);
  most.fill(0);
  const std::size_t bytes = image.bytes();
  std::size_t i = 0;
  for (; i + kPeriod <= bytes; i += kPeriod) {
    Extend(image.data + i, least.data(), most.data());
  }
  Extremes found;
  for (std::size_t j = 0; j < kPeriod; ++j) found.Add(j % 3, least[j], most[j]);
  for (; i < bytes; ++i) found.Add(i % 3, image.data[i], image.data[i]);
  return found;
}

ByteTable Stretched(std::size_t least, std::size_t most) {
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
  std::size_t first = 0;
  while (first < 256 &&
         static_cast<float>(first) < static_cast<float>(threshold)) {
    ++first;
  }
  if (first == 256) return;
  const auto least = static_cast<std::uint8_t>(first);
  const std::size_t bytes = image.bytes();
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint8_t value = image.data[i];
    const auto inverted = static_cast<std::uint8_t>(~value);
    image.data[i] = value >= least ? inverted : value;
  }
}

void AutoContrast(RgbPixels image) {
  if (image.count() == 0) return;
  const auto [least, most] = ExtremesOf(image);
  Look(image, {Stretched(least[0], most[0]), Stretched(least[1], most[1]),
               Stretched(least[2], most[2])});
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
      // nearbyint rounds by the environment's mode, which no code here changes.
      tables[c][v] = static_cast<std::uint8_t>(
          std::nearbyint(std::clamp(sum, 0.0, 255.0)));
    }
  }
  Look(image, tables);
}

}  // namespace shardine
