#include "dataset/sidecar_beside.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "dataset/listed_shards.h"
#include "io/path_scheme.h"
#include "pipeline/parallel_for.h"
#include "shard/payload.h"
#include "shard/shard_index.h"

namespace shardine {
namespace {

// Opens it, and compares some of its samples with the shard.
Result<std::unique_ptr<ShardIndex>> OpenFitting(ReadableStorage& storage,
                                                const std::string& path,
                                                const RandomAccessFile& shard) {
  SHARDINE_ASSIGN_OR_RETURN(auto index, ShardIndex::Open(storage, path));
  if (index->binding().shard_bytes != shard.size()) {
    return Status(Code::kCorrupt, "is the sidecar of another shard")
        .At({.path = path});
  }
  if (index->size() == 0) return index;
  const std::vector<std::uint64_t> records = SomeRecords(index->size());
  const unsigned threads = SchemeOf(path).empty() ? 1 : 16;
  SHARDINE_RETURN_IF_ERROR(
      ParallelFor(records.size(), threads, [&](std::size_t i) -> Status {
        SHARDINE_ASSIGN_OR_RETURN(const IndexEntry entry,
                                  index->Entry(records[i]));
        ByteBuffer payload;
        if (!HasExtents(entry)) return {};
        return ReadPayload(shard, entry, payload).At({.record = records[i]});
      }));
  return index;
}

}  // namespace

std::string FindSidecarBeside(ReadableStorage& storage,
                              const RandomAccessFile& shard, ShardScan& scan) {
  const std::string beside = shard.path() + std::string(kSidecarSuffix);
  for (const std::string& path : {SidecarName(shard.path()), beside}) {
    auto index = OpenFitting(storage, path, shard);
    Status status = index.status();
    if (status.code() == Code::kNotFound) continue;
    ShardScan found;
    found.format = scan.format;
    if (status.ok()) status = AddSidecar(**index, found);
    if (status.ok()) {
      scan = std::move(found);
      return path;
    }
    scan.warnings.push_back("the sidecar beside it is not used: " +
                            status.ToString());
  }
  return {};
}

std::optional<Manifest> FindManifestOf(ReadableStorage& storage,
                                       const std::vector<std::string>& shards) {
  const std::string folder = DirectoryOf(shards.front());
  auto manifest = ReadManifest(storage, folder);
  if (!manifest.ok()) return std::nullopt;
  std::set<std::string> listed;
  for (const ManifestSplit& split : manifest->splits) {
    for (const ManifestShard& shard : split.shards) {
      listed.insert(shard.file.path);
    }
  }
  const auto is_listed = [&](const std::string& shard) {
    return DirectoryOf(shard) == folder && listed.contains(FileNameOf(shard));
  };
  if (!std::ranges::all_of(shards, is_listed)) return std::nullopt;
  return *std::move(manifest);
}

}  // namespace shardine
