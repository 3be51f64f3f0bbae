// The verbs of shardine/pack.h and shardine/verify.h over any storage: what the
// public entry points call with the local one, and tests with others.
#ifndef SHARDINE_PACK_RUN_H_
#define SHARDINE_PACK_RUN_H_

#include <stop_token>

#include "io/storage.h"
#include "shardine/pack.h"
#include "shardine/verify.h"

namespace shardine {

Result<PackResult> RunPack(Storage& storage, const PackOptions& options,
                           const ProgressFunction& progress,
                           const std::stop_token& stop,
                           const FormatRegistry& formats);

Result<PackResult> RunIndex(Storage& storage, const IndexOptions& options,
                            const ProgressFunction& progress,
                            const std::stop_token& stop,
                            const FormatRegistry& formats);

Result<VerifyResult> RunVerify(Storage& storage, const VerifyOptions& options,
                               const ProgressFunction& progress,
                               const std::stop_token& stop,
                               const FormatRegistry& formats);

}  // namespace shardine

#endif  // SHARDINE_PACK_RUN_H_
