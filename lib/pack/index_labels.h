// The numbers of labels that are texts, in shards that are indexed.
#ifndef SHARDINE_PACK_INDEX_LABELS_H_
#define SHARDINE_PACK_INDEX_LABELS_H_

#include <vector>

#include "io/readable_storage.h"
#include "pack/index_sidecar.h"
#include "shard/format_registry.h"
#include "shardine/index.h"
#include "shardine/job.h"
#include "shardine/status.h"

namespace shardine {

// Reads the labels of all shards where one is named, so that `format` says from
// then on which numbers its texts are. Failures as those of IndexShards().
Status ChooseLabels(ReadableStorage& storage, const IndexOptions& options,
                    const std::vector<IndexSource>& sources, const Job& job,
                    FormatAndLayout& format);

}  // namespace shardine

#endif  // SHARDINE_PACK_INDEX_LABELS_H_
