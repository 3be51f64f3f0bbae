#include "doctor/server_probe.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "doctor/median.h"
#include "pipeline/parallel_for.h"
#include "remote/request_policy.h"
#include "shardine/environment.h"

namespace shardine {
namespace {

using Clock = std::chrono::steady_clock;
using Files = std::vector<std::unique_ptr<RandomAccessFile>>;

constexpr std::size_t kMostOpened = 4;
constexpr std::size_t kSmallRanges = 20;
constexpr std::uint64_t kSmall = 4 << 10;
constexpr std::uint64_t kLarge = 4 << 20;
constexpr std::uint64_t kMostBytes = 64 << 20;
constexpr unsigned kAtOnce = 4;
constexpr std::chrono::milliseconds kLatencyTime(2'000);
constexpr std::chrono::milliseconds kRateTime(1'500);

// As the engine of requests reads it, which refuses other words.
unsigned MostRequests() {
  const std::string text =
      Environment::Current().Of("SHARDINE_REMOTE_REQUESTS");
  unsigned requests = 0;
  std::from_chars(text.data(), text.data() + text.size(), requests);
  return requests > 0 ? requests
                      : static_cast<unsigned>(RequestLimits().requests);
}

// Seconds of a read.
Result<double> TimeOf(const RandomAccessFile& file, std::uint64_t offset,
                      std::span<std::byte> out) {
  const auto begin = Clock::now();
  SHARDINE_RETURN_IF_ERROR(file.ReadExactly(offset, out));
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Result<double> MeasureLatency(const Files& files, const std::stop_token& stop) {
  std::vector<double> seconds;
  ByteBuffer bytes;
  const auto end = Clock::now() + kLatencyTime;
  for (std::size_t i = 0; i < kSmallRanges; ++i) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    if (i > 0 && Clock::now() > end) break;
    const RandomAccessFile& file = *files[i % files.size()];
    const std::uint64_t size = std::min(file.size(), kSmall);
    bytes.Resize(size);
    // Far from each other, so that no answer has the next one's bytes.
    const std::uint64_t offset =
        (file.size() - size) / kSmallRanges * (i * 7 % kSmallRanges);
    SHARDINE_ASSIGN_OR_RETURN(const double took,
                              TimeOf(file, offset, bytes.span()));
    seconds.push_back(took);
  }
  return Median(std::move(seconds));
}

// Bytes a second. A request's latency is no time of its bytes, as others are
// under way meanwhile; a tenth of the request's time is.
Result<double> MeasureRate(const Files& files, double latency,
                           const std::stop_token& stop) {
  std::vector<double> seconds(kAtOnce);
  std::atomic<std::uint64_t> asked = 0;
  std::atomic<std::uint64_t> received = 0;
  // Each byte is asked for about once, however small the files are.
  std::uint64_t most = 0;
  for (const auto& file : files) most += file->size();
  most = std::min(most, kMostBytes);
  const auto end = Clock::now() + kRateTime;
  SHARDINE_RETURN_IF_ERROR(ParallelFor(kAtOnce, kAtOnce, [&](std::size_t i) {
    ByteBuffer bytes;
    for (std::uint64_t number = i;; number += kAtOnce) {
      const RandomAccessFile& file = *files[number % files.size()];
      const std::uint64_t size = std::min(file.size(), kLarge);
      if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
      const bool is_over =
          asked.fetch_add(size) + size > most || Clock::now() > end;
      if (number >= kAtOnce && is_over) return Status();
      bytes.Resize(size);
      const std::uint64_t places = file.size() / size;
      SHARDINE_ASSIGN_OR_RETURN(
          const double took,
          TimeOf(file, number % places * size, bytes.span()));
      seconds[i] += std::max(took - latency, took / 10);
      received += size;
    }
  }));
  return static_cast<double>(received) / *std::ranges::max_element(seconds);
}

}  // namespace

Result<ServerRates> ProbeServer(ReadableStorage& storage,
                                const std::vector<ProbedFile>& files,
                                const std::stop_token& stop) {
  Files opened;
  for (const ProbedFile& file : files) {
    if (opened.size() == kMostOpened) break;
    if (file.size == 0) continue;
    SHARDINE_ASSIGN_OR_RETURN(auto one, storage.Open(file.path));
    if (one->size() == 0) continue;
    // A small file came whole with the answer that opened it.
    one->Forget(0, one->size());
    opened.push_back(std::move(one));
  }
  if (opened.empty()) {
    return Status(Code::kInvalidArgument, "there are no bytes to measure");
  }
  ServerRates rates;
  rates.requests = MostRequests();
  SHARDINE_ASSIGN_OR_RETURN(rates.latency, MeasureLatency(opened, stop));
  SHARDINE_ASSIGN_OR_RETURN(rates.bytes,
                            MeasureRate(opened, rates.latency, stop));
  return rates;
}

}  // namespace shardine
