#include "source/group_cut.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "source/class_form_check.h"
#include "support/draws.h"
#include "unit/source/source_fixture.h"

namespace shardine::group_cut_test {
namespace {

using Shares = std::vector<SourceOptions::SplitShare>;

const Shares kThree = {{"train", 0.8}, {"val", 0.1}, {"test", 0.1}};

struct Sample {
  std::uint64_t group = 0;
  std::int64_t label = 0;
};

SourceSet SetOf(const std::vector<Sample>& samples) {
  SourceSet set;
  set.splits = {"all"};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Label label(samples[i].label);
    set.samples.Add(
        "g" + std::to_string(samples[i].group) + "/" + std::to_string(i), i,
        std::span(&label, 1), 0);
  }
  return set;
}

// Groups of different sizes, each of a class or two.
std::vector<Sample> DrawSamples(std::uint32_t seed, std::uint64_t groups,
                                std::uint64_t classes) {
  Draws draws(seed);
  std::vector<Sample> samples;
  for (std::uint64_t group = 0; group < groups; ++group) {
    const std::uint64_t label = draws.Below(classes);
    const std::uint64_t size = 1 + draws.Below(1 + draws.Below(60));
    for (std::uint64_t i = 0; i < size; ++i) {
      samples.push_back(
          {group, static_cast<std::int64_t>(
                      draws.Below(4) == 0 ? draws.Below(classes) : label)});
    }
  }
  return samples;
}

SplitCut CutOf(bool stratify, SmallClasses small = SmallClasses::kTrain,
               Shares shares = kThree) {
  return {.shares = std::move(shares),
          .rule = {.stratify = stratify,
                   .small_classes = small,
                   .group_by = "folder:1"}};
}

std::string FolderOf(std::string_view key) {
  return std::string(key.substr(0, key.find('/')));
}

// The splits of each group.
std::map<std::string, std::set<std::uint32_t>> SplitsByGroup(
    const SourceSet& set) {
  std::map<std::string, std::set<std::uint32_t>> splits;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    splits[FolderOf(set.samples.key(i))].insert(set.samples.split(i));
  }
  return splits;
}

std::vector<std::size_t> SizesOf(const SourceSet& set) {
  std::vector<std::size_t> sizes(set.splits.size());
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    ++sizes[set.samples.split(i)];
  }
  return sizes;
}

TEST_CASE("A group is never cut, and splits are off by less than one",
          "[group]") {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const std::vector<Sample> samples =
        DrawSamples(seed, 30 + 7 * seed, 1 + seed % 20);
    std::map<std::uint64_t, std::size_t> groups;
    for (const Sample& sample : samples) ++groups[sample.group];
    std::size_t largest = 0;
    for (const auto& [group, size] : groups) largest = std::max(largest, size);
    for (const bool stratify : {false, true}) {
      INFO("seed " << seed << ", stratify " << stratify);
      SourceSet set = SetOf(samples);
      REQUIRE(ApplyGroups(CutOf(stratify), {}, set).ok());
      for (const auto& [group, splits] : SplitsByGroup(set)) {
        if (splits.size() != 1) FAIL(group);
      }
      const std::vector<std::size_t> sizes = SizesOf(set);
      for (std::size_t s = 0; s < kThree.size(); ++s) {
        const double over =
            static_cast<double>(sizes[s]) -
            kThree[s].share * static_cast<double>(samples.size());
        CHECK(sizes[s] > 0);
        if (!stratify) CHECK(over < static_cast<double>(largest));
      }
    }
  }
}

TEST_CASE("Splits of groups do not depend on the order of samples", "[group]") {
  std::vector<Sample> samples = DrawSamples(5, 90, 7);
  for (const bool stratify : {false, true}) {
    SourceSet set = SetOf(samples);
    REQUIRE(ApplyGroups(CutOf(stratify), {}, set).ok());
    std::vector<Sample> other = samples;
    std::ranges::reverse(other);
    SourceSet reversed = SetOf(other);
    REQUIRE(ApplyGroups(CutOf(stratify), {}, reversed).ok());
    CHECK(SplitsByGroup(set) == SplitsByGroup(reversed));
  }
}

TEST_CASE("The seed decides between groups of one size", "[group]") {
  std::vector<Sample> samples;
  for (std::uint64_t i = 0; i < 200; ++i) samples.push_back({i / 5, 0});
  std::set<std::map<std::string, std::set<std::uint32_t>>> seen;
  for (const std::uint64_t seed : {1u, 1u, 2u, 3u}) {
    SourceSet set = SetOf(samples);
    SplitCut cut = CutOf(false);
    cut.seed = seed;
    REQUIRE(ApplyGroups(cut, {}, set).ok());
    CHECK(SizesOf(set) == std::vector<std::size_t>{160, 20, 20});
    CHECK(set.notes ==
          Strings{"groups: 40, each in one split; train has 0.8 of the samples "
                  "(asked for: 0.8), val 0.1 (0.1), test 0.1 (0.1)"});
    seen.insert(SplitsByGroup(set));
  }
  CHECK(seen.size() == 3);
}

TEST_CASE("Each class of groups has its shares as well", "[group]") {
  std::vector<Sample> samples;
  // 20 groups of each of 5 classes, which have their shares exactly.
  for (std::uint64_t i = 0; i < 500; ++i) {
    samples.push_back({i / 5, static_cast<std::int64_t>(i / 5 % 5)});
  }
  SourceSet set = SetOf(samples);
  REQUIRE(ApplyGroups(CutOf(true, SmallClasses::kRefuse), {}, set).ok());
  std::map<std::pair<std::int64_t, std::uint32_t>, int> counts;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    ++counts[{*set.samples.class_label(i), set.samples.split(i)}];
  }
  for (const auto& [place, count] : counts) {
    CHECK(count == (place.second == 0 ? 80 : 10));
  }
  CHECK(counts.size() == 15);
  CHECK(
      set.notes.front().ends_with("; shares of a class are off by at most 0"));
}

TEST_CASE("A class in as many groups as splits is in all of them", "[group]") {
  std::vector<Sample> samples = DrawSamples(3, 200, 2);
  for (std::uint64_t group = 1000; group < 1003; ++group) {
    samples.push_back({group, 2});
  }
  SourceSet set = SetOf(samples);
  REQUIRE(ApplyGroups(CutOf(true, SmallClasses::kRefuse), {}, set).ok());
  CHECK(NoteOfRandomSplits(set).empty());
  std::set<std::set<std::uint32_t>> of_rare;
  for (const std::string group : {"g1000", "g1001", "g1002"}) {
    of_rare.insert(SplitsByGroup(set)[group]);
  }
  CHECK(of_rare.size() == 3);
}

TEST_CASE("A class in fewer groups is refused, or they stay in train",
          "[group]") {
  std::vector<Sample> samples = DrawSamples(3, 200, 2);
  samples.push_back({1000, 2});
  samples.push_back({1001, 2});
  samples.push_back({1001, 0});
  SourceSet set = SetOf(samples);
  const Status status =
      ApplyGroups(CutOf(true, SmallClasses::kRefuse), {}, set);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().starts_with("class label 2 is too small for split "));
  CHECK(status.message().ends_with(": 2 groups have it"));
  set = SetOf(samples);
  REQUIRE(ApplyGroups(CutOf(true), {}, set).ok());
  auto splits = SplitsByGroup(set);
  CHECK(splits["g1000"] == std::set<std::uint32_t>{0});
  CHECK(splits["g1001"] == std::set<std::uint32_t>{0});
}

TEST_CASE("Groups that share an image are one", "[group]") {
  for (std::uint32_t seed = 0; seed < 16; ++seed) {
    const std::vector<Sample> samples = DrawSamples(seed, 90, 3);
    Draws draws(seed);
    std::vector<Likeness> copies;
    for (std::uint64_t n = 0; n < 40; ++n) {
      copies.push_back({{.low = n / 2}, draws.Below(samples.size())});
    }
    for (const bool by_rule : {false, true}) {
      SourceSet set = SetOf(samples);
      SplitCut cut = CutOf(seed % 2 == 0);
      cut.rule.dedup_groups = true;
      if (!by_rule) cut.rule.group_by.clear();
      REQUIRE(ApplyGroups(cut, copies, set).ok());
      for (std::size_t i = 0; i < copies.size(); i += 2) {
        CHECK(set.samples.split(copies[i].sample) ==
              set.samples.split(copies[i + 1].sample));
      }
      for (const auto& [group, splits] : SplitsByGroup(set)) {
        if (by_rule && splits.size() != 1) FAIL(group);
      }
      CHECK(
          set.notes.back().ends_with("; 40 samples have the image of another"));
    }
  }
}

TEST_CASE("Keys without a group and too few groups are refused", "[group]") {
  SourceSet set = SetOf({{1, 0}, {2, 0}, {3, 0}});
  set.samples.Add("loose", 7, {}, 0);
  const Status loose = ApplyGroups(CutOf(false), {}, set);
  CHECK(loose.code() == Code::kInvalidArgument);
  CHECK(loose.message() == "1 key has no group, this one first");
  CHECK(loose.where().key == "loose");
  set = SetOf({{1, 0}, {1, 0}, {1, 0}, {2, 0}});
  CHECK(
      ApplyGroups(CutOf(false), {}, set).message().ends_with("would be empty"));
  set = SetOf({{1, 0}});
  set.splits = {"train", "val"};
  CHECK_FALSE(ApplyGroups(CutOf(false), {}, set).ok());
}

}  // namespace
}  // namespace shardine::group_cut_test
