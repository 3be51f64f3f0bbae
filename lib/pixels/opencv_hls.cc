#include "pixels/opencv_hls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace shardine {
namespace {

constexpr float kFromByte = 1.0f / 255.0f;

struct Hls {
  std::int32_t h;
  std::int32_t l;
  std::int32_t s;
};

std::int32_t ToByte(float value) {
  return static_cast<std::int32_t>(std::clamp(std::lrint(value), 0l, 255l));
}

// `vector`: as OpenCV's vectors subtract, which in the last bit is not as the
// rest of a row does.
Hls ToHls(const std::uint8_t* rgb, bool vector) {
  const float r = static_cast<float>(rgb[0]) * kFromByte;
  const float g = static_cast<float>(rgb[1]) * kFromByte;
  const float b = static_cast<float>(rgb[2]) * kFromByte;
  const float most = std::max({r, g, b});
  const float least = std::min({r, g, b});
  const float range = most - least;
  const float sum = most + least;
  const float l = sum * 0.5f;
  float h = 0;
  float s = 0;
  if (range > std::numeric_limits<float>::epsilon()) {
    const float beyond = vector ? 2.0f - sum : 2.0f - most - least;
    s = range / (l < 0.5f ? sum : beyond);
    const float turn = 60.0f / range;
    if (most == r) {
      h = (g - b) * turn;
    } else if (most == g) {
      h = (b - r) * turn + 120.0f;
    } else {
      h = (r - g) * turn + 240.0f;
    }
    if (h < 0) h += 360.0f;
  }
  constexpr float kHueScale = 180.0f / 360.0f;
  return {ToByte(h * kHueScale), ToByte(l * 255.0f), ToByte(s * 255.0f)};
}

void ToRgb(const Hls& hls, std::uint8_t* rgb) {
  const float l = static_cast<float>(hls.l) * kFromByte;
  const float s = static_cast<float>(hls.s) * kFromByte;
  const float p2 = l <= 0.5f ? l * (1.0f + s) : l + s - l * s;
  const float p1 = 2.0f * l - p2;
  constexpr float kSectorScale = 6.0f / 180.0f;
  const float h = static_cast<float>(hls.h) * kSectorScale;
  const auto whole = static_cast<std::int32_t>(h);
  const float part = h - static_cast<float>(whole);
  const std::array<float, 4> levels = {p2, p1, p1 + (p2 - p1) * (1.0f - part),
                                       p1 + (p2 - p1) * part};
  // Which level blue, green and red have.
  constexpr std::uint8_t kSectors[6][3] = {{1, 3, 0}, {1, 0, 2}, {3, 0, 1},
                                           {0, 2, 1}, {0, 1, 3}, {2, 1, 0}};
  const auto& sector = kSectors[whole % 6];
  for (std::size_t c = 0; c < 3; ++c) {
    rgb[2 - c] = static_cast<std::uint8_t>(ToByte(levels[sector[c]] * 255.0f));
  }
}

}  // namespace

void ShiftHls(RgbPixels image, const HlsShift& shift) {
  const std::uint32_t in_vectors = image.size.width / 8 * 8;
  for (std::uint32_t y = 0; y < image.size.height; ++y) {
    std::uint8_t* pixel = image.row(y);
    for (std::uint32_t x = 0; x < image.size.width; ++x, pixel += 3) {
      const Hls before = ToHls(pixel, x < in_vectors);
      ToRgb({std::clamp(before.h + shift.h, 0, 180),
             std::clamp(before.l + shift.l, 0, 255),
             std::clamp(before.s + shift.s, 0, 255)},
            pixel);
    }
  }
}

}  // namespace shardine
