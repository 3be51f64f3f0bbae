#include "load/cycled_sampling.h"

#include <algorithm>

#include "base/wide_integer.h"

namespace shardine {
namespace {

struct CyclePlace {
  std::uint64_t cycle = 0;
  std::uint64_t position = 0;  // in it
};

// After `epochs` of `size` places and `more` of them.
CyclePlace PlaceOf(std::uint64_t epochs, std::uint64_t size, std::uint64_t more,
                   std::uint64_t cycle) {
  const Quotient place = Divide(Wide{epochs} * size + more, cycle);
  return {static_cast<std::uint64_t>(place.whole), place.rest};
}

}  // namespace

std::string_view CycledSampling::name() const {
  return times_ == 1 && size_ == samples_ ? "" : "repeated";
}

void CycledSampling::AddTo(Xxh3Stream& stream) const {
  stream.UpdateLe(times_);
  stream.UpdateLe(size_);
}

void CycledSampling::At(std::span<const StreamPosition> places,
                        std::span<SampledPlace> sampled) const {
  LatestOrder order(samples_, order_, seed_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [epoch, position] = places[i];
    const CyclePlace first = PlaceOf(epoch, size_, 0, cycle_size());
    const CyclePlace at = PlaceOf(epoch, size_, position, cycle_size());
    sampled[i] = {
        order(at.cycle)(at.position / times_),
        (at.cycle - first.cycle) * times_ + at.position % times_,
    };
  }
}

EpochOrder::Stretch CycledSampling::StretchAt(
    const StreamPosition& place) const {
  const CyclePlace at =
      PlaceOf(place.epoch, size_, place.position, cycle_size());
  EpochOrder::Stretch stretch = EpochOrder(samples_, order_, seed_, at.cycle)
                                    .StretchAt(at.position / times_);
  const std::uint64_t places = stretch.end * times_ - at.position;
  stretch.end = std::min(place.position + places, size_);
  return stretch;
}

}  // namespace shardine
