#include "remote/request_policy.h"

#include <algorithm>

namespace shardine {
namespace {

constexpr std::size_t kKept = 1'000;
constexpr std::size_t kEnough = 20;
constexpr std::uint64_t kFreeHedges = 4;
constexpr Milliseconds kSoonest{100};
constexpr std::size_t kLeastSlots = 4;
constexpr std::size_t kMoreSlotsASecond = 8;

}  // namespace

bool IsWorthATry(int status) {
  switch (status) {
    case 408:
    case 425:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return true;
    default:
      return false;
  }
}

Milliseconds PauseAfter(unsigned tries, std::uint64_t draw,
                        std::optional<std::uint64_t> retry_after_seconds) {
  const auto most =
      std::min<std::uint64_t>(std::uint64_t{100} << std::min(tries, 6U), 5'000);
  std::uint64_t pause = draw % most + 1;
  if (retry_after_seconds) {
    // Jitter on top: other clients were asked to wait as well.
    const auto asked = std::min<std::uint64_t>(*retry_after_seconds, 60);
    pause += asked * 1'000;
  }
  return Milliseconds(static_cast<std::int64_t>(pause));
}

std::size_t HedgeRule::ClassOf(std::uint64_t bytes) {
  if (bytes <= 64 << 10) return 0;
  return bytes <= 1 << 20 ? 1 : 2;
}

void HedgeRule::Add(std::uint64_t bytes, Milliseconds took) {
  Class& kind = classes_[ClassOf(bytes)];
  if (kind.last.size() < kKept) {
    kind.last.push_back(took);
  } else {
    kind.last[kind.next] = took;
    kind.next = (kind.next + 1) % kKept;
  }
  const std::size_t count = kind.last.size();
  // Sorting a copy of all is worth doing now and then only.
  if (count < kEnough || (count + kind.next) % kEnough != 0) return;
  std::vector<Milliseconds> sorted = kind.last;
  const auto p95 =
      sorted.begin() + static_cast<std::ptrdiff_t>(count * 95 / 100);
  std::nth_element(sorted.begin(), p95, sorted.end());
  kind.limit = std::clamp(*p95 * 3 / 2, kSoonest, Milliseconds(5'000));
}

Milliseconds HedgeRule::After(std::uint64_t bytes) const {
  return classes_[ClassOf(bytes)].limit;
}

bool HedgeRule::TakeOne() {
  if (hedges_ >= kFreeHedges + requests_ * 3 / 100) return false;
  ++hedges_;
  return true;
}

void SlotLimit::SlowDown(RemoteClock::time_point now) {
  // Many answers say the same of one overload.
  if (limit_ < most_ && now - changed_ < std::chrono::seconds(1)) return;
  limit_ = std::max(std::min(At(now), most_) / 2, kLeastSlots);
  changed_ = now;
}

std::size_t SlotLimit::At(RemoteClock::time_point now) {
  while (limit_ < most_ && now - changed_ >= std::chrono::seconds(1)) {
    limit_ = std::min(limit_ + kMoreSlotsASecond, most_);
    changed_ += std::chrono::seconds(1);
  }
  return limit_;
}

}  // namespace shardine
