// Samples whose image is sound and of a kind that is not decoded: their index
// entries, and how many of each kind.
#ifndef SHARDINE_DATASET_UNDECODED_IMAGES_H_
#define SHARDINE_DATASET_UNDECODED_IMAGES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/manifest.h"
#include "shard/shard_index.h"
#include "shardine/array_layout.h"

namespace shardine {

// As UndecodedKind() (image/undecoded_kind.h) of the field `image`; "array" of
// an array that is no image of that layout (shard/image_array.h). Empty: the
// image is decoded, damaged or missing.
std::string_view UndecodedKindOf(const IndexEntry& entry,
                                 ArrayLayout layout = ArrayLayout::kHwc);

// Adds so many images of that kind; does nothing for an empty kind. REQUIRES
// and ensures: the counts are by kind.
void AddKind(std::string_view kind, std::uint64_t count,
             std::vector<ManifestKind>& counts);
void AddKinds(const std::vector<ManifestKind>& more,
              std::vector<ManifestKind>& counts);

std::uint64_t CountOf(const std::vector<ManifestKind>& counts);
// "webp (10), gif (2)", the most frequent first.
std::string Describe(const std::vector<ManifestKind>& counts);
// A sentence for people; empty if there are none.
std::string UndecodedWarning(const std::vector<ManifestKind>& counts,
                             std::uint64_t samples);
// The kinds of all splits.
std::vector<ManifestKind> UndecodedOf(const Manifest& manifest);

}  // namespace shardine

#endif  // SHARDINE_DATASET_UNDECODED_IMAGES_H_
