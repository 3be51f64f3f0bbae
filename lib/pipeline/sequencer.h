// Sequencer: lets many workers fill slots in any order and one consumer drain
// them in slot order. Slots are reserved in order, so the oldest unfinished
// slot always has a worker and the consumer never waits for a slot without one.
// Bounded by the weight (bytes) of the slots between the two ends.
//
// Thread-safe; Next() is for one consumer thread.
#ifndef SHARDINE_PIPELINE_SEQUENCER_H_
#define SHARDINE_PIPELINE_SEQUENCER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace shardine {

template <typename T>
class Sequencer {
 public:
  // `weight(slot)` for slots [0, slots), as far as it is known before the slot
  // is filled; called under a lock, so cheap.
  Sequencer(std::uint64_t slots, std::size_t capacity,
            std::function<std::size_t(std::uint64_t)> weight)
      : slots_(slots), capacity_(capacity), weight_(std::move(weight)) {}

  // The next slot to fill. Blocks while those in flight weigh more than the
  // capacity; a slot heavier than that goes alone. nullopt: none left, or
  // stopped.
  std::optional<std::uint64_t> Reserve() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return stopped_ || reserved_ == slots_ || in_flight_ == 0 ||
             in_flight_ + weight_(reserved_) <= capacity_;
    });
    if (stopped_ || reserved_ == slots_) return std::nullopt;
    in_flight_ += weight_(reserved_);
    const std::uint64_t slot = reserved_++;
    // Another worker may be waiting for a slot that still fits, or the end.
    changed_.notify_all();
    return slot;
  }

  // `weight` is the measured weight of the slot, which counts from now on.
  // REQUIRES: `slot` came from Reserve() and was not filled before.
  void Fill(std::uint64_t slot, T value, std::size_t weight) {
    const std::lock_guard lock(mutex_);
    in_flight_ += weight - weight_(slot);
    filled_.emplace(slot, Filled{std::move(value), weight});
    changed_.notify_all();
  }
  void Fill(std::uint64_t slot, T value) {
    Fill(slot, std::move(value), weight_(slot));
  }

  // The next slot's value, in order. Its weight counts as in flight until the
  // call after. nullopt: all drained, or stopped.
  std::optional<T> Next() {
    std::unique_lock lock(mutex_);
    if (drained_ > 0) {
      in_flight_ -= std::exchange(held_, 0);
      changed_.notify_all();
    }
    changed_.wait(lock, [&] {
      return stopped_ || drained_ == slots_ || filled_.contains(drained_);
    });
    if (stopped_ || drained_ == slots_) return std::nullopt;
    auto node = filled_.extract(drained_++);
    held_ = node.mapped().weight;
    return std::optional<T>(std::move(node.mapped().value));
  }

  // Everyone waiting returns empty-handed. Idempotent.
  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  struct Filled {
    T value;
    std::size_t weight;
  };

  const std::uint64_t slots_;
  const std::size_t capacity_;
  const std::function<std::size_t(std::uint64_t)> weight_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::map<std::uint64_t, Filled> filled_;
  std::uint64_t reserved_ = 0;  // slots handed to workers
  std::uint64_t drained_ = 0;   // slots handed to the consumer
  std::size_t in_flight_ = 0;   // weight of slots reserved and not let go
  std::size_t held_ = 0;        // weight of the slot the consumer has
  bool stopped_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_PIPELINE_SEQUENCER_H_
