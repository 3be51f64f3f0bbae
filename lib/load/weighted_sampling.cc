#include "load/weighted_sampling.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/permutation.h"
#include "base/wide_integer.h"
#include "load/sampling_draw.h"

namespace shardine {
namespace {

std::uint64_t SampleThatHas(std::uint64_t number,
                            const std::vector<std::uint64_t>& ends) {
  return static_cast<std::uint64_t>(std::ranges::upper_bound(ends, number) -
                                    ends.begin());
}

void AddEnds(const std::vector<std::uint64_t>& ends, Xxh3Stream& stream) {
  stream.Update(std::as_bytes(std::span(ends)));
}

}  // namespace

SystematicSampling::SystematicSampling(std::vector<std::uint64_t> ends,
                                       std::uint64_t size,
                                       const OrderOptions& order,
                                       std::uint64_t seed)
    : ends_(std::move(ends)),
      size_(size),
      order_(order),
      seed_(seed),
      first_offset_(DrawKey("weighted", seed)) {}

void SystematicSampling::AddTo(Xxh3Stream& stream) const {
  stream.UpdateLe(size_);
  AddEnds(ends_, stream);
}

std::vector<std::uint64_t> SystematicSampling::Draw(std::uint64_t epoch) const {
  // 2^64 over the golden ratio: its multiples spread more evenly over all
  // offsets than those of any other number, after however many epochs.
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  const std::uint64_t sum = ends_.back();
  const std::uint64_t offset = Below(first_offset_ + epoch * kStep, sum);
  Permutation order(ends_.size(), seed_, "weighted order", epoch,
                    kEpochShuffle);
  order.Tabulate();
  std::vector<std::uint64_t> counts(ends_.size());
  std::uint64_t end = 0;     // of the numbers of the samples so far
  std::uint64_t places = 0;  // that these take
  for (std::uint64_t i = 0; i < counts.size(); ++i) {
    const std::uint64_t sample = order(i);
    end += ends_[sample] - (sample == 0 ? 0 : ends_[sample - 1]);
    // The first q with q * sum + offset >= end * size.
    const Wide from = Wide{end} * size_;
    const Wide behind =
        from > offset ? Divide(from - offset + sum - 1, sum).whole : 0;
    counts[sample] = static_cast<std::uint64_t>(behind) - places;
    places = static_cast<std::uint64_t>(behind);
  }
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  return counts;
}

SystematicSampling::PlaceEnds SystematicSampling::EndsIn(
    std::uint64_t epoch) const {
  const std::lock_guard lock(mutex_);
  Drawn& drawn = drawn_[epoch % drawn_.size()];
  if (drawn.ends == nullptr || drawn.epoch != epoch) {
    drawn.ends.reset();
    drawn = {epoch,
             std::make_shared<const std::vector<std::uint64_t>>(Draw(epoch))};
  }
  return drawn.ends;
}

void SystematicSampling::At(std::span<const StreamPosition> places,
                            std::span<SampledPlace> sampled) const {
  LatestOrder order(size_, order_, seed_);
  PlaceEnds ends;
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [epoch, position] = places[i];
    if (ends == nullptr || epoch != drawn) {
      ends = EndsIn(epoch);
      drawn = epoch;
    }
    const std::uint64_t place = order(epoch)(position);
    const std::uint64_t sample = SampleThatHas(place, *ends);
    sampled[i] = {sample, place - (sample == 0 ? 0 : (*ends)[sample - 1])};
  }
}

IndependentSampling::IndependentSampling(std::vector<std::uint64_t> ends,
                                         std::uint64_t size, std::uint64_t seed)
    : ends_(std::move(ends)),
      size_(size),
      key_(DrawKey("weighted draws", seed)) {}

void IndependentSampling::AddTo(Xxh3Stream& stream) const {
  stream.UpdateLe(size_);
  AddEnds(ends_, stream);
}

void IndependentSampling::At(std::span<const StreamPosition> places,
                             std::span<SampledPlace> sampled) const {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [epoch, position] = places[i];
    const std::uint64_t word = DrawnWord(key_, position, epoch);
    sampled[i] = {SampleThatHas(Below(word, ends_.back()), ends_), position};
  }
}

}  // namespace shardine
