#include "source/split.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/permutation.h"
#include "source/class_numbers.h"
#include "unit/source/source_fixture.h"

namespace shardine::split_test {
namespace {

// `counts[c]` samples of class c, class by class.
SourceSet ClassesOfSize(const std::vector<std::size_t>& counts) {
  SourceSet set;
  set.splits = {"train"};
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const Label label(static_cast<std::int64_t>(c));
    set.classes.push_back({"c" + std::to_string(c), label.integer()});
    for (std::size_t i = 0; i < counts[c]; ++i) {
      set.samples.Add(std::to_string(c) + "/" + std::to_string(i),
                      set.samples.size(), std::span(&label, 1), 0);
    }
  }
  return set;
}

std::map<std::string, std::size_t> SplitSizes(const SourceSet& set) {
  std::map<std::string, std::size_t> sizes;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    ++sizes[set.splits[set.samples.split(i)]];
  }
  return sizes;
}

std::set<std::string> KeysIn(const SourceSet& set, const std::string& split) {
  std::set<std::string> keys;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.splits[set.samples.split(i)] == split) {
      keys.emplace(set.samples.key(i));
    }
  }
  return keys;
}

Strings SplitText(const SourceSet& set) {
  Strings rows;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    rows.push_back(set.splits[set.samples.split(i)]);
  }
  return rows;
}

TEST_CASE("ApplyHoldOut takes exactly K of each class into val", "[split]") {
  SourceSet set = ClassesOfSize({5, 40, 4});
  REQUIRE(ApplyHoldOut(3, 7, set).ok());
  CHECK(set.splits == Strings{"train", "val"});
  std::map<std::int64_t, int> held;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    if (set.samples.split(i) == 1) ++held[*set.samples.class_label(i)];
  }
  CHECK(held == std::map<std::int64_t, int>{{0, 3}, {1, 3}, {2, 3}});
}

TEST_CASE("ApplyHoldOut takes the places that its permutation names",
          "[split]") {
  SourceSet set = ClassesOfSize({5, 40});
  REQUIRE(ApplyHoldOut(2, 11, set).ok());
  std::set<std::string> expected;
  for (const std::uint64_t c : {0u, 1u}) {
    const Permutation order(c == 0 ? 5 : 40, 11, "hold-out", c);
    for (const std::uint64_t p : {0u, 1u}) {
      expected.insert(std::to_string(c) + "/" + std::to_string(order(p)));
    }
  }
  CHECK(KeysIn(set, "val") == expected);
  SourceSet other = ClassesOfSize({5, 40});
  REQUIRE(ApplyHoldOut(2, 12, other).ok());
  CHECK(KeysIn(other, "val") != expected);
}

TEST_CASE("ApplyHoldOut refuses to leave a class without samples", "[split]") {
  SourceSet set = ClassesOfSize({5, 3});
  const Status status = ApplyHoldOut(3, 0, set);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("class c1 has 3 samples") == 0);
}

TEST_CASE("ApplyHoldOut needs a train, no val and one label each", "[split]") {
  SourceSet set = ClassesOfSize({5});
  set.splits = {"train", "val"};
  CHECK(ApplyHoldOut(1, 0, set).code() == Code::kInvalidArgument);
  set.splits = {"test"};
  CHECK(ApplyHoldOut(1, 0, set).code() == Code::kInvalidArgument);
  set.splits = {"train"};
  set.samples.SetLabel(3, Label::FromReal(0.5));
  CHECK(ApplyHoldOut(1, 0, set).where().key == "0/3");
}

TEST_CASE("ApplyHoldOut leaves other splits alone", "[split]") {
  SourceSet set = ClassesOfSize({6});
  set.splits = {"train", "test"};
  set.samples.Add("unlabelled", 6, {}, 1);
  REQUIRE(ApplyHoldOut(2, 0, set).ok());
  CHECK(SplitSizes(set) == std::map<std::string, std::size_t>{
                               {"test", 1}, {"train", 4}, {"val", 2}});
}

TEST_CASE("ApplySplitShares gives floor counts and the rest to the first",
          "[split]") {
  struct Case {
    std::size_t n;
    std::vector<double> shares;
    std::vector<std::size_t> counts;
  };
  const Case cases[] = {
      {10, {0.9, 0.1}, {9, 1}},
      {19, {0.9, 0.1}, {18, 1}},
      {100, {0.71, 0.29}, {71, 29}},
      {100, {0.29, 0.71}, {29, 71}},
      {7, {0.25, 0.25, 0.5}, {3, 1, 3}},
      {5, {1}, {5}},
      {1000, {0.333333333, 0.333333333, 0.333333334}, {334, 333, 333}}};
  for (const Case& c : cases) {
    SourceSet set = ClassesOfSize({c.n});
    std::vector<SourceOptions::SplitShare> shares;
    std::map<std::string, std::size_t> expected;
    for (std::size_t s = 0; s < c.shares.size(); ++s) {
      shares.push_back({"s" + std::to_string(s), c.shares[s]});
      expected["s" + std::to_string(s)] = c.counts[s];
    }
    INFO(c.n);
    REQUIRE(ApplySplitShares(shares, 1, set).ok());
    CHECK(SplitSizes(set) == expected);
  }
}

TEST_CASE("ApplySplitShares deals out its permutation in order", "[split]") {
  SourceSet set = ClassesOfSize({20});
  REQUIRE(ApplySplitShares({{"train", 0.75}, {"val", 0.25}}, 3, set).ok());
  const Permutation order(20, 3, "split");
  std::set<std::string> expected;
  for (std::uint64_t p = 15; p < 20; ++p) {
    expected.insert("0/" + std::to_string(order(p)));
  }
  CHECK(KeysIn(set, "val") == expected);
  SourceSet other = ClassesOfSize({20});
  REQUIRE(ApplySplitShares({{"train", 0.75}, {"val", 0.25}}, 4, other).ok());
  CHECK(SplitText(other) != SplitText(set));
}

TEST_CASE("ApplySplitShares refuses empty splits and several sources",
          "[split]") {
  SourceSet set = ClassesOfSize({5});
  const Status empty = ApplySplitShares({{"train", 0.9}, {"val", 0.1}}, 0, set);
  CHECK(empty.code() == Code::kInvalidArgument);
  CHECK(empty.message() == "split val of 5 samples would be empty");
  SourceSet two = ClassesOfSize({5});
  two.splits = {"train", "val"};
  CHECK(ApplySplitShares({{"a", 1}}, 0, two).code() == Code::kInvalidArgument);
}

TEST_CASE("ApplyMinPerClass removes small classes and renumbers densely",
          "[split]") {
  SourceSet set = ClassesOfSize({3, 0, 1, 2, 4});
  REQUIRE(ApplyMinPerClass(2, set).ok());
  REQUIRE(CountClasses(set.samples, set.classes).ok());
  CHECK(ClassesOf(set) == Strings{"0 c0 x3", "1 c3 x2", "2 c4 x4"});
  CHECK(KeysOf(set) ==
        Strings{"0/0", "0/1", "0/2", "3/0", "3/1", "4/0", "4/1", "4/2", "4/3"});
  CHECK(set.samples.id(3) == 4);  // ids stay
  CHECK(ProblemsOf(set.ignored) ==
        Strings{"below-min-per-class c1", "below-min-per-class c2"});
}

// semantics review 16.
TEST_CASE("ApplyMinPerClass counts each split that has labels", "[split]") {
  SourceSet set = ClassesOfSize({6, 6, 6});
  set.splits = {"train", "val", "test"};
  const auto move = [&set](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      set.samples.SetSplit(i, 1);
    }
  };
  move(0, 5);  // one of class 0 is left in train
  move(6, 3);
  // Class 2 is in train alone.
  set.samples.Add("unlabelled", 99, {}, 2);
  REQUIRE(ApplyMinPerClass(2, set).ok());
  CHECK(ProblemsOf(set.ignored) == Strings{"below-min-per-class c0"});
  CHECK(set.samples.size() == 13);
}

TEST_CASE("ApplyMinPerClass groups by label where there are no names",
          "[split]") {
  SourceSet set = ClassesOfSize({1, 2});
  set.classes.clear();
  set.samples.Add("unlabelled", 3, {}, 0);
  REQUIRE(ApplyMinPerClass(2, set).ok());
  CHECK(RowsOf(set) ==
        Strings{"train/1 1/0 =0", "train/2 1/1 =0", "train/3 unlabelled"});
  CHECK(ProblemsOf(set.ignored) == Strings{"below-min-per-class label 0"});
  const std::vector<Label> two = {Label(1), Label(2)};
  set.samples.Add("two", 4, two, 0);
  CHECK(ApplyMinPerClass(2, set).where().key == "two");
}

}  // namespace
}  // namespace shardine::split_test
