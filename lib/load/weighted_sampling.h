// SystematicSampling and IndependentSampling: WeightedSampling's places,
// without replacement and with it.
#ifndef SHARDINE_LOAD_WEIGHTED_SAMPLING_H_
#define SHARDINE_LOAD_WEIGHTED_SAMPLING_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "load/epoch_sampling.h"

namespace shardine {

// Below, `ends` are the sums of the first weight, the first two, ...; W is that
// of all, above 0 and below 2^62. Sample j has the numbers below W from the end
// of the one before it up to its own.

// Place q of the order EpochOrder(size, order, seed, epoch) is of the sample
// that has floor((q * W + offset) / size), with offset = floor(u * W / 2^64)
// and u = XXH3-64 of "weighted", seeded with the seed, + epoch *
// 0x9e3779b97f4a7c15 modulo 2^64. Repetitions count from 0.
class SystematicSampling final : public EpochSampling {
 public:
  // REQUIRES: 0 < size < 2^62; order is kShuffle or kSequential.
  SystematicSampling(std::vector<std::uint64_t> ends, std::uint64_t size,
                     const OrderOptions& order, std::uint64_t seed);

  std::uint64_t size() const override { return size_; }
  std::string_view name() const override { return "weighted"; }
  void AddTo(Xxh3Stream& stream) const override;
  void At(std::span<const StreamPosition> places,
          std::span<SampledPlace> sampled) const override;

 private:
  SampledPlace OfPlace(std::uint64_t epoch, std::uint64_t place) const;

  const std::vector<std::uint64_t> ends_;
  const std::uint64_t size_;
  const OrderOptions order_;
  const std::uint64_t seed_;
  const std::uint64_t first_offset_;
};

// Place q is of the sample that has floor(word * W / 2^64), the word drawn as
// sampling_draw.h says, with the purpose "weighted draws". Repetition: q.
class IndependentSampling final : public EpochSampling {
 public:
  // REQUIRES: 0 < size < 2^62.
  IndependentSampling(std::vector<std::uint64_t> ends, std::uint64_t size,
                      std::uint64_t seed);

  std::uint64_t size() const override { return size_; }
  std::string_view name() const override { return "weighted with replacement"; }
  void AddTo(Xxh3Stream& stream) const override;
  void At(std::span<const StreamPosition> places,
          std::span<SampledPlace> sampled) const override;

 private:
  const std::vector<std::uint64_t> ends_;
  const std::uint64_t size_;
  const std::uint64_t key_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_WEIGHTED_SAMPLING_H_
