// The samples of a source by the places of their files.
#ifndef SHARDINE_SOURCE_PLACE_INDEX_H_
#define SHARDINE_SOURCE_PLACE_INDEX_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "source/source_set.h"

namespace shardine {

// A path below a root of the source.
struct PlaceInTree {
  std::uint32_t root = 0;  // into SourceSet::roots
  std::string path;

  friend auto operator<=>(const PlaceInTree&, const PlaceInTree&) = default;
};

// Four bytes a sample. Immutable; the set must outlive it, with its samples.
class PlaceIndex {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  explicit PlaceIndex(const SourceSet& set);

  // The sample; SourceList::size() for an image that cannot be read, kNowhere
  // for none.
  std::size_t Find(const PlaceInTree& place) const;
  // Sets `sample` to the one image that has the name without its suffix, if
  // any. False: several have it.
  bool FindStem(const PlaceInTree& place, std::size_t& sample) const;

 private:
  using Key = std::pair<std::uint32_t, std::string_view>;

  Key Of(std::uint32_t i) const { return {samples_.root(i), samples_.path(i)}; }
  std::vector<std::uint32_t>::const_iterator LowerBound(
      const PlaceInTree& place) const;

  const SourceList& samples_;
  std::vector<std::uint32_t> order_;
  std::vector<PlaceInTree> bad_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_PLACE_INDEX_H_
