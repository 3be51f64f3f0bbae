// SystematicSampling and IndependentSampling: WeightedSampling's places,
// without replacement and with it.
#ifndef SHARDINE_LOAD_WEIGHTED_SAMPLING_H_
#define SHARDINE_LOAD_WEIGHTED_SAMPLING_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "load/epoch_sampling.h"

namespace shardine {

// Below, `ends` are the sums of the first weight, the first two, ...; W is the
// sum of all, above 0 and below 2^62.

// Systematic sampling in random order (Madow, 1949), by epoch: the samples lie
// in the order Permutation(samples, seed, "weighted order", epoch), each with
// as many numbers below W as its weight has. Taken are those with the numbers
// floor((q * W + offset) / size) of each q below size, with offset =
// floor(u * W / 2^64) and u = XXH3-64 of "weighted", seeded with the seed, +
// epoch * 0x9e3779b97f4a7c15 modulo 2^64. So counts are exact, and no period of
// the stored order decides which samples come together. Place q of the order
// EpochOrder(size, order, seed, epoch) is of the q-th taken sample in stored
// order. Repetitions count from 0.
//
// An epoch takes a table of 8 bytes a sample, which its first places make;
// those of two epochs are kept. Thread-safe.
class SystematicSampling final : public EpochSampling {
 public:
  // REQUIRES: 0 < size < 2^62; order is kShuffle or kSequential.
  SystematicSampling(std::vector<std::uint64_t> ends, std::uint64_t size,
                     const OrderOptions& order, std::uint64_t seed);

  std::uint64_t size() const override { return size_; }
  std::string_view name() const override { return "weighted"; }
  std::string_view draws() const override { return "weighted/2"; }
  void AddTo(Xxh3Stream& stream) const override;
  void At(std::span<const StreamPosition> places,
          std::span<SampledPlace> sampled) const override;

 private:
  // By sample, as stored: the places of it and of those before.
  using PlaceEnds = std::shared_ptr<const std::vector<std::uint64_t>>;
  std::vector<std::uint64_t> Draw(std::uint64_t epoch) const;
  PlaceEnds EndsIn(std::uint64_t epoch) const;

  const std::vector<std::uint64_t> ends_;
  const std::uint64_t size_;
  const OrderOptions order_;
  const std::uint64_t seed_;
  const std::uint64_t first_offset_;
  // Guarded by mutex_: the epochs drawn last, by the parity of their number.
  struct Drawn {
    std::uint64_t epoch = 0;
    PlaceEnds ends;
  };
  mutable std::mutex mutex_;
  mutable std::array<Drawn, 2> drawn_;
};

// Place q has the sample whose numbers include floor(word * W / 2^64), the word
// drawn as sampling_draw.h says, with the purpose "weighted draws". Repetition:
// q.
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
