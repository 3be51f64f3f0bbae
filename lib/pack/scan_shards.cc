#include "pack/scan_shards.h"

#include <utility>

#include "base/status_macros.h"
#include "io/storage_for.h"
#include "pack/index_labels.h"
#include "pack/index_sources.h"
#include "pack/index_split.h"
#include "pack/indexer.h"

namespace shardine {

Result<std::unique_ptr<ScannedShards>> ScanShards(
    const IndexOptions& options, const std::string& split_of_several,
    OnBad on_bad, const Job& job) {
  if (options.files.empty()) {
    return Status(Code::kInvalidArgument, "no files to read");
  }
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageForAll(job, options.files));
  auto scanned = std::make_unique<ScannedShards>();
  const IndexPlace place{*storage, OutputFolder(scanned->sidecars, ""),
                         /*on_disk=*/false};
  // Where a lock makes it on the disk.
  SHARDINE_RETURN_IF_ERROR(scanned->sidecars.CreateDirectories(
      DirectoryOf(place.output.WorkPath("x"))));
  SHARDINE_ASSIGN_OR_RETURN(std::vector<IndexSource> sources,
                            FindSources(place, options, job.formats));
  for (IndexSource& source : sources) {
    source.split_of_several = split_of_several;
    source.leaves_out_bad = on_bad != OnBad::kFail;
  }
  SHARDINE_ASSIGN_OR_RETURN(
      FormatAndLayout format,
      CommonFormat(*storage, sources, options, job.formats));
  SHARDINE_RETURN_IF_ERROR(ChooseSplits(*storage, format, sources));
  SHARDINE_RETURN_IF_ERROR(
      ChooseLabels(*storage, options, sources, job, format));
  // Its progress would look like progress of the work itself.
  const Job silent{.stop = job.stop, .formats = job.formats};
  SHARDINE_ASSIGN_OR_RETURN(
      IndexedShards indexed,
      ScanIntoIndex(place, options, silent, format, std::move(sources)));
  scanned->manifest = std::move(indexed.manifest);
  scanned->warnings = std::move(indexed.result.warnings);
  scanned->lost = std::move(indexed.lost);
  scanned->skipped = std::move(indexed.skipped);
  return scanned;
}

}  // namespace shardine
