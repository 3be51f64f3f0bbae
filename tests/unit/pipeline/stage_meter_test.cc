#include "pipeline/stage_meter.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace shardine::stage_meter_test {
namespace {

using std::chrono::nanoseconds;

TEST_CASE("percentiles are at most an eighth above the exact ones") {
  StageMeter meter;
  for (int i = 1; i <= 1000; ++i) meter.AddBusy(nanoseconds(i * 100), 1, 10);
  const StageTimes times = meter.times();
  CHECK(times.items == 1000);
  CHECK(times.bytes == 10000);
  CHECK(times.busy == 50'050'000);
  const auto near = [](std::uint64_t found, std::uint64_t exact) {
    return found >= exact && found <= exact + exact / 8;
  };
  CHECK(near(times.p50, 50'000));
  CHECK(near(times.p95, 95'000));
  CHECK(near(times.p99, 99'000));
}

TEST_CASE("items that took their time together count as alike") {
  StageMeter meter;
  meter.AddBusy(nanoseconds(4000), 4, 0);
  meter.AddBusy(nanoseconds(3), 1, 0);
  CHECK(meter.times().p50 >= 1000);
  CHECK(meter.times().p50 <= 1125);
  CHECK(StageMeter().times().p99 == 0);
}

TEST_CASE("threads count side by side") {
  StageMeter meter;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) {
          meter.AddBusy(nanoseconds(10), 1, 1);
          meter.AddWaitForInput(nanoseconds(2));
          meter.AddWaitForOutput(nanoseconds(3));
        }
      });
    }
  }
  const StageTimes times = meter.times();
  CHECK(times.items == 4000);
  CHECK(times.waiting_for_input == 8000);
  CHECK(times.waiting_for_output == 12000);
}

}  // namespace
}  // namespace shardine::stage_meter_test
