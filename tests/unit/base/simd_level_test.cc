#include "base/simd_level.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "shardine/environment.h"

namespace shardine::simd_level_test {
namespace {

void Unlimit() {
  Environment::Read();
  UnlimitSimd();
}

TEST_CASE("the environment limits the vector instructions") {
  REQUIRE(setenv("SHARDINE_SIMD", "portable", 1) == 0);
  Unlimit();
  CHECK(CurrentSimdLevel() == SimdLevel::kPortable);
  CHECK(ToString(CurrentSimdLevel()) == "portable");
  REQUIRE(setenv("SHARDINE_SIMD", "no such level", 1) == 0);
  Unlimit();
  const SimdLevel best = CurrentSimdLevel();
  REQUIRE(unsetenv("SHARDINE_SIMD") == 0);
  Unlimit();
  CHECK(CurrentSimdLevel() == best);
}

TEST_CASE("a limit holds whatever the environment says") {
  REQUIRE(setenv("SHARDINE_SIMD", "portable", 1) == 0);
  Unlimit();
  const bool there = LimitSimd(SimdLevel::kSse4);
  CHECK((CurrentSimdLevel() == SimdLevel::kSse4) == there);
  REQUIRE(unsetenv("SHARDINE_SIMD") == 0);
  Unlimit();
}

}  // namespace
}  // namespace shardine::simd_level_test
