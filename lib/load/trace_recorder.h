// TraceRecorder: the timed work of a pipeline's threads, to be looked at in a
// viewer of Chrome's trace events (Perfetto, chrome://tracing).
#ifndef SHARDINE_LOAD_TRACE_RECORDER_H_
#define SHARDINE_LOAD_TRACE_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/stage_meter.h"
#include "shardine/remote_stats.h"

namespace shardine {

// The first bytes of each trace, by which a file is known for one.
inline constexpr std::string_view kTraceBeginning = "{\"displayTimeUnit\":";

// Thread-safe. Keeps the latest events; without room for any it costs one
// comparison each.
class TraceRecorder {
 public:
  // A row of the viewer: a thread, or one after another of the same work.
  using Lane = std::uint32_t;

  explicit TraceRecorder(std::size_t capacity) : capacity_(capacity) {}

  bool recording() const { return capacity_ > 0; }
  // The lane of the name: "decoder 1".
  Lane LaneOf(const std::string& name);
  // `what` must stay valid: "decode". `item`: the number of the sample or of
  // whatever else it was done to.
  void Add(Lane lane, const char* what, StageClock::time_point begin,
           StageClock::time_point end, std::uint64_t item);

  // {"traceEvents": [...]}: complete events ("X") in microseconds since the
  // recorder was made, ordered by their end, and the names of the lanes; then
  // the requests to servers since ("b" and "e", which may overlap).
  // https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
  std::string ToJson(std::span<const RemoteTry> tries = {}) const;

 private:
  struct Event {
    Lane lane = 0;
    const char* what = nullptr;
    StageClock::time_point begin;
    StageClock::time_point end;
    std::uint64_t item = 0;
  };

  const std::size_t capacity_;
  const StageClock::time_point start_ = StageClock::now();
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::string> lanes_;
  std::vector<Event> events_;  // a ring once it is full
  std::size_t oldest_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_TRACE_RECORDER_H_
