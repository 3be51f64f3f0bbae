#include "load/episode_sampling.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "unit/load/sampled_epochs.h"

namespace shardine::episode_sampling_test {
namespace {

// Class of a sample: its number modulo 20.
SampleGroups Classes(std::uint64_t samples) {
  std::vector<std::int64_t> labels;
  for (std::uint64_t i = 0; i < samples; ++i) {
    labels.push_back(static_cast<std::int64_t>(i % 20));
  }
  return SampleGroups::Of(labels);
}

TEST_CASE("An episode has shots and queries of its ways, none twice",
          "[episode_sampling][property]") {
  for (const EpisodeSampling& episodes :
       {EpisodeSampling{5, 1, 15, 7}, EpisodeSampling{20, 5, 0, 3},
        EpisodeSampling{1, 2, 3, 4}, EpisodeSampling{3, 2, 1, 1}}) {
    const EpisodeDraws sampling(Classes(400), episodes, 8);
    const std::uint64_t each = EpisodeSize(episodes);
    CHECK(sampling.size() == each * episodes.episodes);
    CHECK(sampling.dealing().unit == each);
    for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
      const auto places = PlacesOf(sampling, epoch);
      REQUIRE(RepetitionsDiffer(places));
      for (std::uint64_t first = 0; first < places.size(); first += each) {
        std::set<std::uint64_t> samples;
        std::set<std::uint64_t> classes;
        for (std::uint64_t i = 0; i < each; ++i) {
          samples.insert(places[first + i].number);
          classes.insert(places[first + i].number % 20);
        }
        REQUIRE(samples.size() == each);
        REQUIRE(classes.size() == episodes.way);
        const std::uint64_t shots = episodes.way * episodes.shot;
        for (std::uint64_t i = 0; i < each; ++i) {
          const std::uint64_t way =
              i < shots ? i / episodes.shot : (i - shots) / episodes.query;
          REQUIRE(places[first + i].number % 20 ==
                  places[first + way * episodes.shot].number % 20);
        }
      }
    }
  }
}

// 16,000 episodes of 5 ways: 80,000 draws of classes; each of 20 is in an
// episode with the chance 1/4, and each sample of its 10 in 3 of 10 of those.
// Six deviations of the binomial distributions.
TEST_CASE("Classes and samples of episodes are all as likely",
          "[episode_sampling][distribution]") {
  const EpisodeDraws sampling(Classes(200), {5, 1, 2, 160}, 8);
  std::vector<double> classes(20);
  std::vector<double> samples(200);
  for (std::uint64_t epoch = 0; epoch < 100; ++epoch) {
    for (const SampledPlace& place : PlacesOf(sampling, epoch)) {
      classes[place.number % 20] += 1.0 / 3;
      samples[place.number] += 1;
    }
  }
  for (const double count : classes) {
    CHECK(std::abs(count - 4000) < 6 * std::sqrt(16'000 * 0.25 * 0.75));
  }
  for (const double count : samples) {
    CHECK(std::abs(count - 1200) < 6 * std::sqrt(16'000 * 0.075 * 0.925));
  }
}

TEST_CASE("Episodes go on from epoch to epoch", "[episode_sampling]") {
  const EpisodeDraws few(Classes(200), {5, 1, 2, 2}, 8);
  const EpisodeDraws many(Classes(200), {5, 1, 2, 6}, 8);
  const auto numbers = NumbersOf(PlacesOf(many, 0));
  std::vector<std::uint64_t> joined;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    const auto more = NumbersOf(PlacesOf(few, epoch));
    joined.insert(joined.end(), more.begin(), more.end());
  }
  CHECK(joined == numbers);
}

}  // namespace
}  // namespace shardine::episode_sampling_test
