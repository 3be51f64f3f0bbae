#include "pixels/half_float.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace shardine::half_float_test {
namespace {

// The value by the definition of the format. REQUIRES: finite.
float Defined(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double size = exponent == 0
                          ? std::ldexp(fraction, -24)
                          : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>(bits & 0x8000 ? -size : size);
}

constexpr std::uint16_t kLargest = 0x7BFF;  // 65,504

TEST_CASE("HalfValue is the definition's, of each half", "[half_float]") {
  for (std::uint16_t bits = 0; bits <= kLargest; ++bits) {
    REQUIRE(HalfValue(bits) == Defined(bits));
    const auto negative = static_cast<std::uint16_t>(bits | 0x8000);
    REQUIRE(HalfValue(negative) == Defined(negative));
    REQUIRE(std::signbit(HalfValue(negative)));
  }
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(HalfValue(0x7C00) == infinity);
  CHECK(HalfValue(0xFC00) == -infinity);
  CHECK(std::isnan(HalfValue(0x7E00)));
}

TEST_CASE("HalfBits of a half is that half", "[half_float]") {
  for (std::uint16_t bits = 0; bits <= kLargest; ++bits) {
    REQUIRE(HalfBits(Defined(bits)) == bits);
    const auto negative = static_cast<std::uint16_t>(bits | 0x8000);
    REQUIRE(HalfBits(Defined(negative)) == negative);
  }
}

TEST_CASE("HalfBits takes the nearest half, in the middle the even one",
          "[half_float]") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (std::uint16_t bits = 0; bits <= kLargest; ++bits) {
    const auto next = static_cast<std::uint16_t>(bits + 1);
    const float above = bits == kLargest ? 65'536.0F : Defined(next);
    const float middle = (Defined(bits) + above) / 2;
    INFO(bits);
    REQUIRE(HalfBits(middle) == (bits % 2 == 0 ? bits : next));
    REQUIRE(HalfBits(std::nextafter(middle, 0.0F)) == bits);
    REQUIRE(HalfBits(std::nextafter(middle, infinity)) == next);
    REQUIRE(HalfBits(-std::nextafter(middle, 0.0F)) == (bits | 0x8000));
  }
}

TEST_CASE("HalfBits of what is beyond all halves is infinite or no number",
          "[half_float]") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(HalfBits(65'520) == 0x7C00);
  CHECK(HalfBits(-65'520) == 0xFC00);
  CHECK(HalfBits(3e38F) == 0x7C00);
  CHECK(HalfBits(infinity) == 0x7C00);
  CHECK(HalfBits(-infinity) == 0xFC00);
  CHECK(HalfBits(std::numeric_limits<float>::quiet_NaN()) == 0x7E00);
  CHECK(HalfBits(std::numeric_limits<float>::denorm_min()) == 0);
  CHECK(HalfBits(-0.0F) == 0x8000);
}

}  // namespace
}  // namespace shardine::half_float_test
