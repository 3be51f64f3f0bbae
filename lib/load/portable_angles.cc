#include "load/portable_angles.h"

#include <cmath>
#include <cstdint>

#include "base/check.h"
#include "load/portable_math.h"

namespace shardine {
namespace {

constexpr double kPi = 0x1.921fb54442d18p+1;

// pi / 2 as the sum of three doubles; the first two have zeros at their ends,
// so that products with integers below 2^20 are exact.
constexpr double kHalfPiHigh = 1.57079632673412561417e+00;
constexpr double kHalfPiMiddle = 6.07710050630396597660e-11;
constexpr double kHalfPiLow = 2.02226624879595063154e-21;

// x = quarters pi / 2 + near + rest, |near| <= pi / 4 and a little.
struct Reduced {
  std::int64_t quarters;
  double near;
  double rest;  // the part of it that rounding took from near
};

Reduced Reduce(double x) {
  SHARDINE_CHECK(x >= -1e5 && x <= 1e5);
  const std::int64_t whole = RoundHalfEven(std::abs(x) * (2 / kPi));
  const std::int64_t quarters = x < 0 ? -whole : whole;
  const auto n = static_cast<double>(quarters);
  const double first = x - n * kHalfPiHigh;
  const double middle = n * kHalfPiMiddle;
  const double second = first - middle;
  const double low = n * kHalfPiLow - ((first - second) - middle);
  const double near = second - low;
  return {quarters, near, (second - near) - low};
}

double SinNearZero(double x, double rest) {
  const double z = x * x;
  const double r = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 +
                             z * (-2.50507602534068634195e-08 +
                                  z * 1.58969099521155010221e-10)));
  const double cube = z * x;
  return x - ((z * (0.5 * rest - cube * r) - rest) -
              cube * -1.66666666666666324348e-01);
}

double CosNearZero(double x, double rest) {
  const double z = x * x;
  const double r =
      z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
      z * z * (z * z) *
          (-2.75573143513906633035e-07 +
           z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const double half = 0.5 * z;
  const double most = 1 - half;
  return most + (((1 - most) - half) + (z * r - x * rest));
}

// The sine of x and so many quarter turns.
double Sin(const Reduced& x, std::int64_t more) {
  const auto quarter = static_cast<std::uint64_t>(x.quarters + more) % 4;
  const double value = quarter % 2 == 0 ? SinNearZero(x.near, x.rest)
                                        : CosNearZero(x.near, x.rest);
  return quarter < 2 ? value : -value;
}

// atan x = x - x AtanRest(x) for |x| < 7 / 16.
double AtanRest(double x) {
  constexpr double kFactors[] = {
      3.33333333333329318027e-01, -1.99999999998764832476e-01,
      1.42857142725034663711e-01, -1.11111104054623557880e-01,
      9.09088713343650656196e-02, -7.69187620504482999495e-02,
      6.66107313738753120669e-02, -5.83357013379057348645e-02,
      4.97687799461593236017e-02, -3.65315727442169155270e-02,
      1.62858201153657823623e-02};
  const double z = x * x;
  const double w = z * z;
  double even = 0;
  double odd = 0;
  for (int i = 10; i >= 0; i -= 2) even = kFactors[i] + w * even;
  for (int i = 9; i >= 0; i -= 2) odd = kFactors[i] + w * odd;
  return z * even + w * odd;
}

// atan(base) as high + low, plus the arctangent of `left`.
double AtanFrom(double high, double low, double left) {
  return high - ((left * AtanRest(left) - low) - left);
}

}  // namespace

double PortableSin(double x) { return Sin(Reduce(x), 0); }

double PortableCos(double x) { return Sin(Reduce(x), 1); }

double PortableTan(double x) { return PortableSin(x) / PortableCos(x); }

double PortableAtan(double x) {
  SHARDINE_CHECK(x >= -1 && x <= 1);
  if (x < 0) return -PortableAtan(-x);
  if (x < 7.0 / 16) return x - x * AtanRest(x);
  if (x < 11.0 / 16) {
    return AtanFrom(4.63647609000806093515e-01, 2.26987774529616870924e-17,
                    (2 * x - 1) / (2 + x));
  }
  return AtanFrom(7.85398163397448278999e-01, 3.06161699786838301793e-17,
                  (x - 1) / (x + 1));
}

double Radians(double degrees) { return degrees * (kPi / 180); }

double Degrees(double radians) { return radians * (180 / kPi); }

}  // namespace shardine
