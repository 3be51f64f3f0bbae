#include "shardine/phase_schedule.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace shardine::phase_schedule_test {
namespace {

PhaseSchedule Parsed(const std::string& text) {
  auto schedule = ParsePhaseSchedule(text);
  INFO(schedule.status().ToString());
  REQUIRE(schedule.ok());
  return *std::move(schedule);
}

// The schedule of eight machines, whose phases leave out settings that stay.
constexpr char kEight[] = R"([
  {"ep":0, "sz":128, "bs":128, "trndir":"-sz/160"},
  {"ep":[0,6], "lr":[1.88,3.76]},
  {"ep":6, "bs":256, "keep_dl":true, "lr":3.76},
  {"ep":14, "sz":224, "bs":128, "trndir":"-sz/352", "min_scale":0.087,
   "lr":1.88},
  {"ep":17, "bs":224, "keep_dl":true},
  {"ep":29, "sz":288, "bs":128, "min_scale":0.5, "rect_val":true,
   "valdir":"-val"},
  {"ep":[29,35], "lr":[0.02,0.002], "epoch_step":1}])";

TEST_CASE("ParsePhaseSchedule reads imagenet18's phases and rates",
          "[phases]") {
  const PhaseSchedule schedule = Parsed(kEight);
  const std::vector<ScheduledPhase> expected = {
      {0, 128, 128, "-sz/160", "-sz/160", 0.08, false, false},
      {6, 128, 256, "-sz/160", "-sz/160", 0.08, false, true},
      {14, 224, 128, "-sz/352", "-sz/352", 0.087, false, false},
      {17, 224, 224, "-sz/352", "-sz/352", 0.087, false, true},
      {29, 288, 128, "", "-val", 0.5, true, false}};
  CHECK(schedule.phases == expected);
  const std::vector<ScheduledRate> rates = {{0, 6, 1.88, 3.76},
                                            {6, std::nullopt, 3.76, {}},
                                            {14, std::nullopt, 1.88, {}},
                                            {29, 35, 0.02, 0.002}};
  CHECK(schedule.rates == rates);
}

TEST_CASE("ParsePhaseSchedule says which entry is wrong, and how", "[phases]") {
  const std::string first = R"([{"ep":0,"sz":8,"bs":4},)";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "no list"},
      {"{}", "no list"},
      {"[", "no list"},
      {"[]", "no entry has bs"},
      {"[1]", "entry 0: no entry with members"},
      {R"([{"ep":0}])", "entry 0: has neither bs nor lr"},
      {R"([{"ep":1,"sz":8,"bs":4}])", "not of epoch 0"},
      {R"([{"sz":8,"bs":4}])", "entry 0: ep is missing"},
      {R"([{"ep":0,"bs":4}])", "entry 0: sz is missing"},
      {R"([{"ep":0,"sz":8,"bs":4,"keep_dl":true}])", "has to come before"},
      {first + R"({"ep":0,"sz":8,"bs":4}])", "do not ascend"},
      {first + R"({"ep":1,"sz":8,"bs":0}])", "entry 1: bs is not an integer"},
      {first + R"({"ep":1,"sz":-8,"bs":4}])", "entry 1: sz is not an integer"},
      {first + R"({"ep":1.5,"sz":8,"bs":4}])", "entry 1: ep is not an"},
      {first + R"({"ep":[1,2],"sz":8,"bs":4}])", "entry 1: ep is not an"},
      {first + R"({"ep":1,"sz":8,"bs":4,"trndr":""}])",
       "\"trndr\" is none of its members (did you mean trndir?)"},
      {first + R"({"ep":1,"sz":8,"bs":4,"trndir":1}])", "trndir is no text"},
      {first + R"({"ep":1,"sz":8,"bs":4,"rect_val":1}])", "rect_val is"},
      {first + R"({"ep":1,"sz":8,"bs":4,"min_scale":0}])", "min_scale is not"},
      {first + R"({"ep":1,"sz":8,"bs":4,"min_scale":"x"}])", "no number"},
      {first + R"({"ep":1,"sz":9,"bs":4,"keep_dl":true}])", "only bs may"},
      {first + R"({"lr":1}])", "entry 1: ep is missing"},
      {first + R"({"ep":0,"lr":[1,2]}])", "ep is the first and the last"},
      {first + R"({"ep":0,"lr":[1,2,3]}])", "lr is neither a number nor two"},
      {first + R"({"ep":"0","lr":1}])", "ep is neither a number nor two"},
      {first + R"({"ep":[5,1],"lr":[1,2]}])", "ep does not ascend"},
      {first + R"({"ep":[5,5],"lr":[1,2]}])", "ep does not ascend"},
      {first + R"({"ep":-1,"lr":1}])", "ep does not ascend"},
      {std::string(std::size_t{1} << 21, ' '), "1 MiB"}};
  for (const auto& [text, words] : cases) {
    INFO(text.substr(0, 200));
    const Status status = ParsePhaseSchedule(text).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK_THAT(status.message(), Catch::Contains(words));
  }
}

TEST_CASE("ParsePhaseSchedule survives any cut of a schedule", "[phases]") {
  const std::string text = kEight;
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    CHECK_FALSE(ParsePhaseSchedule(text.substr(0, size)).ok());
  }
}

}  // namespace
}  // namespace shardine::phase_schedule_test
