#include "load/portable_math.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>
#include <cstdint>

namespace shardine::portable_math_test {
namespace {

double RelativeError(double value, double truth) {
  return truth == 0 ? std::abs(value) : std::abs(value / truth - 1);
}

TEST_CASE("PortableExp agrees with the library's exp to the last bits",
          "[portable_math]") {
  double worst = 0;
  for (int i = -70'000; i <= 70'000; ++i) {
    for (const double x : {i * 0.01, i * 1e-4 + 1e-9, i * 1e-7}) {
      worst = std::max(worst, RelativeError(PortableExp(x), std::exp(x)));
    }
  }
  CHECK(worst < 1e-15);
  CHECK(PortableExp(0) == 1);
}

TEST_CASE("PortableLog agrees with the library's log to the last bits",
          "[portable_math]") {
  double worst = 0;
  for (int i = 1; i <= 100'000; ++i) {
    for (const double x :
         {i * 1e-5, i * 1e-3, i * 7.0, 1 + i * 1e-9, 1 - i * 1e-9,
          std::ldexp(1.0 + i * 1e-5, i % 2000 - 1000)}) {
      worst = std::max(worst, RelativeError(PortableLog(x), std::log(x)));
    }
  }
  CHECK(worst < 1e-15);
  CHECK(PortableLog(1) == 0);
  CHECK(RelativeError(PortableLog(0x1p-1022), std::log(0x1p-1022)) < 1e-15);
  CHECK(RelativeError(PortableLog(1.7e308), std::log(1.7e308)) < 1e-15);
}

TEST_CASE("PortableExp and PortableLog keep their bits for ever",
          "[portable_math]") {
  const auto exp_bits = [](double x) {
    return std::bit_cast<std::uint64_t>(PortableExp(x));
  };
  const auto log_bits = [](double x) {
    return std::bit_cast<std::uint64_t>(PortableLog(x));
  };
  CHECK(exp_bits(1) == 0x4005bf0a8b14576a);
  CHECK(exp_bits(-0.2876820724517809) == 0x3fe8000000000000);
  CHECK(exp_bits(0.123456789) == 0x3ff21a380e17ced3);
  CHECK(exp_bits(-13.5) == 0x3eb7003974e945de);
  CHECK(exp_bits(700) == 0x7f0d945df4f8ec8e);
  CHECK(log_bits(3.0 / 4.0) == 0xbfd269621134db92);
  CHECK(log_bits(4.0 / 3.0) == 0x3fd269621134db92);
  CHECK(log_bits(2) == 0x3fe62e42fefa39ef);
  CHECK(log_bits(1e6) == 0x402ba18a998fffa0);
  CHECK(log_bits(1e-300) == 0xc085963447f87fb5);
  std::uint64_t sum = 0;
  for (int i = 1; i <= 10'000; ++i) {
    sum = sum * 31 + exp_bits(i * 0x1p-10 - 5);
    sum = sum * 31 + log_bits(i * 0x1p-10);
  }
  CHECK(sum == 0xb6245a81bf7e945a);
}

TEST_CASE("PortableExp undoes PortableLog", "[portable_math]") {
  for (int i = 1; i <= 10'000; ++i) {
    const double x = i * 1e-3;
    REQUIRE(RelativeError(PortableExp(PortableLog(x)), x) < 1e-14);
  }
}

TEST_CASE("RoundHalfEven rounds as nearbyint does by default",
          "[portable_math]") {
  REQUIRE(std::fegetround() == FE_TONEAREST);
  for (int i = 0; i < 100'000; ++i) {
    const double x = i * 0.125;
    REQUIRE(static_cast<double>(RoundHalfEven(x)) == std::nearbyint(x));
  }
  CHECK(RoundHalfEven(0.49999999999999994) == 0);
  CHECK(RoundHalfEven(4503599627370497.5) == 4503599627370498);
  CHECK(RoundHalfEven(1e300) == std::int64_t{1} << 62);
  CHECK(RoundHalfEven(std::nextafter(0x1p62, 0)) ==
        (std::int64_t{1} << 62) - 512);
}

}  // namespace
}  // namespace shardine::portable_math_test
