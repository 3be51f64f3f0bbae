// Epochs of a sampling as lists, place by place.
#ifndef SHARDINE_TESTS_UNIT_LOAD_SAMPLED_EPOCHS_H_
#define SHARDINE_TESTS_UNIT_LOAD_SAMPLED_EPOCHS_H_

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "load/epoch_sampling.h"

namespace shardine {

inline std::vector<SampledPlace> PlacesOf(const EpochSampling& sampling,
                                          std::uint64_t epoch) {
  std::vector<StreamPosition> places;
  for (std::uint64_t i = 0; i < sampling.size(); ++i) {
    places.push_back({epoch, i});
  }
  std::vector<SampledPlace> sampled(places.size());
  sampling.At(places, sampled);
  return sampled;
}

inline std::vector<std::uint64_t> NumbersOf(
    const std::vector<SampledPlace>& places) {
  std::vector<std::uint64_t> numbers;
  for (const SampledPlace& place : places) numbers.push_back(place.number);
  return numbers;
}

// How often each of so many samples comes.
inline std::vector<std::uint64_t> CountsOf(
    const std::vector<SampledPlace>& places, std::uint64_t samples) {
  std::vector<std::uint64_t> counts(samples);
  for (const SampledPlace& place : places) ++counts.at(place.number);
  return counts;
}

// Whether no sample has a repetition twice.
inline bool RepetitionsDiffer(const std::vector<SampledPlace>& places) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  return std::ranges::all_of(places, [&](const SampledPlace& place) {
    return seen.emplace(place.number, place.repetition).second;
  });
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LOAD_SAMPLED_EPOCHS_H_
