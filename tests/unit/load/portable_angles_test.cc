#include "load/portable_angles.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

#include "load/affine_matrix.h"

namespace shardine::portable_angles_test {
namespace {

// The error in units of the last place of the truth.
double Units(double value, double truth) {
  const double away = std::abs(truth);
  return std::abs(value - truth) / (std::nextafter(away, 1e300) - away);
}

TEST_CASE("Portable sines, cosines and tangents agree with the library's",
          "[portable_angles]") {
  double sine = 0;
  double cosine = 0;
  double tangent = 0;
  const auto compare = [&](double x) {
    sine = std::max(sine, Units(PortableSin(x), std::sin(x)));
    cosine = std::max(cosine, Units(PortableCos(x), std::cos(x)));
    tangent = std::max(tangent, Units(PortableTan(x), std::tan(x)));
  };
  for (int i = -100'000; i <= 100'000; ++i) {
    compare(i * 1e-4 + 1e-9);
    compare(i * 0.999);
    compare(Radians(i * 0.25));  // right angles, too: 6e-17, not 0
  }
  CHECK(sine <= 1);
  CHECK(cosine <= 1);
  CHECK(tangent <= 3);
  CHECK(PortableSin(0) == 0);
  CHECK(PortableCos(0) == 1);
  CHECK(PortableTan(0) == 0);
}

TEST_CASE("PortableAtan agrees with the library's and undoes PortableTan",
          "[portable_angles]") {
  double worst = 0;
  for (int i = -100'000; i <= 100'000; ++i) {
    const double x = i * 1e-5;
    worst = std::max(worst, Units(PortableAtan(x), std::atan(x)));
    REQUIRE(PortableTan(PortableAtan(x)) == Approx(x).epsilon(1e-14));
  }
  CHECK(worst <= 1);
  CHECK(PortableAtan(0) == 0);
}

TEST_CASE("Degrees and radians are Python's", "[portable_angles]") {
  CHECK(Radians(180) == 3.141592653589793);
  CHECK(Radians(1) == 0.017453292519943295);
  CHECK(Degrees(1) == 57.29577951308232);
}

TEST_CASE("Portable angles keep their bits for ever", "[portable_angles]") {
  std::uint64_t sum = 0;
  const auto add = [&](double x) {
    sum = sum * 31 + std::bit_cast<std::uint64_t>(x);
  };
  for (int i = -10'000; i <= 10'000; ++i) {
    add(PortableSin(i * 0x1p-7));
    add(PortableCos(i * 0x1p-7));
    add(PortableTan(i * 0x1p-7));
    add(PortableAtan(i * 0x1p-14));
  }
  CHECK(sum == 0x1d540e35c1a68502);
}

TEST_CASE("InverseAffineMatrix takes each pixel back to where it came from",
          "[portable_angles]") {
  const AffineParameters parameters{.angle = 33,
                                    .translation = {5, -7},
                                    .scale = 1.5,
                                    .shear = {12, -8},
                                    .center = {-20, 11}};
  const double rad = 3.14159265358979323846 / 180;
  const AffineMatrix m = InverseAffineMatrix(parameters);
  for (const double u : {-9.0, 0.0, 31.0}) {
    for (const double v : {-4.0, 2.5, 17.0}) {
      // R(angle) S(scale) Shear_y Shear_x, with the signs of torchvision.
      const double x = u - (-20);
      const double y = v - 11;
      const double sx = x - std::tan(12 * rad) * y;
      const double sy = y - std::tan(-8 * rad) * sx;
      const double rx = std::cos(33 * rad) * sx - std::sin(33 * rad) * sy;
      const double ry = std::sin(33 * rad) * sx + std::cos(33 * rad) * sy;
      const double to_x = 1.5 * rx - 20 + 5;
      const double to_y = 1.5 * ry + 11 - 7;
      CHECK(m[0] * to_x + m[1] * to_y + m[2] == Approx(u).margin(1e-12));
      CHECK(m[3] * to_x + m[4] * to_y + m[5] == Approx(v).margin(1e-12));
    }
  }
}

}  // namespace
}  // namespace shardine::portable_angles_test
