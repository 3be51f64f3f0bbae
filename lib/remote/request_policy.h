// When a request is sent again, when it is sent twice, and how many may be
// under way. Times are given: nothing here waits, so tests need no clock.
#ifndef SHARDINE_REMOTE_REQUEST_POLICY_H_
#define SHARDINE_REMOTE_REQUEST_POLICY_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardine {

using RemoteClock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

// All numbers of the policy.
struct RequestLimits {
  // Without progress for so long a request has failed.
  Milliseconds patience{120'000};
  // A host that never answered is more likely to be misspelt than to be late.
  Milliseconds first_contact{10'000};
  // After one request waited for a host in vain, requests of the next 10 s
  // (first_contact) wait no longer than this, until it answers one.
  Milliseconds down{1'000};
  Milliseconds connect{10'000};
  // A try that gives less than kStallBytes in this time is given up.
  Milliseconds stall{15'000};
  std::size_t requests = 512;  // under way at a time
  // Wrong answers to a request (a fault of the server, which may be one of many
  // behind a name) before the request fails with them.
  unsigned wrong_answers = 4;
};
inline constexpr std::uint64_t kStallBytes = 16 << 10;
// Bytes that count as progress of a request that is tried again from its start.
inline constexpr std::uint64_t kProgressBytes = 64 << 10;

// Whether a status is worth another try.
bool IsWorthATry(int status);

// The pause before try number `tries` + 1: full jitter, so that many readers of
// a server that fell over do not come back together. `draw` is any number. At
// least the time that the server asked for, up to 60 s.
Milliseconds PauseAfter(unsigned tries, std::uint64_t draw,
                        std::optional<std::uint64_t> retry_after_seconds);

// How long requests of one size take, and how many were sent twice. A second
// one is worth its cost when the first is far slower than nearly all others.
class HedgeRule {
 public:
  void Add(std::uint64_t bytes, Milliseconds took);
  // After how long a request of so many bytes is sent once more. 5 s while
  // nothing is known.
  Milliseconds After(std::uint64_t bytes) const;
  // Takes one of the second requests that there may be: 3 % of all.
  bool TakeOne();
  void CountRequest() { ++requests_; }

 private:
  struct Class {
    std::vector<Milliseconds> last;  // the last kKept, in no order
    std::size_t next = 0;
    Milliseconds limit{5'000};
  };
  static std::size_t ClassOf(std::uint64_t bytes);

  std::array<Class, 3> classes_;
  std::uint64_t requests_ = 0;
  std::uint64_t hedges_ = 0;
};

// How many requests may be under way: halved when the server says that it is
// too many, then 8 more each second.
class SlotLimit {
 public:
  explicit SlotLimit(std::size_t most) : most_(most), limit_(most) {}
  void SlowDown(RemoteClock::time_point now);
  std::size_t At(RemoteClock::time_point now);

 private:
  const std::size_t most_;
  std::size_t limit_;
  RemoteClock::time_point changed_{};
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_REQUEST_POLICY_H_
