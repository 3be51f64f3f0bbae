// Conditions that every manifest must meet, whatever wrote it.
#ifndef SHARDINE_DATASET_MANIFEST_CHECK_H_
#define SHARDINE_DATASET_MANIFEST_CHECK_H_

#include <cstdint>
#include <string_view>

#include "dataset/manifest.h"
#include "shardine/status.h"

namespace shardine {

// Bounds on the sums over all files and over all splits: far below the limits
// of loader arithmetic (2^62), and no dataset that can exist is refused.
inline constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kMaxManifestSamples = std::uint64_t{1} << 55;

// True for a relative path of plain parts: not empty, no NUL, no empty part,
// no ".", and ".." only at the front. A shard's path may be such.
bool IsManifestPath(std::string_view path);

// The same without any "..": required of all paths that are written or removed
// with a dataset.
bool IsPathBelow(std::string_view path);

// Whether a file may accompany the shard: it lies below the manifest or, if it
// is neither a sidecar nor entry points, in the shard's own folder, where the
// native index of a shard is that was indexed in place.
bool IsCompanionPath(std::string_view path, std::string_view shard);

// kCorrupt naming the first of: lists out of order, a split whose name could
// not be a folder's, sums of samples that disagree, counts that no dataset has
// or a shard with more samples than its sidecar can have rows, a path that is
// not one, a file listed twice.
Status CheckManifest(const Manifest& manifest);

}  // namespace shardine

#endif  // SHARDINE_DATASET_MANIFEST_CHECK_H_
