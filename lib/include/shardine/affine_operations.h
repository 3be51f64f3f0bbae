// Operations whose pixels come from elsewhere in the image. Pixels and draws
// are as in shardine/pixel_operations.h.
#ifndef SHARDINE_AFFINE_OPERATIONS_H_
#define SHARDINE_AFFINE_OPERATIONS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "shardine/pixel_operations.h"

namespace shardine {

// How a pixel that lies between others is made of them.
enum class Interpolation : std::uint8_t { kNearest, kBilinear };

// The color beyond the image. With kBilinear a border pixel, of which a part is
// beyond it, is value share + color (1 - share), share being the part inside
// and value having the rest black already: torchvision's `fill`. None: black,
// and that is all, as its fill=None.
using OutsideColor = std::optional<std::array<std::uint8_t, 3>>;

// Sheared, turned and scaled around the image's middle, then moved, the size as
// it was. The matrix is torchvision's affine one, in doubles; places are
// floats, (x m0 + y m1) + m2 with m divided by half the side, from -1 to 1.
// kNearest: halves to even, bit for bit, if torch's matrix product rounds each
// product and each sum; else pixels half-way between two are its processor's.
// kBilinear: rounded to the nearest, halves to even; one level.
struct Affine {
  double angle = 0;                                // degrees, clockwise
  std::array<std::int32_t, 2> translate = {0, 0};  // pixels, right and down
  double scale = 1;                                // 1e-3 to 1e3
  std::array<double, 2> shear = {0, 0};  // degrees, of x and y; -89 to 89
  Interpolation interpolation = Interpolation::kNearest;
  OutsideColor fill = std::array<std::uint8_t, 3>{0, 0, 0};
  double probability = 1;
};

// Affine with an angle of U(1, 0), a scale of U(1, 3) and shears of U(2, 0) and
// U(2, 1) in their ranges, moved by (2 U(1, 1) - 1) translate[0] width pixels
// and (2 U(1, 2) - 1) translate[1] height, rounded, halves to even.
struct RandomAffine {
  DrawnRange degrees = {0, 0};               // -36000 to 36000
  std::array<double, 2> translate = {0, 0};  // of width and height; 0 to 1
  DrawnRange scale = {1, 1};
  DrawnRange shear_x = {0, 0};
  DrawnRange shear_y = {0, 0};
  Interpolation interpolation = Interpolation::kNearest;
  OutsideColor fill = std::array<std::uint8_t, 3>{0, 0, 0};
  double probability = 1;
};

// Turned counter-clockwise, as torchvision's rotate: Affine with the negative
// angle of U(1, 0).
struct RandomRotation {
  DrawnRange degrees = {0, 0};  // -36000 to 36000
  Interpolation interpolation = Interpolation::kNearest;
  OutsideColor fill = std::array<std::uint8_t, 3>{0, 0, 0};
  double probability = 1;
};

}  // namespace shardine

#endif  // SHARDINE_AFFINE_OPERATIONS_H_
