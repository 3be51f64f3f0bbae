#include "pixels/affine_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace shardine {
namespace {

constexpr std::size_t kChannels = 3;

// Of one coordinate: the matrix's row, divided by half the side, as torch's
// grids have it from -1 to 1.
class Axis {
 public:
  Axis(const double* row, std::uint32_t side) : half_(Half(side)) {
    for (std::size_t i = 0; i < 3; ++i) {
      factors_[i] = static_cast<float>(row[i]) / half_;
    }
    limit_ = static_cast<float>(side);
  }

  // Where the pixels of row y, counted from the middle, come from: pixels from
  // the first one's centre on. What is a pixel or more outside is -1 or side.
  void operator()(PixelSize size, float y, float* places) const {
    const float first = (1.0F - static_cast<float>(size.width)) * 0.5F;
    const float down = y * factors_[1];
    for (std::uint32_t i = 0; i < size.width; ++i) {
      const float x = first + static_cast<float>(static_cast<int>(i));
      const float grid = (x * factors_[0] + down) + factors_[2];
      const float place = (grid + 1.0F) * half_ - 0.5F;
      const float low = place < -1.0F ? -1.0F : place;
      places[i] = low > limit_ ? limit_ : low;
    }
  }

 private:
  static float Half(std::uint32_t side) {
    return static_cast<float>(side) * 0.5F;
  }

  std::array<float, 3> factors_;
  float half_;
  float limit_;
};

// The image as it was.
struct Source {
  const std::uint8_t* data;
  PixelSize size;

  // Null: outside.
  const std::uint8_t* at(int x, int y) const {
    if (x < 0 || y < 0 || x >= static_cast<int>(size.width) ||
        y >= static_cast<int>(size.height)) {
      return nullptr;
    }
    return data + (static_cast<std::size_t>(y) * size.width +
                   static_cast<std::size_t>(x)) *
                      kChannels;
  }
};

// Halves to even. REQUIRES: -2^22 < value < 2^22.
float Nearest(float value) {
  // Beyond 2^23 floats are integers, and adding rounds.
  constexpr float kIntegers = 0x1.8p23F;
  return (value + kIntegers) - kIntegers;
}

void TakeNearest(const Source& source, const float* xs, const float* ys,
                 const std::array<std::uint8_t, 3>& outside,
                 std::uint8_t* out) {
  for (std::uint32_t i = 0; i < source.size.width; ++i, out += kChannels) {
    const std::uint8_t* const pixel = source.at(
        static_cast<int>(Nearest(xs[i])), static_cast<int>(Nearest(ys[i])));
    std::copy_n(pixel == nullptr ? outside.data() : pixel, kChannels, out);
  }
}

// The four pixels around a place and their weights.
struct Corners {
  Corners(const Source& source, float x, float y) {
    const float left = std::floor(x);
    const float top = std::floor(y);
    const float right = x - left;
    const float bottom = y - top;
    weights = {(1.0F - right) * (1.0F - bottom), right * (1.0F - bottom),
               (1.0F - right) * bottom, right * bottom};
    const auto column = static_cast<int>(left);
    const auto row = static_cast<int>(top);
    pixels = {source.at(column, row), source.at(column + 1, row),
              source.at(column, row + 1), source.at(column + 1, row + 1)};
  }

  float Sum(std::size_t channel) const {
    float sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (pixels[i] != nullptr) {
        sum += static_cast<float>(pixels[i][channel]) * weights[i];
      }
    }
    return sum;
  }
  // How much of it is inside.
  float Inside() const {
    float sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      if (pixels[i] != nullptr) sum += weights[i];
    }
    return sum;
  }

  std::array<float, 4> weights;
  std::array<const std::uint8_t*, 4> pixels;
};

void TakeBilinear(const Source& source, const float* xs, const float* ys,
                  const OutsideColor& outside, std::uint8_t* out) {
  for (std::uint32_t i = 0; i < source.size.width; ++i) {
    const Corners corners(source, xs[i], ys[i]);
    const float inside = outside ? corners.Inside() : 1.0F;
    for (std::size_t c = 0; c < kChannels; ++c) {
      float value = corners.Sum(c);
      if (outside) {
        const auto fill = static_cast<float>((*outside)[c]);
        value = (value - fill) * inside + fill;
      }
      // Rounding of weights makes a little more than 255 of white.
      *out++ = static_cast<std::uint8_t>(std::min(Nearest(value), 255.0F));
    }
  }
}

}  // namespace

void AffineSampler::operator()(RgbPixels image, const AffineMatrix& matrix,
                               Interpolation interpolation,
                               const OutsideColor& outside) {
  before_.assign(image.data, image.data + image.bytes());
  const PixelSize size = image.size;
  places_.resize(std::size_t{size.width} * 2);
  float* const xs = places_.data();
  float* const ys = xs + size.width;
  const Source source{before_.data(), size};
  const Axis across(matrix.data(), size.width);
  const Axis down(matrix.data() + 3, size.height);
  const float first = (1.0F - static_cast<float>(size.height)) * 0.5F;
  for (std::uint32_t y = 0; y < size.height; ++y) {
    across(size, first + static_cast<float>(y), xs);
    down(size, first + static_cast<float>(y), ys);
    if (interpolation == Interpolation::kNearest) {
      TakeNearest(source, xs, ys,
                  outside.value_or(std::array<std::uint8_t, 3>{}),
                  image.row(y));
    } else {
      TakeBilinear(source, xs, ys, outside, image.row(y));
    }
  }
}

}  // namespace shardine
