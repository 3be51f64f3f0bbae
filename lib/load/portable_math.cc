#include "load/portable_math.h"

#include <bit>
#include <cmath>
#include <initializer_list>

#include "base/check.h"

namespace shardine {
namespace {

// ln 2 as the sum of two doubles; the first one has zeros at its end, so that
// products with small integers are exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kInverseLn2 = 0x1.71547652b82fep+0;

constexpr int kFractionBits = 52;
constexpr std::int64_t kExponentBias = 1023;

double PowerOfTwo(std::int64_t exponent) {
  return std::bit_cast<double>(
      static_cast<std::uint64_t>(exponent + kExponentBias) << kFractionBits);
}

// e^r for |r| <= ln(2) / 2: the first term left out is below 1e-17.
double ExpSeries(double r) {
  double sum = 1;
  for (int n = 13; n >= 1; --n) sum = 1 + r * sum / n;
  return sum;
}

// The highest power's factor first.
double Polynomial(std::initializer_list<double> factors, double x) {
  double sum = 0;
  for (const double factor : factors) sum = sum * x + factor;
  return sum;
}

}  // namespace

double PortableExp(double x) {
  SHARDINE_CHECK(x >= -700 && x <= 700);
  const double scaled = x * kInverseLn2;
  const std::int64_t exponent =
      x < 0 ? -RoundHalfEven(-scaled) : RoundHalfEven(scaled);
  const auto n = static_cast<double>(exponent);
  const double r = (x - n * kLn2High) - n * kLn2Low;
  return ExpSeries(r) * PowerOfTwo(exponent);
}

double PortableLog(double x) {
  SHARDINE_CHECK(x >= 0x1p-1022 && x <= 0x1.fffffffffffffp+1023);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  std::int64_t exponent =
      static_cast<std::int64_t>(bits >> kFractionBits) - kExponentBias;
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << kFractionBits) - 1;
  constexpr std::uint64_t kOne = std::uint64_t{kExponentBias} << kFractionBits;
  auto mantissa = std::bit_cast<double>((bits & kFraction) | kOne);
  // Around 1, so that nothing cancels out there.
  if (mantissa > 0x1.6a09e667f3bcdp+0) {
    mantissa *= 0.5;
    ++exponent;
  }
  // log m = 2 atanh(s), |s| <= 0.172: the first term left out is below 1e-17.
  const double s = (mantissa - 1) / (mantissa + 1);
  double sum = 0;
  for (int n = 19; n >= 1; n -= 2) sum = sum * (s * s) + 1.0 / n;
  const auto n = static_cast<double>(exponent);
  return n * kLn2High + (2 * s * sum + n * kLn2Low);
}

double PortableNormalQuantile(double p) {
  SHARDINE_CHECK(p > 0 && p < 1);
  constexpr double kTail = 0.02425;
  if (p > 0.5) return -PortableNormalQuantile(1 - p);
  if (p < kTail) {
    const double q = std::sqrt(-2 * PortableLog(p));
    return Polynomial({-7.784894002430293e-03, -3.223964580411365e-01,
                       -2.400758277161838e+00, -2.549732539343734e+00,
                       4.374664141464968e+00, 2.938163982698783e+00},
                      q) /
           Polynomial({7.784695709041462e-03, 3.224671290700398e-01,
                       2.445134137142996e+00, 3.754408661907416e+00, 1},
                      q);
  }
  const double q = p - 0.5;
  return q *
         Polynomial({-3.969683028665376e+01, 2.209460984245205e+02,
                     -2.759285104469687e+02, 1.383577518672690e+02,
                     -3.066479806614716e+01, 2.506628277459239e+00},
                    q * q) /
         Polynomial({-5.447609879822406e+01, 1.615858368580409e+02,
                     -1.556989798598866e+02, 6.680131188771972e+01,
                     -1.328068155288572e+01, 1},
                    q * q);
}

std::int64_t RoundHalfEven(double x) {
  SHARDINE_CHECK(x >= 0);
  if (x >= 0x1p62) return std::int64_t{1} << 62;
  const auto down = static_cast<std::int64_t>(x);
  const double rest = x - static_cast<double>(down);
  const bool up = rest > 0.5 || (rest == 0.5 && down % 2 != 0);
  return down + (up ? 1 : 0);
}

}  // namespace shardine
