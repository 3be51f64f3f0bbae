#include "load/group_sampling.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/permutation.h"
#include "base/wide_integer.h"
#include "load/sampling_draw.h"

namespace shardine {
namespace {

// As far apart are the repetitions of two groups.
constexpr int kApart = 40;

std::uint64_t SeedOf(std::uint64_t group, std::uint64_t seed) {
  std::byte number[sizeof(group)];
  StoreLe(group, number);
  return Xxh3_64(number, seed);
}

}  // namespace

struct GroupSampling::Turn {
  std::uint64_t group = 0;
  Wide number = 0;
  Wide first = 0;  // of the epoch
};

GroupSampling::GroupSampling(Plan plan, const OrderOptions& order,
                             std::uint64_t seed)
    : plan_(std::move(plan)),
      order_(order),
      seed_(seed),
      draw_key_(DrawKey("group draws", seed)) {
  ends_.resize(plan_.counts.size());
  std::partial_sum(plan_.counts.begin(), plan_.counts.end(), ends_.begin());
}

void GroupSampling::AddTo(Xxh3Stream& stream) const {
  stream.UpdateLe(plan_.size);
  stream.UpdateLe(std::uint64_t{plan_.replacement});
  plan_.groups.AddTo(stream);
  for (const std::uint64_t count : plan_.counts) stream.UpdateLe(count);
}

GroupSampling::Turn GroupSampling::TurnAt(std::uint64_t epoch,
                                          std::uint64_t place) const {
  if (ends_.empty()) {
    const std::uint64_t groups = plan_.groups.count();
    const Wide begin = Wide{epoch} * plan_.size;
    const Quotient dealt = Divide(begin + place, groups);
    const std::uint64_t group = dealt.rest;
    return {group, dealt.whole,
            Divide(begin + groups - 1 - group, groups).whole};
  }
  const auto end = std::ranges::upper_bound(ends_, place);
  const auto group = static_cast<std::uint64_t>(end - ends_.begin());
  const std::uint64_t count = plan_.counts[group];
  const Wide first = Wide{epoch} * count;
  return {group, first + (place - (*end - count)), first};
}

SampledPlace GroupSampling::InCycle(const Turn& turn) const {
  const std::uint64_t samples = plan_.groups.size(turn.group);
  const Quotient place = Divide(turn.number, samples);
  const auto cycle = static_cast<std::uint64_t>(place.whole);
  std::uint64_t index = place.rest;
  if (order_.order == SampleOrder::kShuffle) {
    index = Permutation(samples, SeedOf(turn.group, seed_), "group", cycle,
                        kEpochShuffle)(index);
  }
  const std::uint64_t apart = plan_.draws_apart ? turn.group << kApart : 0;
  const auto first =
      static_cast<std::uint64_t>(Divide(turn.first, samples).whole);
  return {plan_.groups(turn.group, index), apart + (cycle - first)};
}

SampledPlace GroupSampling::Drawn(const Turn& turn, std::uint64_t epoch,
                                  std::uint64_t place) const {
  const std::uint64_t index =
      Below(DrawnWord(draw_key_, place, epoch), plan_.groups.size(turn.group));
  return {plan_.groups(turn.group, index), place};
}

void GroupSampling::At(std::span<const StreamPosition> places,
                       std::span<SampledPlace> sampled) const {
  LatestOrder order(plan_.size, order_, seed_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [epoch, position] = places[i];
    const std::uint64_t place = order(epoch)(position);
    const Turn turn = TurnAt(epoch, place);
    sampled[i] = plan_.replacement ? Drawn(turn, epoch, place) : InCycle(turn);
  }
}

}  // namespace shardine
