#include "shardine/loader_stats.h"

#include <algorithm>
#include <cmath>

namespace shardine {
namespace {

// The share of its time that a stage was at work.
double Load(const StageStats& stage) {
  const double all =
      stage.busy + stage.waiting_for_input + stage.waiting_for_output;
  return all > 0 ? stage.busy / all : 0;
}

std::string Percent(double share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

}  // namespace

std::string LoaderStats::Bottleneck() const {
  if (stages.empty() || seconds <= 0) return "nothing was read yet";
  const StageStats& slowest = *std::ranges::max_element(
      stages, {}, [](const StageStats& stage) { return Load(stage); });
  if (&slowest == &stages.back()) {
    return "the consumer is the bottleneck: it waited for data " +
           Percent(waiting_for_data) + " of the time";
  }
  return slowest.name + " is the bottleneck: its threads are busy " +
         Percent(Load(slowest)) + " of the time, the consumer waited " +
         Percent(waiting_for_data);
}

}  // namespace shardine
