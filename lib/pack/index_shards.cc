#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/manifest.h"
#include "dataset/metadata_files.h"
#include "io/output_folder.h"
#include "pack/index_labels.h"
#include "pack/index_sources.h"
#include "pack/index_split.h"
#include "pack/index_state.h"
#include "pack/indexer.h"
#include "pack/journal.h"
#include "shard/companion_folder.h"
#include "shard/shard_index.h"

namespace shardine {
namespace {

// The result where the output is complete with these files.
Result<std::optional<PackResult>> FindDone(const OutputFolder& output,
                                           const IndexOptions& options,
                                           const FormatRegistry& formats) {
  if (!output.storage().Stat(output.PathOf(kManifestName)).ok()) {
    return std::optional<PackResult>();
  }
  SHARDINE_ASSIGN_OR_RETURN(
      const auto sources,
      FindSources({output.storage(), output}, options, formats));
  std::vector<std::string> files;
  for (const IndexSource& source : sources) files.push_back(source.relative);
  return FindIndexed(output, options, files);
}

// Without a manifest a sidecar was left by a killed run or by the command that
// made the shard, or is not ours.
Status FindStanding(ReadableStorage& storage, const std::string& path,
                    IndexSource& source) {
  source.stands = storage.Stat(path).ok();
  if (!source.stands) return Status();
  SHARDINE_ASSIGN_OR_RETURN(const FileInfo shard, storage.Stat(source.path));
  // The whole shard has to be read to know its digest, and is before anything
  // is taken over.
  const auto index = ShardIndex::Open(storage, path);
  if (index.ok() && (*index)->binding().shard_bytes == shard.size) {
    source.taken_over = (*index)->binding().plan_digest != Digest128();
    return Status();
  }
  return Status(Code::kAlreadyExists,
                "is in the way and no index of " + source.path +
                    "; index into another folder, or remove it")
      .At({.path = path});
}

// Ids are chosen for all shards at once, so all have theirs already or none.
Status FindAllStanding(const OutputFolder& output, const IndexOptions& options,
                       std::vector<IndexSource>& sources) {
  for (IndexSource& source : sources) {
    SHARDINE_RETURN_IF_ERROR(
        FindStanding(output.storage(), output.PathOf(source.sidecar), source));
  }
  const auto taken = std::ranges::find(sources, true, &IndexSource::taken_over);
  if (taken == sources.end()) return Status();
  const auto refuse = [&](const std::string& why) {
    return Status(Code::kAlreadyExists,
                  "is the index of a shard that has keys, ids and labels, and "
                  "stays; " +
                      why)
        .At({.path = output.PathOf(taken->sidecar)});
  };
  for (IndexSource& source : sources) {
    if (!source.taken_over) {
      return refuse(source.path + " has none: index the two apart");
    }
    source.list.clear();
  }
  if (options.list.empty()) return Status();
  return refuse("index without a list, and relabel the dataset by the list");
}

// REQUIRES: the output is locked.
Result<PackResult> IndexInto(const OutputFolder& output,
                             const IndexOptions& options, const Job& job) {
  const IndexPlace place{output.storage(), output};
  SHARDINE_ASSIGN_OR_RETURN(std::vector<IndexSource> sources,
                            FindSources(place, options, job.formats));
  SHARDINE_ASSIGN_OR_RETURN(
      FormatAndLayout format,
      CommonFormat(output.storage(), sources, options, job.formats));
  SHARDINE_RETURN_IF_ERROR(ChooseSplits(output.storage(), format, sources));
  SHARDINE_RETURN_IF_ERROR(
      ChooseLabels(output.storage(), options, sources, job, format));
  SHARDINE_RETURN_IF_ERROR(FindAllStanding(output, options, sources));
  SHARDINE_ASSIGN_OR_RETURN(
      IndexedShards indexed,
      ScanIntoIndex(place, options, job, format, std::move(sources)));
  SHARDINE_RETURN_IF_ERROR(
      WriteMetadata(output.storage(), output.path(), format, indexed.manifest)
          .status());
  // The manifest makes the sidecars a dataset; the provisional ones go after
  // it, and are made again if it is never written.
  SHARDINE_RETURN_IF_ERROR(WriteManifest(
      output.storage(), output.path(), indexed.manifest, ManifestWrite::kNew));
  SHARDINE_RETURN_IF_ERROR(Journal::RemoveFolder(output));
  return std::move(indexed.result);
}

}  // namespace

// The shards have to be where the output is: the manifest names them by their
// way from there.
Result<PackResult> IndexShards(const IndexOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  SHARDINE_ASSIGN_OR_RETURN(auto done, FindDone(output, options, job.formats));
  if (done) return *std::move(done);
  // Asked before the lock, which makes the folder.
  const bool is_new = !output.storage().Stat(output.path()).ok();
  SHARDINE_ASSIGN_OR_RETURN(FolderLock lock, output.Lock());
  // Another run may have finished between the look and the lock.
  SHARDINE_ASSIGN_OR_RETURN(done, FindDone(output, options, job.formats));
  if (done) return *std::move(done);
  auto result = IndexInto(output, options, job);
  if (result.ok()) {
    SHARDINE_RETURN_IF_ERROR(lock.Release());
  } else if (is_new) {
    // Best effort: a folder that holds something is left as it is.
    (void)Journal::RemoveFolder(output);
    (void)lock.Release();
    (void)output.storage().Remove(output.PathOf(kCompanionFolder));
    (void)output.storage().Remove(output.path());
  }
  return result;
}

}  // namespace shardine
