// LoaderStats: the work and waits of each stage of a loader, in numbers and in
// words.
#ifndef SHARDINE_LOADER_STATS_H_
#define SHARDINE_LOADER_STATS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shardine/remote_stats.h"

namespace shardine {

// Sums over the threads of a stage; seconds.
struct StageStats {
  std::string name;  // "read", "decode", "deliver"
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  double busy = 0;
  double waiting_for_input = 0;
  double waiting_for_output = 0;
  // Seconds that an item took at most, for that share of the items.
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
};

// Sums over the threads of a stage, in seconds.
struct StageSeconds {
  double busy = 0;
  double waiting_for_input = 0;
  double waiting_for_output = 0;
};

// The sums of a loader at a moment.
struct LoaderMoment {
  double seconds = 0;  // since the first Next()
  std::uint64_t images = 0;
  std::uint64_t bytes = 0;  // read
  StageSeconds read = {};
  StageSeconds decode = {};  // all 0 without a transform
  StageSeconds deliver = {};
};

struct LoaderStats {
  double seconds = 0;  // since the first Next()
  std::uint64_t batches = 0;
  std::uint64_t images = 0;
  std::uint64_t bytes = 0;  // read
  std::uint64_t bad = 0;    // of those delivered: gray or dropped
  // Left out, as their images have kinds that are not decoded.
  std::uint64_t unsupported = 0;
  // Images whose entry points were found not to be theirs, each time: decoded
  // without. Any at all: the .sde was forged, or another program wrote it;
  // Verify() names the samples.
  std::uint64_t refused_entry_points = 0;
  // Share of the time that Next() waited: 0 to 1.
  double waiting_for_data = 0;
  std::vector<StageStats> stages;
  RemoteStats remote;  // of the whole process, see there
  // From the first batch on to the end of `seconds`, 241 at most: the longer
  // the loader runs, the further apart they are.
  std::vector<LoaderMoment> history;

  double images_per_second() const { return PerSecond(images); }
  double megabytes_per_second() const { return PerSecond(bytes) / 1e6; }
  // "decode is the bottleneck: its threads are busy 98 % of the time", or "the
  // consumer ..." where the loader waits for it.
  std::string Bottleneck() const;

 private:
  double PerSecond(std::uint64_t count) const {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  }
};

}  // namespace shardine

#endif  // SHARDINE_LOADER_STATS_H_
