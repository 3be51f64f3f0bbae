#include "pipeline/stage_meter.h"

#include <bit>

namespace shardine {
namespace {

std::uint64_t Nanoseconds(StageClock::duration time) {
  const auto count =
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

void Add(std::atomic<std::uint64_t>& counter, std::uint64_t value) {
  counter.fetch_add(value, std::memory_order_relaxed);
}

}  // namespace

// The highest bit and the three below it.
std::size_t StageMeter::BucketOf(std::uint64_t nanoseconds) {
  if (nanoseconds < 8) return static_cast<std::size_t>(nanoseconds);
  const auto high = static_cast<unsigned>(std::bit_width(nanoseconds)) - 1;
  return (high - 2) * 8 +
         static_cast<std::size_t>(nanoseconds >> (high - 3) & 7);
}

std::uint64_t StageMeter::EndOf(std::size_t bucket) {
  if (bucket < 8) return bucket;
  const std::size_t high = bucket / 8 + 2;
  return ((bucket % 8 + 9) << (high - 3)) - 1;
}

void StageMeter::AddBusy(StageClock::duration time, std::uint64_t items,
                         std::uint64_t bytes) {
  const std::uint64_t nanoseconds = Nanoseconds(time);
  Add(items_, items);
  Add(bytes_, bytes);
  Add(busy_, nanoseconds);
  if (items > 0) {
    Add(items_by_time_[BucketOf(nanoseconds / items)], items);
  }
}

void StageMeter::AddWaitForInput(StageClock::duration time) {
  Add(waiting_for_input_, Nanoseconds(time));
}

void StageMeter::AddWaitForOutput(StageClock::duration time) {
  Add(waiting_for_output_, Nanoseconds(time));
}

StageTimes StageMeter::times() const {
  StageTimes times{.items = items_,
                   .bytes = bytes_,
                   .busy = busy_,
                   .waiting_for_input = waiting_for_input_,
                   .waiting_for_output = waiting_for_output_};
  std::uint64_t total = 0;
  for (const Counter& items : items_by_time_) total += items;
  std::uint64_t below = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    const std::uint64_t items = items_by_time_[bucket];
    if (items == 0) continue;
    const std::uint64_t behind = below + items;
    const auto holds = [&](std::uint64_t percent) {
      const std::uint64_t rank = (total * percent + 99) / 100;
      return below < rank && rank <= behind;
    };
    if (holds(50)) times.p50 = EndOf(bucket);
    if (holds(95)) times.p95 = EndOf(bucket);
    if (holds(99)) times.p99 = EndOf(bucket);
    below = behind;
  }
  return times;
}

}  // namespace shardine
