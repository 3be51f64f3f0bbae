// Resize to a tree over any storage: what ResizeTree() (shardine/resize.h)
// calls with the local one, and tests with others.
#ifndef SHARDINE_PACK_RESIZE_TREE_H_
#define SHARDINE_PACK_RESIZE_TREE_H_

#include <stop_token>

#include "io/storage.h"
#include "shardine/resize.h"
#include "shardine/status.h"

namespace shardine {

Result<ResizeResult> RunResizeTree(Storage& storage,
                                   const ResizeOptions& options,
                                   const ProgressFunction& progress,
                                   const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_PACK_RESIZE_TREE_H_
