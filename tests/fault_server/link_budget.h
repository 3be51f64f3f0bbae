// How many bytes a link of limited rate lets through.
#ifndef SHARDINE_FAULT_SERVER_LINK_BUDGET_H_
#define SHARDINE_FAULT_SERVER_LINK_BUDGET_H_

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace shardine::fault_server {

using ServerClock = std::chrono::steady_clock;

// A token bucket of 10 ms, for all connections together. Thread-compatible.
class LinkBudget {
 public:
  // 0: no limit.
  explicit LinkBudget(std::uint64_t bytes_per_second)
      : rate_(static_cast<double>(bytes_per_second)) {}

  // So many of the wanted bytes may go now; the caller gives back the bytes
  // that it did not send.
  std::uint64_t Take(std::uint64_t wanted, ServerClock::time_point now) {
    if (rate_ == 0) return wanted;
    const std::chrono::duration<double> since = now - filled_;
    filled_ = now;
    room_ = std::min(rate_ * 0.01, room_ + since.count() * rate_);
    const auto taken = std::min(wanted, static_cast<std::uint64_t>(room_));
    room_ -= static_cast<double>(taken);
    return taken;
  }
  void GiveBack(std::uint64_t bytes) { room_ += static_cast<double>(bytes); }

 private:
  const double rate_;
  double room_ = 0;
  ServerClock::time_point filled_{};
};

}  // namespace shardine::fault_server

#endif  // SHARDINE_FAULT_SERVER_LINK_BUDGET_H_
