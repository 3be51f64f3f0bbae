// EpisodeDraws: EpisodeSampling's places. Few-shot episodes, one after another.
#ifndef SHARDINE_LOAD_EPISODE_SAMPLING_H_
#define SHARDINE_LOAD_EPISODE_SAMPLING_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "load/epoch_sampling.h"
#include "load/sample_groups.h"

namespace shardine {

// Episode x, counted through all epochs modulo 2^64, has classes
// Permutation(classes, seed, "episode", x)(0), (1), ... and of each the samples
// Permutation(its samples, seed, "episode of" + class as 8 bytes, x)(0), (1),
// ...: the shots, then the queries. Repetition: the episode's number in its
// epoch.
class EpisodeDraws final : public EpochSampling {
 public:
  // REQUIRES: episodes > 0; way, shot + query > 0; there are `way` classes, of
  // shot + query samples at least; samples of an epoch below 2^62.
  EpisodeDraws(SampleGroups classes, const EpisodeSampling& episodes,
               std::uint64_t seed);

  std::uint64_t size() const override { return episodes_.episodes * each(); }
  Dealing dealing() const override { return {.unit = each()}; }
  std::string_view name() const override { return "episodes"; }
  void AddTo(Xxh3Stream& stream) const override;
  void At(std::span<const StreamPosition> places,
          std::span<SampledPlace> sampled) const override;

 private:
  // Which class of an episode, and which of its samples.
  struct Place;
  Place PlaceAt(std::uint64_t place) const;
  std::uint64_t each() const;

  const SampleGroups classes_;
  const EpisodeSampling episodes_;
  const std::uint64_t seed_;
};

// Samples of an episode. REQUIRES: they are below 2^62.
std::uint64_t EpisodeSize(const EpisodeSampling& episodes);

}  // namespace shardine

#endif  // SHARDINE_LOAD_EPISODE_SAMPLING_H_
