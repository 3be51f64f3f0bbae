#include "remote/request_policy.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <set>

namespace shardine::request_policy_test {
namespace {

using std::chrono::seconds;

TEST_CASE("Only what may pass is asked for again", "[remote]") {
  const std::set<int> wanted = {408, 425, 429, 500, 502, 503, 504};
  for (int status = 100; status < 600; ++status) {
    INFO(status);
    CHECK(IsWorthATry(status) == wanted.contains(status));
  }
}

TEST_CASE("Pauses grow to 5 s and are drawn from all of that time",
          "[remote]") {
  for (unsigned tries = 1; tries < 100; ++tries) {
    const std::uint64_t most = tries < 6 ? 100ULL << tries : 5'000;
    CHECK(PauseAfter(tries, 0, {}) == Milliseconds(1));
    CHECK(PauseAfter(tries, most - 1, {}).count() ==
          static_cast<std::int64_t>(most));
    CHECK(PauseAfter(tries, UINT64_MAX, {}) <= Milliseconds(5'000));
  }
}

TEST_CASE("A pause is never shorter than the server asks for, up to 60 s",
          "[remote]") {
  CHECK(PauseAfter(1, 0, 7) > Milliseconds(7'000));
  CHECK(PauseAfter(1, 99, 7) <= Milliseconds(7'200));
  CHECK(PauseAfter(1, 0, UINT64_MAX) <= Milliseconds(60'200));
  CHECK(PauseAfter(1, 0, UINT64_MAX) >= Milliseconds(60'000));
}

TEST_CASE("A second request waits for half as long again as most take",
          "[remote]") {
  HedgeRule rule;
  CHECK(rule.After(1000) == Milliseconds(5'000));
  for (int i = 0; i < 1000; ++i)
    rule.Add(1000, Milliseconds(i < 960 ? 80 : 900));
  CHECK(rule.After(1000) == Milliseconds(120));
  // Other sizes are another matter.
  CHECK(rule.After(8 << 20) == Milliseconds(5'000));
  for (int i = 0; i < 1000; ++i) rule.Add(1000, Milliseconds(1));
  CHECK(rule.After(1000) == Milliseconds(100));
  for (int i = 0; i < 1000; ++i) rule.Add(1000, Milliseconds(9'000));
  CHECK(rule.After(1000) == Milliseconds(5'000));
}

TEST_CASE("At most 3 % of requests are sent twice", "[remote]") {
  HedgeRule rule;
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) {
    rule.CountRequest();
    taken += rule.TakeOne() ? 1 : 0;
  }
  CHECK(taken >= 300);
  CHECK(taken <= 304);
}

TEST_CASE("Requests under way are halved on overload and grow again",
          "[remote]") {
  SlotLimit slots(256);
  RemoteClock::time_point now{seconds(1000)};
  CHECK(slots.At(now) == 256);
  slots.SlowDown(now);
  CHECK(slots.At(now) == 128);
  // Many answers of one second are one overload.
  slots.SlowDown(now + Milliseconds(500));
  CHECK(slots.At(now + Milliseconds(500)) == 128);
  CHECK(slots.At(now + seconds(2)) == 144);
  for (int i = 3; i < 100; ++i) slots.SlowDown(now + seconds(i));
  CHECK(slots.At(now + seconds(100)) >= 4);
  CHECK(slots.At(now + seconds(100)) < 32);
  CHECK(slots.At(now + seconds(1000)) == 256);
}

}  // namespace
}  // namespace shardine::request_policy_test
