#include "load/portable_math.h"

#include <bit>

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

std::int64_t RoundHalfEven(double x) {
  SHARDINE_CHECK(x >= 0);
  if (x >= 0x1p62) return std::int64_t{1} << 62;
  const auto down = static_cast<std::int64_t>(x);
  const double rest = x - static_cast<double>(down);
  const bool up = rest > 0.5 || (rest == 0.5 && down % 2 != 0);
  return down + (up ? 1 : 0);
}

}  // namespace shardine
