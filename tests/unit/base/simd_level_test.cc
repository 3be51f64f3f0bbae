#include "base/simd_level.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace shardine::simd_level_test {
namespace {

TEST_CASE("the environment limits the vector instructions") {
  REQUIRE(setenv("SHARDINE_SIMD", "portable", 1) == 0);
  UnlimitSimd();
  CHECK(CurrentSimdLevel() == SimdLevel::kPortable);
  CHECK(ToString(CurrentSimdLevel()) == "portable");
  REQUIRE(setenv("SHARDINE_SIMD", "no such level", 1) == 0);
  UnlimitSimd();
  const SimdLevel best = CurrentSimdLevel();
  REQUIRE(unsetenv("SHARDINE_SIMD") == 0);
  UnlimitSimd();
  CHECK(CurrentSimdLevel() == best);
}

TEST_CASE("a limit holds whatever the environment says") {
  REQUIRE(setenv("SHARDINE_SIMD", "portable", 1) == 0);
  UnlimitSimd();
  const bool there = LimitSimd(SimdLevel::kSse4);
  CHECK((CurrentSimdLevel() == SimdLevel::kSse4) == there);
  REQUIRE(unsetenv("SHARDINE_SIMD") == 0);
  UnlimitSimd();
}

}  // namespace
}  // namespace shardine::simd_level_test
