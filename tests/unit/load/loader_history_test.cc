#include "load/loader_history.h"

#include <catch2/catch.hpp>
#include <vector>

namespace shardine::loader_history_test {
namespace {

TEST_CASE("LoaderHistory keeps few moments however long a loader runs",
          "[load][plot]") {
  LoaderHistory history;
  CHECK(history.moments().empty());
  CHECK(history.IsDue(0));
  std::size_t added = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double seconds = i * 0.01;
    if (!history.IsDue(seconds)) continue;
    ++added;
    history.Add({.seconds = seconds, .images = static_cast<std::uint64_t>(i)});
    REQUIRE(history.moments().size() < LoaderHistory::kMost);
  }
  CHECK(added < 3000);
  const std::vector<LoaderMoment> moments = history.moments();
  CHECK(moments.size() >= LoaderHistory::kMost / 2);
  CHECK(moments.front().seconds < 200);
  CHECK(moments.back().seconds > 9800);
  for (std::size_t i = 1; i < moments.size(); ++i) {
    CHECK(moments[i].seconds > moments[i - 1].seconds);
    CHECK(moments[i].images > moments[i - 1].images);
  }
}

TEST_CASE("LoaderHistory takes a moment in each interval alone",
          "[load][plot]") {
  LoaderHistory history;
  history.Add({.seconds = 1});
  CHECK_FALSE(history.IsDue(1));
  CHECK_FALSE(history.IsDue(1.03));
  CHECK(history.IsDue(1.04));
}

}  // namespace
}  // namespace shardine::loader_history_test
