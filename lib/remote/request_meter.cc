#include "remote/request_meter.h"

#include <algorithm>

namespace shardine {
namespace {

constexpr std::size_t kLatencies = 4'096;

}  // namespace

void RequestMeter::Times::Add(double seconds) {
  if (last.size() < kLatencies) {
    last.push_back(seconds);
    return;
  }
  last[next] = seconds;
  next = (next + 1) % kLatencies;
}

double RequestMeter::Times::At(double share) const {
  if (last.empty()) return 0;
  std::vector<double> sorted = last;
  const auto rank =
      static_cast<std::ptrdiff_t>(share * static_cast<double>(last.size() - 1));
  std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
  return sorted[static_cast<std::size_t>(rank)];
}

void RequestMeter::AddRequest(bool again) {
  const std::lock_guard lock(mutex_);
  ++stats_.requests;
  stats_.asked_again += again ? 1 : 0;
  BeginTry();
}

void RequestMeter::AddTry(bool is_hedge) {
  const std::lock_guard lock(mutex_);
  stats_.hedges += is_hedge ? 1 : 0;
  BeginTry();
}

void RequestMeter::BeginTry() {
  ++stats_.tries;
  ++stats_.under_way;
  stats_.most_under_way = std::max(stats_.most_under_way, stats_.under_way);
}

void RequestMeter::EndTry() {
  const std::lock_guard lock(mutex_);
  --stats_.under_way;
}

void RequestMeter::AddConnections(const TryFacts& facts) {
  if (!facts.was_connected) return;
  stats_.connections_made += facts.connections;
  stats_.connections_reused += facts.connections == 0 ? 1 : 0;
}

void RequestMeter::AddGood(const TryFacts& facts, std::uint64_t bytes,
                           std::uint64_t used, bool is_hedge) {
  const std::lock_guard lock(mutex_);
  stats_.bytes += bytes;
  stats_.bytes_used += std::min(used, bytes);
  stats_.hedges_won += is_hedge ? 1 : 0;
  AddConnections(facts);
  first_byte_.Add(facts.first_byte);
  whole_.Add(facts.whole);
}

void RequestMeter::AddFailed(const std::string& why, const TryFacts& facts) {
  const std::lock_guard lock(mutex_);
  ++stats_.failed_tries[why];
  AddConnections(facts);
}

RemoteStats RequestMeter::stats() const {
  const std::lock_guard lock(mutex_);
  RemoteStats stats = stats_;
  stats.first_byte_p50 = first_byte_.At(0.50);
  stats.first_byte_p95 = first_byte_.At(0.95);
  stats.first_byte_p99 = first_byte_.At(0.99);
  stats.whole_p50 = whole_.At(0.50);
  stats.whole_p95 = whole_.At(0.95);
  stats.whole_p99 = whole_.At(0.99);
  return stats;
}

}  // namespace shardine
