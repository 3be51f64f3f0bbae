#include "load/weighted_sampling.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "load/whole_weights.h"
#include "unit/load/sampled_epochs.h"

namespace shardine::weighted_sampling_test {
namespace {

using Counts = std::vector<std::uint64_t>;

constexpr OrderOptions kShuffle{SampleOrder::kShuffle, 1024, 16};
constexpr OrderOptions kSequential{SampleOrder::kSequential, 1024, 16};

Counts EndsOf(const std::vector<double>& weights) {
  Counts ends = *WholeWeights(weights);
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  return ends;
}

std::vector<double> Weights(std::size_t samples, std::size_t kind) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto number = static_cast<double>(i + 1);
    weights.push_back(kind == 0   ? 1
                      : kind == 1 ? number
                      : kind == 2 ? std::pow(10.0, number)
                                  : static_cast<double>(i % 3));
  }
  return weights;
}

TEST_CASE("Each sample comes as often as its share, rounded down or up",
          "[weighted_sampling][property]") {
  for (std::size_t kind = 0; kind < 4; ++kind) {
    for (const std::size_t samples : {2U, 7U, 40U}) {
      const auto weights = Weights(samples, kind);
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (const std::uint64_t size : {1U, 5U, 40U, 333U}) {
        const SystematicSampling sampling(EndsOf(weights), size, kShuffle, 3);
        for (std::uint64_t epoch = 0; epoch < 9; ++epoch) {
          const auto places = PlacesOf(sampling, epoch);
          REQUIRE(RepetitionsDiffer(places));
          const Counts counts = CountsOf(places, samples);
          for (std::size_t i = 0; i < samples; ++i) {
            const double share = static_cast<double>(size) * weights[i] / sum;
            const auto count = static_cast<double>(counts[i]);
            REQUIRE(std::abs(count - share) < 1 + 1e-9);
          }
        }
      }
    }
  }
}

TEST_CASE("Repetitions of a weighted sample count from 0",
          "[weighted_sampling][property]") {
  const SystematicSampling sampling(EndsOf({5, 0.5, 0, 30, 1}), 77, kShuffle,
                                    3);
  for (std::uint64_t epoch = 0; epoch < 30; ++epoch) {
    std::map<std::uint64_t, std::set<std::uint64_t>> repetitions;
    for (const auto& [number, repetition] : PlacesOf(sampling, epoch)) {
      CHECK(repetitions[number].insert(repetition).second);
    }
    CHECK(!repetitions.contains(2));
    for (const auto& [number, each] : repetitions) {
      CHECK(*each.begin() == 0);
      CHECK(*each.rbegin() == each.size() - 1);
    }
  }
}

TEST_CASE("In sequence weighted samples come as stored",
          "[weighted_sampling]") {
  const SystematicSampling sampling(EndsOf({1, 2, 0, 1}), 8, kSequential, 3);
  CHECK(NumbersOf(PlacesOf(sampling, 4)) == Counts{0, 0, 1, 1, 1, 1, 3, 3});
}

// Each epoch shuffles again, so that the remainder of a share is a draw of its
// own: 2,000 of them have a deviation of 22.4 at the most. Six of them are
// passed by one of 40 once in 10^7 times or less.
TEST_CASE("Over epochs each sample comes as often as its weight says",
          "[weighted_sampling][distribution]") {
  const auto weights = Weights(40, 1);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const SystematicSampling sampling(EndsOf(weights), 40, kShuffle, 3);
  Counts total(40);
  for (std::uint64_t epoch = 0; epoch < 2000; ++epoch) {
    const Counts counts = CountsOf(PlacesOf(sampling, epoch), 40);
    for (std::size_t i = 0; i < 40; ++i) total[i] += counts[i];
  }
  for (std::size_t i = 0; i < 40; ++i) {
    const double expected = 2000.0 * 40 * weights[i] / sum;
    REQUIRE(std::abs(static_cast<double>(total[i]) - expected) < 6 * 22.4);
  }
}

// semantics review 2: labels in turn, pairs, and frames of 8 cameras. A class
// of n / k of n samples has hypergeometric counts in half of them; six
// deviations are passed by one of 900 once in 10^6 times or less.
TEST_CASE("No period of the stored order shows in weighted epochs",
          "[weighted_sampling][distribution]") {
  constexpr std::uint64_t kSamples = 800;
  const std::vector<double> weights(kSamples, 1.0);
  const SystematicSampling sampling(EndsOf(weights), kSamples / 2, kShuffle, 3);
  for (const std::uint64_t period : {2U, 4U, 8U}) {
    const double share = 1.0 / static_cast<double>(period);
    const double draws = kSamples / 2.0;
    const double deviation = std::sqrt(draws * share * (1 - share) * 0.5 *
                                       kSamples / (kSamples - 1));
    for (std::uint64_t epoch = 0; epoch < 40; ++epoch) {
      std::vector<double> counts(period);
      for (const SampledPlace& place : PlacesOf(sampling, epoch)) {
        counts[place.number % period] += 1;
      }
      for (const double count : counts) {
        CAPTURE(period, epoch);
        CHECK(std::abs(count - draws * share) < 6 * deviation);
      }
    }
  }
}

// In independent draws without replacement, two samples of 40 are both among 10
// with the chance 10 * 9 / (40 * 39). Neighbours, and any other distance, are
// compared with it over 4,000 epochs and the 40 pairs of each distance; the
// epochs are independent, and 40 pairs of one epoch have at most 40 times the
// variance of one. Six deviations.
TEST_CASE("Weighted samples come together as independent draws do",
          "[weighted_sampling][distribution]") {
  constexpr std::uint64_t kEpochs = 4000;
  const SystematicSampling sampling(EndsOf(std::vector<double>(40, 1.0)), 10,
                                    kShuffle, 5);
  std::vector<double> together(40);
  std::set<Counts> sets;
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const Counts counts = CountsOf(PlacesOf(sampling, epoch), 40);
    sets.insert(counts);
    for (std::size_t distance = 1; distance < 40; ++distance) {
      for (std::size_t i = 0; i < 40; ++i) {
        together[distance] +=
            counts[i] > 0 && counts[(i + distance) % 40] > 0 ? 1 : 0;
      }
    }
  }
  const double chance = 10.0 * 9 / (40 * 39);
  const double expected = 40.0 * kEpochs * chance;
  // Hardly any pairs of one distance share a sample: close to binomial.
  const double deviation = std::sqrt(expected * (1 - chance) * 2);
  for (std::size_t distance = 1; distance < 40; ++distance) {
    CAPTURE(distance);
    CHECK(std::abs(together[distance] - expected) < 6 * deviation);
  }
  // Sets of samples do not repeat.
  CHECK(sets.size() > kEpochs - 10);
}

TEST_CASE("Weighted epochs are the same for whoever asks first",
          "[weighted_sampling]") {
  const auto weights = Weights(40, 1);
  const SystematicSampling one(EndsOf(weights), 77, kShuffle, 3);
  const SystematicSampling other(EndsOf(weights), 77, kShuffle, 3);
  std::vector<std::vector<SampledPlace>> epochs;
  for (std::uint64_t epoch = 0; epoch < 6; ++epoch) {
    epochs.push_back(PlacesOf(one, epoch));
  }
  for (std::uint64_t epoch = 6; epoch-- > 0;) {
    CHECK(PlacesOf(other, epoch) == epochs[epoch]);
    CHECK(PlacesOf(one, epoch) == epochs[epoch]);
  }
  // Places of two epochs in one call.
  const std::vector<StreamPosition> mixed = {{1, 0}, {2, 76}, {1, 3}};
  std::vector<SampledPlace> sampled(3);
  one.At(mixed, sampled);
  CHECK(sampled[0] == epochs[1][0]);
  CHECK(sampled[1] == epochs[2][76]);
  CHECK(sampled[2] == epochs[1][3]);
}

// 80,000 draws among 40 samples: chi-square of 39 degrees of freedom, whose
// deviation is sqrt(78); six of them are passed once in 10^6 times or less.
TEST_CASE("Independent draws are as likely as their weights say",
          "[weighted_sampling][distribution]") {
  auto weights = Weights(40, 1);
  weights.push_back(0);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const IndependentSampling sampling(EndsOf(weights), 8000, 3);
  Counts total(41);
  std::uint64_t equal_neighbours = 0;
  for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
    const auto places = PlacesOf(sampling, epoch);
    REQUIRE(RepetitionsDiffer(places));
    for (const SampledPlace& place : places) ++total[place.number];
    const auto numbers = NumbersOf(places);
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      equal_neighbours += numbers[i] == numbers[i - 1] ? 1 : 0;
    }
  }
  CHECK(total[40] == 0);
  double chi = 0;
  double equal = 0;  // the chance that two draws are
  for (std::size_t i = 0; i < 40; ++i) {
    const double expected = 80'000 * weights[i] / sum;
    const double off = static_cast<double>(total[i]) - expected;
    chi += off * off / expected;
    equal += weights[i] / sum * weights[i] / sum;
  }
  CHECK(std::abs(chi - 39) < 6 * std::sqrt(78));
  // Six deviations of a binomial distribution.
  CHECK(std::abs(static_cast<double>(equal_neighbours) - 79'990 * equal) <
        6 * std::sqrt(79'990 * equal * (1 - equal)));
}

TEST_CASE("Epochs of independent draws differ", "[weighted_sampling]") {
  const IndependentSampling sampling(EndsOf(Weights(40, 0)), 100, 3);
  const IndependentSampling other(EndsOf(Weights(40, 0)), 100, 4);
  CHECK(PlacesOf(sampling, 0) == PlacesOf(sampling, 0));
  CHECK(PlacesOf(sampling, 0) != PlacesOf(sampling, 1));
  CHECK(PlacesOf(sampling, 0) != PlacesOf(other, 0));
}

}  // namespace
}  // namespace shardine::weighted_sampling_test
