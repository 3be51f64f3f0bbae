#include "load/trace_recorder.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace shardine::trace_recorder_test {
namespace {

using Json = nlohmann::json;
using std::chrono::microseconds;

// The events that took time, as "lane event item".
std::vector<std::string> EventsOf(const TraceRecorder& trace) {
  std::vector<std::string> events;
  const Json json = Json::parse(trace.ToJson());
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] != "X") continue;
    events.push_back(event["tid"].dump() + " " +
                     event["name"].get<std::string>() + " " +
                     event["args"]["item"].dump());
  }
  return events;
}

TEST_CASE("a trace has what was done, by whom and for how long") {
  const auto now = StageClock::now();
  TraceRecorder trace(10);
  const auto reader = trace.LaneOf("reader");
  const auto decoder = trace.LaneOf("decoder");
  CHECK(trace.LaneOf("reader") == reader);
  trace.Add(reader, "read", now + microseconds(1000), now + microseconds(1250),
            7);
  trace.Add(decoder, "decode", now + microseconds(2000),
            now + microseconds(5000), 8);
  const Json json = Json::parse(trace.ToJson());
  const Json& events = json["traceEvents"];
  REQUIRE(events.size() == 4);
  CHECK(events[0]["ph"] == "M");
  CHECK(events[0]["args"]["name"] == "reader");
  CHECK(events[1]["args"]["name"] == "decoder");
  CHECK(events[2]["dur"].get<double>() == Approx(250));
  CHECK(events[3]["ts"].get<double>() - events[2]["ts"].get<double>() ==
        Approx(1000));
  CHECK(EventsOf(trace) == std::vector<std::string>{"0 read 7", "1 decode 8"});
}

TEST_CASE("a trace that is full keeps the latest events") {
  TraceRecorder trace(3);
  const auto lane = trace.LaneOf("reader");
  for (std::uint64_t i = 0; i < 8; ++i) {
    trace.Add(lane, "read", StageClock::now(), StageClock::now(), i);
  }
  CHECK(EventsOf(trace) ==
        std::vector<std::string>{"0 read 5", "0 read 6", "0 read 7"});
}

TEST_CASE("a trace without room keeps nothing") {
  TraceRecorder trace(0);
  CHECK_FALSE(trace.recording());
  trace.Add(trace.LaneOf("reader"), "read", StageClock::now(),
            StageClock::now(), 1);
  CHECK(EventsOf(trace).empty());
}

TEST_CASE("threads record at once") {
  TraceRecorder trace(400);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&trace, i] {
        const auto lane = trace.LaneOf("thread " + std::to_string(i));
        for (std::uint64_t n = 0; n < 100; ++n) {
          trace.Add(lane, "work", StageClock::now(), StageClock::now(), n);
        }
      });
    }
  }
  CHECK(EventsOf(trace).size() == 400);
}

}  // namespace
}  // namespace shardine::trace_recorder_test
