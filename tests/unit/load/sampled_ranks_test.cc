// Samplings as ranks get them: the samples of all ranks in an epoch, cut at
// each of its steps and resumed by another number of ranks with other batches.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "load/cycled_sampling.h"
#include "load/episode_sampling.h"
#include "load/group_sampling.h"
#include "load/weighted_sampling.h"
#include "load/whole_weights.h"
#include "unit/load/sampled_epochs.h"

namespace shardine::sampled_ranks_test {
namespace {

constexpr OrderOptions kShuffle{SampleOrder::kShuffle, 1024, 16};
constexpr LastBatch kPolicies[] = {LastBatch::kDrop, LastBatch::kShort,
                                   LastBatch::kPad, LastBatch::kRoll};

std::vector<std::int64_t> Labels() {
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 37; ++i) labels.push_back(i % 5 == 0 ? 3 : i % 3);
  return labels;
}

// One of each kind; sizes that no step divides.
std::vector<std::unique_ptr<const EpochSampling>> Samplings() {
  const SampleGroups classes = SampleGroups::Of(Labels());
  std::vector<std::uint64_t> ends = *WholeWeights(std::vector<double>{
      1, 0, 5, 2, 2.5, 0.125, 1, 1, 1, 3, 0, 9, 1, 1, 1, 2, 7});
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::unique_ptr<const EpochSampling>> made;
  const auto add = [&]<typename T>(T* sampling) {
    made.emplace_back(sampling);
  };
  add(new CycledSampling(13, 3, 39, kShuffle, 5));
  add(new CycledSampling(13, 3, 17, kShuffle, 5));
  add(new CycledSampling(13, 2, 26, {SampleOrder::kBlocks, 3, 2}, 5));
  add(new GroupSampling({"even", classes, {}, 41, false}, kShuffle, 5));
  add(new GroupSampling({"even", classes, {}, 41, true}, kShuffle, 5));
  add(new GroupSampling(
      {"weights", classes, LargestRemainders({{1, 2, 3, 1}}, 31), 31},
      {SampleOrder::kSequential, 1, 1}, 5));
  add(new SystematicSampling(ends, 29, kShuffle, 5));
  add(new IndependentSampling(ends, 29, 5));
  add(new EpisodeDraws(classes, {2, 1, 1, 7}, 5));
  return made;
}

struct Spread {
  std::uint32_t world = 1;
  std::uint32_t batch_size = 1;
};

// The places that each rank is handed out in one step, and where it ends.
struct Taken {
  std::vector<std::vector<SampledPlace>> ranks;
  std::vector<std::vector<StreamPosition>> places;
  StreamPosition behind;
  std::uint64_t padding = 0;
};

std::optional<Taken> TakeStep(const EpochSampling& sampling,
                              const Spread& spread, LastBatch last_batch,
                              const StreamPosition& from) {
  Taken taken;
  for (std::uint32_t rank = 0; rank < spread.world; ++rank) {
    const StepPlan plan(sampling.size(), spread.batch_size, rank, spread.world,
                        last_batch, sampling.dealing());
    if (plan.StepsLeft(from) == 0) {
      REQUIRE(rank == 0);  // else ranks would not agree
      return std::nullopt;
    }
    const RankSlice slice = plan.Slice(from);
    REQUIRE(slice.count % sampling.dealing().unit == 0);
    std::vector<StreamPosition> places;
    for (std::uint32_t i = 0; i < slice.count; ++i) {
      places.push_back(plan.At(slice, i));
    }
    std::vector<SampledPlace> sampled(places.size());
    sampling.At(places, sampled);
    sampled.resize(slice.count - slice.padding);
    places.resize(slice.count - slice.padding);
    taken.ranks.push_back(sampled);
    taken.places.push_back(places);
    taken.padding += slice.padding;
    taken.behind = plan.Behind(from);
  }
  return taken;
}

// A step's samples in the order of the stream: ranks side by side where they
// are dealt in turn, one after another else.
std::vector<SampledPlace> Joined(const Taken& taken, bool in_turn) {
  std::vector<SampledPlace> joined;
  if (!in_turn) {
    for (const auto& rank : taken.ranks) {
      joined.insert(joined.end(), rank.begin(), rank.end());
    }
    return joined;
  }
  for (std::size_t i = 0; i < taken.ranks[0].size(); ++i) {
    for (const auto& rank : taken.ranks) {
      if (i < rank.size()) joined.push_back(rank[i]);
    }
  }
  return joined;
}

std::vector<SampledPlace> Walk(const EpochSampling& sampling,
                               const Spread& spread, LastBatch last_batch,
                               StreamPosition at,
                               std::vector<StreamPosition>* cuts = nullptr) {
  std::vector<SampledPlace> walked;
  while (const auto step = TakeStep(sampling, spread, last_batch, at)) {
    const auto joined = Joined(*step, sampling.dealing().in_turn);
    walked.insert(walked.end(), joined.begin(), joined.end());
    at = step->behind;
    if (cuts != nullptr) cuts->push_back(at);
  }
  return walked;
}

std::vector<Spread> Spreads(const EpochSampling& sampling) {
  const auto unit = static_cast<std::uint32_t>(sampling.dealing().unit);
  std::vector<Spread> spreads;
  for (std::uint32_t world = 1; world <= 5; ++world) {
    for (const std::uint32_t batch : {1U, 2U, 3U, 8U}) {
      spreads.push_back({world, batch * unit});
    }
  }
  return spreads;
}

TEST_CASE("Any ranks have an epoch's places, in order, however it is cut",
          "[sampling][property]") {
  std::uint64_t cuts_tried = 0;
  for (const auto& sampling : Samplings()) {
    INFO(sampling->name());
    for (const std::uint64_t epoch : {0U, 3U}) {
      const auto whole = PlacesOf(*sampling, epoch);
      for (const LastBatch policy : kPolicies) {
        for (const Spread& spread : Spreads(*sampling)) {
          std::vector<StreamPosition> cuts;
          auto walked = Walk(*sampling, spread, policy, {epoch, 0}, &cuts);
          if (policy != LastBatch::kDrop)
            REQUIRE(walked.size() >= whole.size());
          walked.resize(std::min(walked.size(), whole.size()));
          REQUIRE(std::equal(walked.begin(), walked.end(), whole.begin()));
          REQUIRE(whole.size() - walked.size() <
                  std::uint64_t{spread.world} * spread.batch_size);
          for (const StreamPosition& cut : cuts) {
            if (cut.position > sampling->size()) continue;
            // Another world each time.
            const auto others = Spreads(*sampling);
            const Spread other = others[++cuts_tried % others.size()];
            auto rest = Walk(*sampling, other, LastBatch::kShort, cut);
            const auto from =
                whole.begin() + static_cast<std::ptrdiff_t>(cut.position);
            REQUIRE(rest == std::vector(from, whole.end()));
          }
        }
      }
    }
  }
  CHECK(cuts_tried > 5000);
}

TEST_CASE("Copies of a sample are on as many ranks as there are",
          "[sampling]") {
  const CycledSampling sampling(60, 3, 180, kShuffle, 5);
  for (std::uint32_t world = 1; world <= 5; ++world) {
    StreamPosition at;
    while (const auto step =
               TakeStep(sampling, {world, 6}, LastBatch::kDrop, at)) {
      std::map<std::uint64_t, std::multiset<std::size_t>> ranks_of;
      for (std::size_t rank = 0; rank < world; ++rank) {
        for (const SampledPlace& place : step->ranks[rank]) {
          ranks_of[place.number].insert(rank);
        }
      }
      at = step->behind;
      for (const auto& [number, ranks] : ranks_of) {
        // The last sample of a step may have copies in the next.
        if (ranks.size() < 3) continue;
        CHECK(std::set(ranks.begin(), ranks.end()).size() ==
              std::min<std::size_t>(world, 3));
      }
    }
  }
}

TEST_CASE("A short step leaves episodes whole", "[sampling]") {
  const EpisodeDraws sampling(SampleGroups::Of(Labels()), {2, 1, 1, 7}, 5);
  const auto step = TakeStep(sampling, {4, 8}, LastBatch::kShort, {0, 0});
  REQUIRE(step);
  CHECK(step->ranks[0].size() == 8);
  CHECK(step->ranks[2].size() == 8);
  CHECK(step->ranks[3].size() == 4);
}

TEST_CASE("Padding of samples dealt in turn is at the end of each rank",
          "[sampling]") {
  // 7 places and steps of 9: rank 0 has places 0, 3, 6, the others two each.
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const StepPlan plan(7, 3, rank, 3, LastBatch::kPad, {.in_turn = true});
    const RankSlice slice = plan.Slice({0, 0});
    CHECK(slice.count == 3);
    CHECK(slice.padding == (rank == 0 ? 0 : 1));
    CHECK(plan.At(slice, 0).position == rank);
    CHECK(plan.At(slice, 2).position == (rank + 6) % 7);
  }
}

}  // namespace
}  // namespace shardine::sampled_ranks_test
