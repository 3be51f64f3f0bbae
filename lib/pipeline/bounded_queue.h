// BoundedQueue: hands work from one pipeline stage to the next and makes a fast
// producer wait for a slow consumer. Bounded by weight (bytes), not by count,
// since one 40 MB image must cost as much as four thousand thumbnails.
//
// Thread-safe.
#ifndef SHARDINE_PIPELINE_BOUNDED_QUEUE_H_
#define SHARDINE_PIPELINE_BOUNDED_QUEUE_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

namespace shardine {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  // Blocks while full. An item heavier than the whole capacity is let in alone
  // rather than never. False if closed or stopped; `item` is dropped then.
  bool Push(T item, std::size_t weight) {
    return Push(std::move(item), weight,
                [](const T&, const T&) { return false; });
  }

  // Past those queued that `before` says it comes before: producers that end in
  // any order are taken from in the order that they began in.
  template <typename Before>
  bool Push(T item, std::size_t weight, const Before& before) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [&] { return HasRoom(weight); });
    if (closed_) return false;
    weight_ += weight;
    auto at = items_.end();
    while (at != items_.begin() && before(item, std::prev(at)->first)) --at;
    items_.emplace(at, std::move(item), weight);
    lock.unlock();  // so that the woken thread need not wait for it
    has_items_.notify_one();
    return true;
  }

  // Whether Push() of an item of that weight would return at once, or will
  // within that time if no other thread pushes.
  bool WaitForRoom(std::size_t weight, std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    return has_room_.wait_for(lock, time, [&] { return HasRoom(weight); });
  }

  // Blocks while empty. nullopt: closed and drained, or stopped.
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    has_items_.wait(lock, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    auto [item, weight] = std::move(items_.front());
    items_.pop_front();
    weight_ -= weight;
    lock.unlock();
    // Room for one heavy item is room for several light ones.
    has_room_.notify_all();
    return std::optional<T>(std::move(item));
  }

  // No more pushes; queued items can still be popped. Idempotent.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    has_items_.notify_all();
    has_room_.notify_all();
  }

  // Close, and drop all queued items.
  void Stop() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    items_.clear();
    weight_ = 0;
    has_items_.notify_all();
    has_room_.notify_all();
  }

 private:
  // REQUIRES: mutex_ is held.
  bool HasRoom(std::size_t weight) const {
    return closed_ || weight_ == 0 || weight_ + weight <= capacity_;
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  // A thread is woken only for the event that it waits for: with many threads
  // wake-ups are most of a queue's cost.
  std::condition_variable has_items_;
  std::condition_variable has_room_;
  // Guarded by mutex_.
  std::deque<std::pair<T, std::size_t>> items_;
  std::size_t weight_ = 0;
  bool closed_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_PIPELINE_BOUNDED_QUEUE_H_
