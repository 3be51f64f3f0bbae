// The names of a source's files, all at once where each would take a while.
#ifndef SHARDINE_SOURCE_SOURCE_SNAPSHOT_H_
#define SHARDINE_SOURCE_SOURCE_SNAPSHOT_H_

#include <memory>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/source.h"
#include "shardine/status.h"

namespace shardine {

// See ManyFiles::Snapshot() (io/many_files.h). Null: `storage` itself is quick.
Result<std::unique_ptr<ReadableStorage>> SnapshotOf(
    ReadableStorage& storage,
    const std::vector<SourceOptions::Folder>& folders);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SOURCE_SNAPSHOT_H_
