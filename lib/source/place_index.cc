#include "source/place_index.h"

#include <algorithm>
#include <numeric>

#include "source/source_file.h"

namespace shardine {

PlaceIndex::PlaceIndex(const SourceSet& set) : samples_(set.samples) {
  order_.resize(samples_.size());
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  std::ranges::sort(order_, {}, [&](std::uint32_t i) { return Of(i); });
  for (const SourceProblem& problem : set.bad) {
    bad_.push_back({problem.root, problem.key});
  }
  std::ranges::sort(bad_);
}

std::size_t PlaceIndex::Find(const PlaceInTree& place) const {
  const auto found = LowerBound(place);
  if (found != order_.end() && Of(*found) == Key(place.root, place.path)) {
    return *found;
  }
  return std::ranges::binary_search(bad_, place) ? samples_.size() : kNowhere;
}

bool PlaceIndex::FindStem(const PlaceInTree& place, std::size_t& sample) const {
  const PlaceInTree first{place.root, place.path + "."};
  for (auto at = LowerBound(first); at != order_.end(); ++at) {
    const auto [root, path] = Of(*at);
    if (root != first.root || !path.starts_with(first.path)) return true;
    if (StemOf(path) != place.path) continue;
    if (sample != kNowhere) return false;
    sample = *at;
  }
  return true;
}

std::vector<std::uint32_t>::const_iterator PlaceIndex::LowerBound(
    const PlaceInTree& place) const {
  return std::ranges::lower_bound(order_, Key(place.root, place.path), {},
                                  [&](std::uint32_t i) { return Of(i); });
}

}  // namespace shardine
