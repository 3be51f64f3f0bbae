// Generated JPEGs of all kinds: their regions, by our decoder at every level of
// vector instructions, with entry points and without, are parts of
// libjpeg-turbo's full decode; and damaged ones get libjpeg-turbo's verdict.
// SHARDINE_FIRST and SHARDINE_COUNT say which numbers.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "image/probe.h"
#include "support/jpeg_variety.h"
#include "support/region_oracle.h"
#include "support/sanitized.h"

namespace shardine::region_pixels_test {
namespace {

constexpr std::uint32_t kImageStep = kSanitized ? 5 : 1;
constexpr bool kAllLevelsForEachBox = !kSanitized;
constexpr std::size_t kBoxes = 20;
constexpr std::size_t kDamagedBoxes = 3;
constexpr std::uint32_t kDamaged = 8;

std::uint32_t FromEnvironment(const char* name, std::uint32_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise
                         : static_cast<std::uint32_t>(std::atoi(text));
}

// Calls `check` with the number of each image.
template <class Check>
void ForEachNumber(const Check& check) {
  const std::uint32_t first = FromEnvironment("SHARDINE_FIRST", 0);
  const std::uint32_t end = first + FromEnvironment("SHARDINE_COUNT", 250);
  for (std::uint32_t number = first; number < end; number += kImageStep) {
    check(number);
  }
}

void CheckVerdict(const RegionOracle& oracle, ByteView jpeg) {
  const CheckedImage checked =
      ImageChecker({.level = ImageCheck::kDecode, .find_entry_points = true})
          .Check(jpeg);
  if (ProbeImage(jpeg).problem == ImageProblem::kNone) {
    CHECK(oracle.FaultOf(checked.verdict) == "");
  } else {
    CHECK_FALSE(checked.verdict.good());
  }
  CHECK((checked.entry_points.empty() || oracle.clean()));
}

void CheckBoxes(const RegionOracle& oracle, ByteView points, std::size_t boxes,
                std::uint32_t number) {
  const std::vector<SimdLevel> levels = SimdLevels();
  ImageDecoder decoder;
  const std::vector<Region> all = BoxesOf(oracle.size(), boxes, number);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const SimdLimit limit(levels[i]);
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!kAllLevelsForEachBox && (number + k) % levels.size() != i) continue;
      CHECK(oracle.FaultOfRegion(decoder, all[k], {}) == "");
      if (points.empty()) continue;
      CHECK(oracle.FaultOfRegion(decoder, all[k], points) == "");
    }
  }
}

void CheckWhole(const RegionOracle& oracle, ByteView jpeg, ByteView points) {
  ImageDecoder decoder;
  for (const SimdLevel level : SimdLevels()) {
    const SimdLimit limit(level);
    INFO(ToString(level));
    CheckVerdict(oracle, jpeg);
    CHECK(oracle.FaultOfWhole(decoder, {}) == "");
    CHECK(oracle.FaultOfWhole(decoder, points) == "");
  }
}

TEST_CASE("Regions of a JPEG of any kind are parts of libjpeg-turbo's decode",
          "[conformance][region]") {
  ForEachNumber([](std::uint32_t number) {
    CAPTURE(number);
    const std::string jpeg = MakeVariedJpeg(number);
    const RegionOracle oracle(AsBytes(jpeg));
    REQUIRE(oracle.clean());
    const std::string points = EntryPointsOf(AsBytes(jpeg));
    REQUIRE(!points.empty());
    CheckWhole(oracle, AsBytes(jpeg), AsBytes(points));
    CheckBoxes(oracle, AsBytes(points), kBoxes, number);
  });
}

TEST_CASE("A damaged JPEG has libjpeg-turbo's verdict, warnings and pixels",
          "[conformance][region][corruption]") {
  std::uint32_t bad = 0;
  ForEachNumber([&](std::uint32_t number) {
    const std::string whole = MakeVariedJpeg(number);
    for (std::uint32_t i = 0; i < kDamaged; ++i) {
      CAPTURE(number, i);
      const std::string jpeg = DamageJpeg(whole, number * kDamaged + i);
      const RegionOracle oracle(AsBytes(jpeg));
      bad += oracle.clean() ? 0 : 1;
      CheckWhole(oracle, AsBytes(jpeg), {});
      if (!oracle.decodes()) continue;
      CheckBoxes(oracle, {}, kDamagedBoxes, number);
    }
  });
  CHECK(bad > 0);
}

}  // namespace
}  // namespace shardine::region_pixels_test
