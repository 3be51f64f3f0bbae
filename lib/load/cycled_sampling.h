// CycledSampling: RepeatedSampling's places. Each sample comes so many times,
// copies as neighbours; epochs are cut from a stream of cycles through all.
#ifndef SHARDINE_LOAD_CYCLED_SAMPLING_H_
#define SHARDINE_LOAD_CYCLED_SAMPLING_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "load/epoch_sampling.h"

namespace shardine {

// Cycle c has `times` copies of each sample, in the order of
// EpochOrder(samples, order, seed, c); epoch e has the places of the stream
// from e * size on. With one copy and as many places as samples, an epoch is
// its EpochOrder. Repetitions count copies from 0 in the epoch's first cycle,
// from `times` in the next one, and so on.
class CycledSampling final : public EpochSampling {
 public:
  // REQUIRES: samples > 0, times > 0, samples * times and `size` below 2^62,
  // size > 0.
  CycledSampling(std::uint64_t samples, std::uint32_t times, std::uint64_t size,
                 const OrderOptions& order, std::uint64_t seed)
      : samples_(samples),
        times_(times),
        size_(size),
        order_(order),
        seed_(seed) {}

  std::uint64_t size() const override { return size_; }
  Dealing dealing() const override { return {.in_turn = times_ > 1}; }
  std::string_view name() const override;
  void AddTo(Xxh3Stream& stream) const override;
  void At(std::span<const StreamPosition> places,
          std::span<SampledPlace> sampled) const override;
  EpochOrder::Stretch StretchAt(const StreamPosition& place) const override;

 private:
  std::uint64_t cycle_size() const { return samples_ * times_; }

  const std::uint64_t samples_;
  const std::uint64_t times_;
  const std::uint64_t size_;
  const OrderOptions order_;
  const std::uint64_t seed_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_CYCLED_SAMPLING_H_
