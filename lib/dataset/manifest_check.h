// What must be true of any manifest, whoever made it.
#ifndef SHARDINE_DATASET_MANIFEST_CHECK_H_
#define SHARDINE_DATASET_MANIFEST_CHECK_H_

#include <string_view>

#include "dataset/manifest.h"
#include "shardine/status.h"

namespace shardine {

// True for a relative path of plain parts: not empty, no NUL, no empty part,
// no ".", and ".." only at the front.
bool IsManifestPath(std::string_view path);

// kCorrupt naming the first of: lists out of order, a split whose name could
// not be a folder's, sums of samples that disagree, a path that is not one, a
// file listed twice.
Status CheckManifest(const Manifest& manifest);

}  // namespace shardine

#endif  // SHARDINE_DATASET_MANIFEST_CHECK_H_
