#include "pixels/value_blend.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "pixels/half_float.h"
#include "unit/pixels/drawn_pixels.h"

namespace shardine::value_blend_test {
namespace {

constexpr float kWeights[] = {0.0F,   1e-30F, 0.25F,     0.5F,
                              0.637F, 0.9F,   0.999999F, 1.0F};

template <typename T>
std::vector<T> Blended(PixelType type, const std::vector<T>& other,
                       std::vector<T> own, float weight) {
  // Values before and after must stay.
  own.insert(own.begin(), T{77});
  own.push_back(T{78});
  BlendValues(type, reinterpret_cast<const std::byte*>(other.data()),
              other.size(), weight,
              reinterpret_cast<std::byte*>(own.data() + 1));
  REQUIRE(own.front() == T{77});
  REQUIRE(own.back() == T{78});
  return {own.begin() + 1, own.end() - 1};
}

// Products in variables of their own: each is rounded.
float Formula(float other, float own, float weight) {
  const volatile float theirs = other * (1 - weight);
  const volatile float mine = own * weight;
  return theirs + mine;
}

std::vector<std::uint8_t> Bytes(std::size_t count, std::uint32_t seed) {
  auto bytes =
      DrawnPixels({static_cast<std::uint32_t>(count / 3 + 1), 1}, seed).bytes;
  bytes.resize(count);
  return bytes;
}

// Values like those of normalized pixels, of either sign.
std::vector<float> Floats(std::size_t count, std::uint32_t seed) {
  std::vector<float> values;
  for (const std::uint8_t byte : Bytes(count, seed)) {
    values.push_back((static_cast<float>(byte) - 116.28F) / 57.12F);
  }
  return values;
}

TEST_CASE("BlendValues is its formula for each type, at every level",
          "[value_blend]") {
  for (const std::size_t count : {1u, 63u, 64u, 200u, 1021u}) {
    const auto other = Floats(count, 3);
    const auto own = Floats(count, 4);
    for (const float weight : kWeights) {
      for (const SimdLevel level : kSimdLevels) {
        if (!LimitSimd(level)) continue;
        CAPTURE(count, weight, ToString(level));
        const auto floats = Blended(PixelType::kFloat32, other, own, weight);
        std::vector<std::uint16_t> other_halves(count), own_halves(count);
        std::ranges::transform(other, other_halves.begin(), HalfBits);
        std::ranges::transform(own, own_halves.begin(), HalfBits);
        const auto halves =
            Blended(PixelType::kFloat16, other_halves, own_halves, weight);
        for (std::size_t i = 0; i < count; ++i) {
          REQUIRE(floats[i] == Formula(other[i], own[i], weight));
          REQUIRE(halves[i] ==
                  HalfBits(Formula(HalfValue(other_halves[i]),
                                   HalfValue(own_halves[i]), weight)));
        }
      }
      UnlimitSimd();
    }
  }
}

TEST_CASE("BlendValues gives each pair of bytes the nearest level",
          "[value_blend]") {
  std::vector<std::uint8_t> other(65'536), own(65'536);
  for (std::size_t i = 0; i < other.size(); ++i) {
    other[i] = static_cast<std::uint8_t>(i >> 8);
    own[i] = static_cast<std::uint8_t>(i);
  }
  for (const float weight : kWeights) {
    for (const SimdLevel level : kSimdLevels) {
      if (!LimitSimd(level)) continue;
      CAPTURE(weight, ToString(level));
      const auto bytes = Blended(PixelType::kUint8, other, own, weight);
      for (std::size_t i = 0; i < other.size(); ++i) {
        const float value = Formula(other[i], own[i], weight);
        REQUIRE(bytes[i] == std::nearbyint(value));
        const double exact =
            other[i] * (1 - double{weight}) + own[i] * double{weight};
        REQUIRE(std::abs(bytes[i] - exact) < 0.50002);
      }
    }
    UnlimitSimd();
  }
}

TEST_CASE("BlendValues rounds halves of a level to the even one",
          "[value_blend]") {
  const std::vector<std::uint8_t> other(64, 1), own = Bytes(64, 9);
  const auto bytes = Blended(PixelType::kUint8, other, own, 0.5F);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const int sum = own[i] + 1;
    CHECK(bytes[i] == (sum % 2 == 0 ? sum / 2 : (sum / 2 + 1) / 2 * 2));
  }
}

}  // namespace
}  // namespace shardine::value_blend_test
