#include "remote/service_time.h"

#include <catch2/catch.hpp>

namespace shardine::service_time_test {
namespace {

using Clock = std::chrono::system_clock;

// Concurrency review 21.
TEST_CASE("A time beyond the clock's last is its last", "[remote]") {
  CHECK(ParseWallTime("1970-01-01T00:01:00Z") ==
        Clock::time_point(std::chrono::minutes(1)));
  CHECK(*ParseWallTime("9999-12-31T23:59:59Z") > Clock::now());
  for (const std::int64_t seconds : {std::int64_t{1} << 40, INT64_MAX}) {
    CHECK(WallTimeOf(seconds) > Clock::now());
    CHECK(WallTimeOf(-seconds) < Clock::now());
  }
  CHECK_FALSE(ParseWallTime("soon"));
}

}  // namespace
}  // namespace shardine::service_time_test
