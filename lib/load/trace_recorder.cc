#include "load/trace_recorder.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "shardine/escape.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

double Microseconds(StageClock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

// Microseconds; a track of its own for each that is under way at a time.
void AddTry(const RemoteTry& made, std::size_t number,
            StageClock::time_point start, Json& events) {
  Json event = {{"ph", "b"},
                {"cat", "request"},
                {"pid", 1},
                {"tid", 0},
                {"id", number},
                {"name", made.is_second ? "second request" : "request"},
                {"ts", Microseconds(made.begin - start)},
                {"args",
                 {{"path", EscapeBytes(made.path)},
                  {"first", made.first},
                  {"bytes", made.bytes},
                  {"received", made.received},
                  {"status", made.status},
                  {"first_byte", made.first_byte * 1e6}}}};
  events.push_back(event);
  event["ph"] = "e";
  event["ts"] = Microseconds(made.end - start);
  event.erase("args");
  events.push_back(std::move(event));
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

std::string TraceRecorder::ToJson(std::span<const RemoteTry> tries) const {
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
  for (std::size_t i = 0; i < tries.size(); ++i) {
    if (tries[i].begin >= start_) AddTry(tries[i], i, start_, events);
  }
  return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}
             .dump() +
         "\n";
}

}  // namespace shardine
