// StageMeter: how the threads of one pipeline stage spend their time.
#ifndef SHARDINE_PIPELINE_STAGE_METER_H_
#define SHARDINE_PIPELINE_STAGE_METER_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace shardine {

using StageClock = std::chrono::steady_clock;

// How a stage's threads spent their time so far; nanoseconds, summed.
struct StageTimes {
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  std::uint64_t busy = 0;
  std::uint64_t waiting_for_input = 0;
  std::uint64_t waiting_for_output = 0;
  // Percentiles of single items; upper bounds, at most 1/8 above the exact
  // ones.
  std::uint64_t p50 = 0;
  std::uint64_t p95 = 0;
  std::uint64_t p99 = 0;
};

// Thread-safe. Counting costs a few relaxed atomic additions.
class StageMeter {
 public:
  // Some items took all this time together.
  void AddBusy(StageClock::duration time, std::uint64_t items,
               std::uint64_t bytes);
  void AddWaitForInput(StageClock::duration time);
  void AddWaitForOutput(StageClock::duration time);

  StageTimes times() const;

 private:
  using Counter = std::atomic<std::uint64_t>;

  // Buckets of times: 8 for each power of two of nanoseconds.
  static constexpr std::size_t kBuckets = 64 * 8;
  static std::size_t BucketOf(std::uint64_t nanoseconds);
  static std::uint64_t EndOf(std::size_t bucket);

  Counter items_ = 0;
  Counter bytes_ = 0;
  Counter busy_ = 0;
  Counter waiting_for_input_ = 0;
  Counter waiting_for_output_ = 0;
  std::array<Counter, kBuckets> items_by_time_{};
};

}  // namespace shardine

#endif  // SHARDINE_PIPELINE_STAGE_METER_H_
