#include "load/weighted_sampling.h"

#include <algorithm>
#include <utility>

#include "load/sampling_draw.h"
#include "load/wide_integer.h"

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

SampledPlace SystematicSampling::OfPlace(std::uint64_t epoch,
                                         std::uint64_t place) const {
  // 2^64 over the golden ratio: its multiples spread more evenly over all
  // offsets than those of any other number, after however many epochs.
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  const std::uint64_t sum = ends_.back();
  const std::uint64_t offset = Below(first_offset_ + epoch * kStep, sum);
  const auto number = static_cast<std::uint64_t>(
      Divide(Wide{place} * sum + offset, size_).whole);
  const std::uint64_t sample = SampleThatHas(number, ends_);
  // The first place q with q * sum + offset >= begin * size.
  const std::uint64_t begin = sample == 0 ? 0 : ends_[sample - 1];
  const Wide from = Wide{begin} * size_;
  const Wide first =
      from > offset ? Divide(from - offset + sum - 1, sum).whole : 0;
  return {sample, place - static_cast<std::uint64_t>(first)};
}

void SystematicSampling::At(std::span<const StreamPosition> places,
                            std::span<SampledPlace> sampled) const {
  LatestOrder order(size_, order_, seed_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [epoch, position] = places[i];
    sampled[i] = OfPlace(epoch, order(epoch)(position));
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
