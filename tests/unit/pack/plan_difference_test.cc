// The message of exit 7 on samples and options, compared with a second count
// over drawn sets of samples.
#include "pack/plan_difference.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/draws.h"

namespace shardine::plan_difference_test {
namespace {

using Catch::Contains;

struct Row {
  std::uint64_t id = 0;
  std::vector<Label> labels = {};
  std::uint64_t bytes = 0;
};
using Rows = std::map<std::pair<std::string, std::string>, Row>;

SourceSet SourceOf(const Rows& rows) {
  SourceSet source;
  source.splits = {"train", "val"};
  for (const auto& [name, row] : rows) {
    const std::uint32_t split = name.first == "val" ? 1 : 0;
    const std::size_t i =
        source.samples.Add(name.second, row.id, row.labels, split);
    source.samples.SetFacts(i, {.size = row.bytes});
  }
  return source;
}

std::string Describe(const Rows& before, const SourceSet& now,
                     bool sizes = true) {
  SampleDifference difference(now, sizes);
  for (const auto& [name, row] : before) {
    difference.Add({.split = name.first,
                    .key = name.second,
                    .id = row.id,
                    .labels = row.labels,
                    .bytes = row.bytes});
  }
  return difference.Finish();
}

Rows DrawRows(Draws& draws) {
  Rows rows;
  for (std::uint64_t i = 0, n = draws.Below(25); i < n; ++i) {
    Row row{.id = draws.Below(3), .bytes = draws.Below(2)};
    for (std::uint64_t k = draws.Below(3); k > 0; --k) {
      row.labels.push_back(Label(static_cast<std::int64_t>(draws.Below(2))));
    }
    rows[{draws.Coin() ? "train" : "val",
          std::string(1, static_cast<char>('a' + draws.Below(15)))}] = row;
  }
  return rows;
}

// The numbers of added, removed, resized, relabelled and renumbered samples.
std::vector<std::uint64_t> Count(const Rows& before, const Rows& now,
                                 bool sizes) {
  std::vector<std::uint64_t> counts(5);
  for (const auto& [name, row] : now)
    counts[0] += before.contains(name) ? 0 : 1;
  for (const auto& [name, row] : before) {
    const auto found = now.find(name);
    if (found == now.end()) {
      ++counts[1];
    } else if (sizes && row.bytes != found->second.bytes) {
      ++counts[2];
    } else if (row.labels != found->second.labels) {
      ++counts[3];
    } else if (row.id != found->second.id) {
      ++counts[4];
    }
  }
  return counts;
}

// The same read from the text.
std::vector<std::uint64_t> Read(const std::string& text) {
  std::vector<std::uint64_t> counts;
  for (const char* word : {"added (", "removed (", "of another size (",
                           "with other labels (", "with other ids ("}) {
    const std::size_t at = text.find(word);
    if (at == text.npos) {
      counts.push_back(0);
      continue;
    }
    std::string before = text.substr(0, at);
    for (const char* noun : {" samples ", " sample ", " "}) {
      if (before.ends_with(noun)) {
        before.resize(before.size() - std::string(noun).size());
        break;
      }
    }
    const std::size_t digits = before.find_last_not_of("0123456789") + 1;
    counts.push_back(std::stoull(before.substr(digits)));
  }
  return counts;
}

TEST_CASE("What differs between two sets of samples is counted in full",
          "[pack][difference]") {
  int different = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Draws draws(seed);
    const Rows before = DrawRows(draws);
    const Rows now = DrawRows(draws);
    const SourceSet source = SourceOf(now);
    for (const bool sizes : {true, false}) {
      const std::string text = Describe(before, source, sizes);
      INFO("seed " << seed << ": " << text);
      CHECK(Read(text) == Count(before, now, sizes));
      different += text.empty() ? 0 : 1;
    }
    CHECK(Describe(now, source).empty());
  }
  CHECK(different > 500);
}

TEST_CASE("Of each kind the first three samples are named, escaped",
          "[pack][difference]") {
  Rows now;
  for (const char* key : {"a", "b\n", "c", "d"}) now[{"train", key}] = {};
  CHECK(Describe({}, SourceOf(now)) ==
        "4 samples added (train a, train b\\x0A, train c, ...)");
  now.erase({"train", "d"});
  CHECK(Describe({}, SourceOf(now)) ==
        "3 samples added (train a, train b\\x0A, train c)");
  SourceSet one_split;
  one_split.splits = {"train"};
  CHECK(Describe(now, one_split) == "3 samples removed (a, b\\x0A, c)");
}

TEST_CASE("A sample that differs says what it was and what it is",
          "[pack][difference]") {
  const Rows before = {{{"train", "size"}, {.bytes = 120}},
                       {{"train", "label"}, {.labels = {Label(1), Label(2)}}},
                       {{"train", "none"}, {.labels = {}}},
                       {{"train", "id"}, {.id = 7}},
                       {{"val", "id"}, {.id = 7}}};
  Rows now = before;
  now[{"train", "size"}].bytes = 121;
  // The first of two differences is told, so that no sample counts twice.
  now[{"train", "size"}].id = 5;
  now[{"train", "label"}].labels = {Label::FromReal(0.5)};
  now[{"train", "none"}].labels = {Label(3)};
  now[{"train", "id"}].id = 8;
  CHECK(Describe(before, SourceOf(now)) ==
        "1 sample of another size (train size: 120 bytes, now 121), "
        "2 with other labels (train label: 1 ..., now 0.5, train none: none, "
        "now 3), 1 with other ids (train id: 7, now 8)");
}

TEST_CASE("A split's name and a key's are not run together",
          "[pack][difference]") {
  SourceSet now;
  now.splits = {"a", "ab"};
  now.samples.Add("bc", 0, {}, 0);
  const Rows before = {{{"ab", "c"}, {}}};
  CHECK(Describe(before, now) == "1 sample added (a bc), 1 removed (ab c)");
}

TEST_CASE("A sample that was rejected and is there still is not new",
          "[pack][difference]") {
  const Rows now = {{{"train", "bad"}, {}}, {{"val", "bad"}, {}}};
  const SourceSet source = SourceOf(now);
  SampleDifference difference(source, true);
  difference.AddRejected("train", "bad");
  difference.AddRejected("train", "gone");
  CHECK(difference.Finish() == "1 sample added (val bad)");
}

TEST_CASE("Options that differ are said with both values",
          "[pack][difference]") {
  const Provenance before{.command = "pack",
                          .sources = {"photos"},
                          .options = {{"seed", "7"}, {"no-shuffle", ""}}};
  CHECK(DescribeDifference(before, before).empty());
  Provenance now = before;
  now.options = {{"seed", "8"}, {"shards", "\x1B[2J"}};
  CHECK(DescribeDifference(before, now) ==
        "no-shuffle given, now not given; seed 7, now 8; "
        "shards not given, now \\x1B[2J");
  now = before;
  now.sources = {"photos", "a\nb"};
  CHECK(DescribeDifference(before, now) == "source photos, now photos a\\x0Ab");
  // Options of another command mean nothing.
  now = before;
  now.command = "convert";
  now.options = {};
  CHECK(DescribeDifference(before, now) == "command pack, now convert");
}

}  // namespace
}  // namespace shardine::plan_difference_test
