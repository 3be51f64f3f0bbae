#include "load/trace_recorder.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace shardine {
namespace {

using Json = nlohmann::json;

double Microseconds(StageClock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

}  // namespace

TraceRecorder::Lane TraceRecorder::LaneOf(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(lanes_, name);
  if (found == lanes_.end()) {
    lanes_.push_back(name);
    return static_cast<Lane>(lanes_.size() - 1);
  }
  return static_cast<Lane>(found - lanes_.begin());
}

void TraceRecorder::Add(Lane lane, const char* what,
                        StageClock::time_point begin,
                        StageClock::time_point end, std::uint64_t item) {
  if (!recording()) return;
  const Event event{lane, what, begin, end, item};
  const std::lock_guard lock(mutex_);
  if (events_.size() < capacity_) {
    events_.push_back(event);
    return;
  }
  events_[oldest_] = event;
  oldest_ = (oldest_ + 1) % capacity_;
}

std::string TraceRecorder::ToJson() const {
  const std::lock_guard lock(mutex_);
  Json events = Json::array();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", 1},
                      {"tid", lane},
                      {"args", {{"name", lanes_[lane]}}}});
  }
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event& event = events_[(oldest_ + i) % events_.size()];
    events.push_back({{"ph", "X"},
                      {"name", event.what},
                      {"pid", 1},
                      {"tid", event.lane},
                      {"ts", Microseconds(event.begin - start_)},
                      {"dur", Microseconds(event.end - event.begin)},
                      {"args", {{"item", event.item}}}});
  }
  return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}
             .dump() +
         "\n";
}

}  // namespace shardine
