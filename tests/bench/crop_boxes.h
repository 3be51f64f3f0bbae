// The boxes of torchvision's RandomResizedCrop, from a fixed seed.
#ifndef SHARDINE_TESTS_BENCH_CROP_BOXES_H_
#define SHARDINE_TESTS_BENCH_CROP_BOXES_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/geometry.h"
#include "pixels/pixels.h"

namespace shardine {

class CropBoxes {
 public:
  CropBoxes(std::uint64_t seed, double min_scale)
      : state_(seed), min_scale_(min_scale) {}

  // Area min_scale..1 of the image, aspect 3/4..4/3, ten tries.
  Region Next(PixelSize size) {
    const double area = double{1} * size.width * size.height;
    for (int attempt = 0; attempt < 10; ++attempt) {
      const double target = area * (min_scale_ + (1 - min_scale_) * Uniform());
      const double aspect = std::exp((2 * Uniform() - 1) * std::log(4.0 / 3.0));
      const auto width = Rounded(std::sqrt(target * aspect));
      const auto height = Rounded(std::sqrt(target / aspect));
      if (width > 0 && width <= size.width && height > 0 &&
          height <= size.height) {
        return {Below(size.width - width + 1), Below(size.height - height + 1),
                width, height};
      }
    }
    const std::uint32_t side = std::min(size.width, size.height);
    return {(size.width - side) / 2, (size.height - side) / 2, side, side};
  }

 private:
  static std::uint32_t Rounded(double value) {
    return static_cast<std::uint32_t>(std::lround(value));
  }
  // SplitMix64.
  double Uniform() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
  }
  std::uint32_t Below(std::uint32_t count) {
    return static_cast<std::uint32_t>(Uniform() * count);
  }

  std::uint64_t state_;
  double min_scale_;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_BENCH_CROP_BOXES_H_
