#include "load/group_sampling.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "load/whole_weights.h"
#include "unit/load/sampled_epochs.h"

namespace shardine::group_sampling_test {
namespace {

using Counts = std::vector<std::uint64_t>;

constexpr OrderOptions kShuffle{SampleOrder::kShuffle, 1024, 16};
constexpr OrderOptions kSequential{SampleOrder::kSequential, 1024, 16};

// Labels 0, 10, 20, ... of so many samples each, one after another as far as
// there are some: 0 10 20 0 10 0 of {3, 2, 1}.
std::vector<std::int64_t> LabelsOf(Counts sizes) {
  std::vector<std::int64_t> labels;
  for (bool more = true; std::exchange(more, false);) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 0) continue;
      --sizes[i];
      labels.push_back(10 * static_cast<std::int64_t>(i));
      more = true;
    }
  }
  return labels;
}

GroupSampling Balanced(const std::vector<std::int64_t>& labels,
                       std::uint64_t size, const OrderOptions& order = kShuffle,
                       bool replacement = false) {
  return GroupSampling(
      {"class-balanced", SampleGroups::Of(labels), {}, size, replacement},
      order, 4);
}

Counts ByClass(const Counts& counts, const std::vector<std::int64_t>& labels,
               std::size_t classes) {
  Counts by_class(classes);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    by_class[static_cast<std::size_t>(labels[i] / 10)] += counts[i];
  }
  return by_class;
}

std::uint64_t Spread(const Counts& counts) {
  const auto [least, most] = std::ranges::minmax(counts);
  return most - least;
}

TEST_CASE("Samples are grouped by their labels, in their order",
          "[sample_groups]") {
  const std::vector<std::int64_t> labels = {7, -2, 7, INT64_MAX, -2, 7};
  const SampleGroups groups = SampleGroups::Of(labels);
  CHECK(groups.labels() == std::vector<std::int64_t>{-2, 7, INT64_MAX});
  CHECK(groups.samples() == 6);
  CHECK(groups.size(1) == 3);
  CHECK(groups(0, 0) == 1);
  CHECK(groups(0, 1) == 4);
  CHECK(groups(1, 2) == 5);
  CHECK(groups(2, 0) == 3);
  const SampleGroups parts = SampleGroups::Parts(Counts{4, 0, 2});
  CHECK(parts.count() == 3);
  CHECK(parts.size(1) == 0);
  CHECK(parts(2, 1) == 5);
}

TEST_CASE("Balanced classes come equally often, in each epoch and in all",
          "[group_sampling][property]") {
  for (const Counts& sizes :
       {Counts{5}, Counts{3, 2, 1}, Counts{40, 1, 7, 300, 2}}) {
    const auto labels = LabelsOf(sizes);
    for (const std::uint64_t size : {1U, 2U, 7U, 60U, 350U}) {
      for (const OrderOptions& order : {kShuffle, kSequential}) {
        for (const bool replacement : {false, true}) {
          if (replacement && order == kSequential) continue;
          const auto sampling = Balanced(labels, size, order, replacement);
          Counts total(sizes.size());
          for (std::uint64_t epoch = 0; epoch < 7; ++epoch) {
            const auto places = PlacesOf(sampling, epoch);
            REQUIRE(places.size() == size);
            REQUIRE(RepetitionsDiffer(places));
            const Counts counts =
                ByClass(CountsOf(places, labels.size()), labels, sizes.size());
            REQUIRE(Spread(counts) <= 1);
            for (std::size_t i = 0; i < sizes.size(); ++i) {
              total[i] += counts[i];
            }
            REQUIRE(Spread(total) <= 1);
          }
        }
      }
    }
  }
}

TEST_CASE(
    "In its class no sample comes again before all others, whatever the "
    "epochs",
    "[group_sampling][property]") {
  const Counts sizes = {40, 1, 7, 13};
  const auto labels = LabelsOf(sizes);
  for (const std::uint64_t size : {5U, 61U, 100U}) {
    for (const OrderOptions& order : {kShuffle, kSequential}) {
      const auto sampling = Balanced(labels, size, order);
      Counts total(labels.size());
      for (std::uint64_t epoch = 0; epoch < 40; ++epoch) {
        const Counts counts =
            CountsOf(PlacesOf(sampling, epoch), labels.size());
        std::map<std::int64_t, Counts> of_class;
        for (std::size_t i = 0; i < labels.size(); ++i) {
          total[i] += counts[i];
          of_class[labels[i]].push_back(total[i]);
        }
        for (const auto& [label, each] : of_class) REQUIRE(Spread(each) <= 1);
      }
    }
  }
}

// A sample that comes once in each cycle of its class is in the epoch's first
// with number 0.
TEST_CASE("Repetitions are 0, 1, ... where an epoch is whole cycles",
          "[group_sampling]") {
  const auto labels = LabelsOf({4, 4});
  const auto places = PlacesOf(Balanced(labels, 24), 5);
  std::map<std::uint64_t, std::set<std::uint64_t>> repetitions;
  for (const auto& [number, repetition] : places) {
    repetitions[number].insert(repetition);
  }
  CHECK(repetitions.size() == 8);
  for (const auto& [number, each] : repetitions) {
    CHECK(each == std::set<std::uint64_t>{0, 1, 2});
  }
}

TEST_CASE("In sequence, classes take turns and samples come as stored",
          "[group_sampling]") {
  const auto labels = LabelsOf({3, 2, 1});  // 0 10 20 0 10 0
  const auto sampling = Balanced(labels, 8, kSequential);
  CHECK(NumbersOf(PlacesOf(sampling, 0)) == Counts{0, 1, 2, 3, 4, 2, 5, 1});
  CHECK(NumbersOf(PlacesOf(sampling, 1)) == Counts{2, 0, 4, 2, 3, 1, 2, 5});
}

TEST_CASE("Classes by weight have the same exact counts in every epoch",
          "[group_sampling][property]") {
  const Counts sizes = {40, 1, 7, 13};
  const auto labels = LabelsOf(sizes);
  for (const Counts& weights :
       {Counts{1, 1, 1, 1}, Counts{5, 0, 1, 3}, Counts{0, 0, 1, 0}}) {
    for (const std::uint64_t size : {9U, 61U, 130U}) {
      const Counts expected = LargestRemainders(weights, size);
      for (const bool replacement : {false, true}) {
        const GroupSampling sampling(
            {"weighted by class", SampleGroups::Of(labels), expected, size,
             replacement},
            kShuffle, 4);
        Counts total(labels.size());
        for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
          const auto places = PlacesOf(sampling, epoch);
          REQUIRE(RepetitionsDiffer(places));
          const Counts counts = CountsOf(places, labels.size());
          REQUIRE(ByClass(counts, labels, sizes.size()) == expected);
          for (std::size_t i = 0; i < counts.size(); ++i) total[i] += counts[i];
          if (replacement) continue;
          Counts first;
          for (std::size_t i = 0; i < labels.size(); ++i) {
            if (labels[i] == 20) first.push_back(total[i]);
          }
          REQUIRE(Spread(first) <= 1);
        }
      }
    }
  }
}

TEST_CASE("Parts are neighbours, by their shares", "[group_sampling]") {
  const GroupSampling sampling(
      {"mixed", SampleGroups::Parts(Counts{10, 3, 20}), Counts{6, 9, 15}, 30},
      kShuffle, 1);
  for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
    const Counts counts = CountsOf(PlacesOf(sampling, epoch), 33);
    CHECK(std::accumulate(counts.begin(), counts.begin() + 10, 0U) == 6);
    CHECK(Counts(counts.begin() + 10, counts.begin() + 13) == Counts{3, 3, 3});
    CHECK(std::accumulate(counts.begin() + 13, counts.end(), 0U) == 15);
  }
}

// 80,000 draws, 20,000 of each class. The square sum of deviations over their
// expectation has as many degrees of freedom as samples, but one a class: of f
// its mean is f and its deviation sqrt(2 f); six of them are passed once in
// 10^6 times or less.
TEST_CASE("With replacement each sample of a class is as likely",
          "[group_sampling][distribution]") {
  const Counts sizes = {40, 1, 7, 100};
  const auto labels = LabelsOf(sizes);
  const auto sampling = Balanced(labels, 800, kShuffle, true);
  Counts total(labels.size());
  for (std::uint64_t epoch = 0; epoch < 100; ++epoch) {
    const Counts counts = CountsOf(PlacesOf(sampling, epoch), labels.size());
    for (std::size_t i = 0; i < counts.size(); ++i) total[i] += counts[i];
  }
  CHECK(ByClass(total, labels, 4) == Counts{20'000, 20'000, 20'000, 20'000});
  double chi = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double expected =
        20'000.0 /
        static_cast<double>(sizes[static_cast<std::size_t>(labels[i] / 10)]);
    const double off = static_cast<double>(total[i]) - expected;
    chi += off * off / expected;
  }
  const double freedom = 148 - 4;
  CHECK(std::abs(chi - freedom) < 6 * std::sqrt(2 * freedom));
}

// Over cycles, a sample of 13 is as likely the first as any other: 6,000 first
// turns, chi-square of 12 degrees of freedom as above.
TEST_CASE("Cycles of a class begin with any of its samples alike",
          "[group_sampling][distribution]") {
  const auto sampling = Balanced(LabelsOf({13}), 13, kShuffle);
  const GroupSampling one(
      {"class-balanced", SampleGroups::Of(LabelsOf({13})), {}, 1, false},
      kShuffle, 4);
  Counts firsts(13);
  for (std::uint64_t cycle = 0; cycle < 6000; ++cycle) {
    ++firsts[PlacesOf(one, 13 * cycle).front().number];
  }
  double chi = 0;
  for (const std::uint64_t count : firsts) {
    const double off = static_cast<double>(count) - 6000.0 / 13;
    chi += off * off * 13 / 6000;
  }
  CHECK(std::abs(chi - 12) < 6 * std::sqrt(24));
}

TEST_CASE("Epochs beyond any count have exact counts, too",
          "[group_sampling]") {
  const auto labels = LabelsOf({3, 5, 2});
  for (const std::uint64_t epoch :
       {std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    const auto places = PlacesOf(Balanced(labels, 20), epoch);
    CHECK(RepetitionsDiffer(places));
    CHECK(Spread(ByClass(CountsOf(places, 10), labels, 3)) <= 1);
  }
}

}  // namespace
}  // namespace shardine::group_sampling_test
