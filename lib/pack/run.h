// The verbs of shardine/{pack,convert,diff,reindex,verify}.h over any storage:
// what the public entry points call with the local one, and tests with others.
#ifndef SHARDINE_PACK_RUN_H_
#define SHARDINE_PACK_RUN_H_

#include <functional>
#include <stop_token>
#include <string>

#include "io/storage.h"
#include "shardine/convert.h"
#include "shardine/diff.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/reindex.h"
#include "shardine/resize.h"
#include "shardine/verify.h"

namespace shardine {

Result<PackResult> RunPack(Storage& storage, const PackOptions& options,
                           const ProgressFunction& progress,
                           const std::stop_token& stop,
                           const FormatRegistry& formats);

Result<PackResult> RunResizeShards(Storage& storage,
                                   const ResizeShardsOptions& options,
                                   const ProgressFunction& progress,
                                   const std::stop_token& stop,
                                   const FormatRegistry& formats);

Result<PackResult> RunIndex(Storage& storage, const IndexOptions& options,
                            const ProgressFunction& progress,
                            const std::stop_token& stop,
                            const FormatRegistry& formats);

Result<PackResult> RunConvert(Storage& storage, const ConvertOptions& options,
                              const ProgressFunction& progress,
                              const std::stop_token& stop,
                              const FormatRegistry& formats);

Result<PackResult> RunMerge(Storage& storage, const MergeOptions& options,
                            const ProgressFunction& progress,
                            const std::stop_token& stop,
                            const FormatRegistry& formats);

Result<PackResult> RunRelabel(Storage& storage, const RelabelOptions& options,
                              const ProgressFunction& progress,
                              const std::stop_token& stop,
                              const FormatRegistry& formats);

Result<DiffResult> RunDiff(
    Storage& storage, const std::string& first, const std::string& second,
    const std::function<Status(const Difference&)>& visit);

Result<ReindexResult> RunReindex(Storage& storage,
                                 const ReindexOptions& options,
                                 const ProgressFunction& progress,
                                 const std::stop_token& stop,
                                 const FormatRegistry& formats);

Result<VerifyResult> RunVerify(Storage& storage, const VerifyOptions& options,
                               const ProgressFunction& progress,
                               const std::stop_token& stop,
                               const FormatRegistry& formats);

}  // namespace shardine

#endif  // SHARDINE_PACK_RUN_H_
