#include "source/strata_cut.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "source/class_form_check.h"
#include "support/draws.h"
#include "unit/source/source_fixture.h"

namespace shardine::strata_cut_test {
namespace {

using Shares = std::vector<SourceOptions::SplitShare>;

// `counts[c]` samples of class c; those of all classes mixed.
SourceSet ClassesOf(std::vector<std::size_t> counts) {
  SourceSet set;
  set.splits = {"train"};
  for (std::size_t c = 0; c < counts.size(); ++c) {
    set.classes.push_back(
        {"c" + std::to_string(c), static_cast<std::int64_t>(c)});
  }
  for (bool more = true; more;) {
    more = false;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      if (counts[c] == 0) continue;
      const Label label(static_cast<std::int64_t>(c));
      set.samples.Add(std::to_string(c) + "/" + std::to_string(counts[c]--),
                      set.samples.size(), std::span(&label, 1), 0);
      more = true;
    }
  }
  return set;
}

using Counts = std::map<std::int64_t, std::vector<std::size_t>>;

Counts CountsOf(const SourceSet& set) {
  Counts counts;
  for (std::size_t i = 0; i < set.samples.size(); ++i) {
    auto& of_class = counts[*set.samples.class_label(i)];
    of_class.resize(set.splits.size());
    ++of_class[set.samples.split(i)];
  }
  return counts;
}

Shares DrawShares(Draws& draws, std::size_t splits) {
  std::vector<std::uint64_t> parts;
  std::uint64_t sum = 0;
  for (std::size_t s = 0; s < splits; ++s) {
    parts.push_back(1 + draws.Below(20));
    sum += parts.back();
  }
  Shares shares;
  for (std::size_t s = 0; s < splits; ++s) {
    shares.push_back({"s" + std::to_string(s), static_cast<double>(parts[s]) /
                                                   static_cast<double>(sum)});
  }
  return shares;
}

SplitCut CutOf(Shares shares, SmallClasses small = SmallClasses::kRefuse) {
  return {.shares = std::move(shares),
          .rule = {.stratify = true, .small_classes = small, .group_by = {}}};
}

TEST_CASE("Each class has its shares, off by at most one", "[strata]") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Draws draws(seed);
    const Shares shares = DrawShares(draws, 2 + draws.Below(4));
    std::vector<std::size_t> sizes;
    for (std::size_t c = 0; c < 1 + draws.Below(30); ++c) {
      sizes.push_back(200 + draws.Below(300));
    }
    SourceSet set = ClassesOf(sizes);
    INFO("seed " << seed);
    REQUIRE(ApplyStrata(CutOf(shares), set).ok());
    std::vector<double> off(shares.size());
    for (const auto& [label, counts] : CountsOf(set)) {
      const auto n =
          static_cast<double>(sizes[static_cast<std::size_t>(label)]);
      for (std::size_t s = 0; s < shares.size(); ++s) {
        const double over =
            static_cast<double>(counts[s]) - n * shares[s].share;
        off[s] += over;
        if (std::abs(over) > 1 + 1e-6 || counts[s] == 0) {
          FAIL("class " << label << ", split " << s << ": " << over);
        }
      }
    }
    // All classes together are no further off than a class or two.
    for (const double over : off) CHECK(std::abs(over) < 2);
  }
}

TEST_CASE("A class that is too small is refused or stays in train",
          "[strata]") {
  const Shares shares = {{"test", 0.1}, {"train", 0.9}};
  SourceSet set = ClassesOf({100, 1, 20, 1});
  const Status status = ApplyStrata(CutOf(shares), set);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message() ==
        "class c1 is too small for split test: 1 sample; so is 1 more");
  set = ClassesOf({100, 1, 20, 1});
  REQUIRE(ApplyStrata(CutOf(shares, SmallClasses::kTrain), set).ok());
  CHECK(CountsOf(set) ==
        Counts{{0, {10, 90}}, {1, {0, 1}}, {2, {2, 18}}, {3, {0, 1}}});
  CHECK(NoteOfRandomSplits(set) == "classes: test lacks 2 of 4, such as c1");
  set = ClassesOf({1});
  CHECK(ApplyStrata(CutOf(shares, SmallClasses::kTrain), set).message() ==
        "split test of 1 samples would be empty");
}

TEST_CASE("A class of its own size for each split gives one to each",
          "[strata]") {
  const Shares shares = {{"train", 0.8}, {"val", 0.1}, {"test", 0.1}};
  for (const std::size_t n : {10u, 11u, 12u, 19u, 20u}) {
    SourceSet set = ClassesOf({n});
    REQUIRE(ApplyStrata(CutOf(shares), set).ok());
    Counts counts = CountsOf(set);
    for (const std::size_t count : counts[0]) CHECK(count > 0);
  }
  SourceSet set = ClassesOf({3});
  CHECK_FALSE(ApplyStrata(CutOf(shares), set).ok());
}

TEST_CASE("A cut of classes depends on the seed and needs labels", "[strata]") {
  const Shares shares = {{"train", 0.5}, {"val", 0.5}};
  const auto splits_of = [&](std::uint64_t seed) {
    SourceSet set = ClassesOf({30, 30});
    SplitCut cut = CutOf(shares);
    cut.seed = seed;
    REQUIRE(ApplyStrata(cut, set).ok());
    return RowsOf(set);
  };
  CHECK(splits_of(1) == splits_of(1));
  CHECK(splits_of(1) != splits_of(2));
  SourceSet set = ClassesOf({30});
  set.samples.Add("none", 99, {}, 0);
  CHECK(ApplyStrata(CutOf(shares), set).where().key == "none");
}

}  // namespace
}  // namespace shardine::strata_cut_test
