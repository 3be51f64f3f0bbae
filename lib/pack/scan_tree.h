// Scan (shardine/scan.h) over any storage.
#ifndef SHARDINE_PACK_SCAN_TREE_H_
#define SHARDINE_PACK_SCAN_TREE_H_

#include <stop_token>

#include "io/storage.h"
#include "shardine/scan.h"

namespace shardine {

Result<ScanResult> ScanTree(Storage& storage, const ScanOptions& options,
                            const ProgressFunction& progress,
                            const std::stop_token& stop);

}  // namespace shardine

#endif  // SHARDINE_PACK_SCAN_TREE_H_
