#include "load/episode_sampling.h"

#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/permutation.h"

namespace shardine {

std::uint64_t EpisodeSize(const EpisodeSampling& episodes) {
  return std::uint64_t{episodes.way} *
         (std::uint64_t{episodes.shot} + episodes.query);
}

struct EpisodeDraws::Place {
  std::uint64_t way = 0;
  std::uint64_t sample = 0;
};

EpisodeDraws::EpisodeDraws(SampleGroups classes,
                           const EpisodeSampling& episodes, std::uint64_t seed)
    : classes_(std::move(classes)), episodes_(episodes), seed_(seed) {}

std::uint64_t EpisodeDraws::each() const { return EpisodeSize(episodes_); }

void EpisodeDraws::AddTo(Xxh3Stream& stream) const {
  stream.UpdateLe(episodes_.way);
  stream.UpdateLe(episodes_.shot);
  stream.UpdateLe(episodes_.query);
  stream.UpdateLe(episodes_.episodes);
  classes_.AddTo(stream);
}

EpisodeDraws::Place EpisodeDraws::PlaceAt(std::uint64_t place) const {
  const std::uint64_t shot = episodes_.shot;
  const std::uint64_t shots = shot * episodes_.way;
  if (place < shots) return {place / shot, place % shot};
  const std::uint64_t query = place - shots;
  return {query / episodes_.query, shot + query % episodes_.query};
}

void EpisodeDraws::At(std::span<const StreamPosition> places,
                      std::span<SampledPlace> sampled) const {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& [epoch, position] = places[i];
    const std::uint64_t number = position / each();
    const std::uint64_t episode = epoch * episodes_.episodes + number;
    const Place at = PlaceAt(position % each());
    const std::uint64_t of = Permutation(classes_.count(), seed_, "episode",
                                         episode, kEpochShuffle)(at.way);
    std::string purpose = "episode of";
    AppendLe(of, purpose);
    const Permutation samples(classes_.size(of), seed_, purpose, episode,
                              kEpochShuffle);
    sampled[i] = {classes_(of, samples(at.sample)), number};
  }
}

}  // namespace shardine
