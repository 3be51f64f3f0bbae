#include "image/image_look.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status_macros.h"
#include "image/image_decode.h"
#include "image/jpeg_session.h"
#include "image/probe.h"
#include "pixels/color_convert.h"

namespace shardine {
namespace {

constexpr std::uint32_t kLeastSide = 64;  // of the short side that is decoded
constexpr std::uint64_t kEdgeSide = 64;   // of the long side, for edges

// The long side of an image is kEdgeSide at most.
PixelSize EdgeSizeOf(PixelSize size) {
  const std::uint64_t side = std::max(size.width, size.height);
  if (side <= kEdgeSide) return size;
  const auto scaled = [&](std::uint64_t each) {
    return static_cast<std::uint32_t>(
        std::max<std::uint64_t>(each * kEdgeSide / side, 1));
  };
  return {scaled(size.width), scaled(size.height)};
}

// By linear interpolation between two of them, as NumPy does.
double PercentileOf(std::vector<float>& values, double percent) {
  const double at = static_cast<double>(values.size() - 1) * percent / 100;
  const auto low = static_cast<std::ptrdiff_t>(at);
  const auto middle = values.begin() + low;
  std::nth_element(values.begin(), middle, values.end());
  const double first = *middle;
  if (middle + 1 == values.end()) return first;
  const double second = *std::min_element(middle + 1, values.end());
  return first + (second - first) * (at - static_cast<double>(low));
}

float BrightnessOf(const std::uint8_t* pixel, std::uint8_t channels) {
  if (channels == 1) return static_cast<float>(pixel[0]) / 255;
  const auto square = [&](int channel) {
    const auto level = static_cast<float>(pixel[channel]);
    return level * level;
  };
  return std::sqrt(0.241F * square(0) + 0.691F * square(1) +
                   0.068F * square(2)) /
         255;
}

double EntropyOf(std::span<const std::uint64_t> counts, std::uint64_t total) {
  double entropy = 0;
  for (const std::uint64_t count : counts) {
    if (count == 0) continue;
    const double share =
        static_cast<double>(count) / static_cast<double>(total);
    entropy -= share * std::log2(share);
  }
  return entropy;
}

template <typename Number>
double DeviationOf(std::span<const Number> values) {
  double sum = 0;
  double squares = 0;
  for (const Number value : values) {
    const auto each = static_cast<double>(value);
    sum += each;
    squares += each * each;
  }
  const auto count = static_cast<double>(values.size());
  return std::sqrt(std::max(0.0, (squares - sum * sum / count) / count));
}

// Eight times each pixel less its eight neighbors, from 0 to 255; pixels at the
// borders stay, as do all of an image with a side below 3.
std::vector<std::uint8_t> EdgesOf(std::span<const std::uint8_t> gray,
                                  PixelSize size) {
  std::vector<std::uint8_t> edges(gray.begin(), gray.end());
  const std::size_t width = size.width;
  for (std::size_t y = 1; y + 1 < size.height; ++y) {
    for (std::size_t x = 1; x + 1 < width; ++x) {
      const std::uint8_t* const at = gray.data() + y * width + x;
      int sum = 9 * at[0];
      for (const std::uint8_t* row : {at - width, at, at + width}) {
        sum -= row[-1] + row[0] + row[1];
      }
      edges[y * width + x] = static_cast<std::uint8_t>(std::clamp(sum, 0, 255));
    }
  }
  return edges;
}

// Percentiles and entropy.
void MeasureLevels(const PixelView& pixels, ImageLook& look) {
  std::array<std::uint64_t, 3 * 256> counts{};
  std::vector<float> brightness;
  brightness.reserve(std::size_t{pixels.size.width} * pixels.size.height);
  for (std::uint32_t y = 0; y < pixels.size.height; ++y) {
    const std::uint8_t* at = pixels.row(y);
    for (std::uint32_t x = 0; x < pixels.size.width; ++x) {
      brightness.push_back(BrightnessOf(at, pixels.channels));
      for (std::size_t c = 0; c < pixels.channels; ++c) {
        ++counts[c * 256 + *at++];
      }
    }
  }
  look.entropy = EntropyOf(counts, brightness.size() * pixels.channels);
  look.dark_percentile = PercentileOf(brightness, 5);
  look.light_percentile = PercentileOf(brightness, 99);
}

}  // namespace

Status ImageLooks::Measure(ByteView image, ImageLook& look) {
  bool is_made = false;
  const ImageFacts facts = ProbeImage(image).facts;
  if (facts.kind == ImageKind::kJpeg) {
    SHARDINE_RETURN_IF_ERROR(DecodeJpeg(image, is_made));
  }
  if (!is_made) {
    SHARDINE_RETURN_IF_ERROR(DecodeImage(image, {}, pixels_).status());
  }
  look.size = {facts.width, facts.height};
  look.is_gray = facts.components == 1 && facts.bits > 1 && facts.bits <= 8;
  MeasureLevels(pixels_.view(), look);
  MeasureEdges(pixels_.view(), look);
  return Status();
}

void ImageLooks::MeasurePixels(const PixelView& pixels, ImageLook& look) {
  look.size = pixels.size;
  look.is_gray = pixels.channels == 1;
  MeasureLevels(pixels, look);
  MeasureEdges(pixels, look);
}

// At the least of eight sizes that is not below the least side, which libjpeg
// makes of fewer coefficients.
Status ImageLooks::DecodeJpeg(ByteView image, bool& is_made) {
  JpegSession session(image, {});
  SHARDINE_RETURN_IF_ERROR(session.ReadHeader());
  const int components = session.components();
  is_made = components == 1 || components == 3;
  if (!is_made) return Status();
  SHARDINE_RETURN_IF_ERROR(session.ShrinkTo(kLeastSide));
  SHARDINE_RETURN_IF_ERROR(session.Start());
  const PixelSize size = session.size();
  pixels_.Reset(size, static_cast<std::uint8_t>(components));
  SHARDINE_RETURN_IF_ERROR(
      session.ReadRows(pixels_.data(), pixels_.stride(), size.height));
  return session.Finish();
}

void ImageLooks::MeasureEdges(const PixelView& pixels, ImageLook& look) {
  const PixelSize target = EdgeSizeOf(look.size);
  tiny_.Reset(target, pixels.channels);
  resampler_.Begin({.in = pixels.size,
                    .out = target,
                    .channels = pixels.channels,
                    .filter = Filter::kBicubic},
                   tiny_.data(), tiny_.stride());
  resampler_.Push(pixels.data, pixels.stride, pixels.size.height);
  const std::size_t count = std::size_t{target.width} * target.height;
  std::vector<std::uint8_t> gray(tiny_.data(),
                                 tiny_.data() + count * pixels.channels);
  if (pixels.channels == 3) {
    gray.resize(count);
    RgbToGray(tiny_.data(), gray.data(), count);
  }
  std::array<std::uint64_t, 256> counts{};
  for (const std::uint8_t level : gray) ++counts[level];
  look.tones = DeviationOf(std::span<const std::uint64_t>(counts));
  const std::vector<std::uint8_t> edges = EdgesOf(gray, target);
  look.edges = DeviationOf(std::span<const std::uint8_t>(edges));
}

}  // namespace shardine
