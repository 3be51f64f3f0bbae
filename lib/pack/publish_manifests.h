// The end of a run: all shards are published, and only the manifests are left
// to write.
#ifndef SHARDINE_PACK_PUBLISH_MANIFESTS_H_
#define SHARDINE_PACK_PUBLISH_MANIFESTS_H_

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "dataset/dataset_summary.h"
#include "dataset/manifest.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "pack/output_state.h"
#include "pack/published_files.h"
#include "pack/shard_notes.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"

namespace shardine {

struct PublishedDatasets {
  std::vector<Manifest> manifests;         // as DatasetPlan::variants
  std::vector<std::uint64_t> image_bytes;  // of each
  std::uint64_t others = 0;  // images of the first that are no JPEG or PNG
};

// Writes ignored.jsonl, rejected.jsonl and the manifest of each variant that
// lacks one, the original's manifest last; files that an earlier try of this
// work left are replaced. kCorrupt: the shards differ from the plan. kChanged:
// a complete variant holds other samples than the shards made now.
// kAlreadyExists: a file that is not ours has one of the names. REQUIRES: every
// shard is finished and, where a manifest lacks, noted; the journal is held.
Result<PublishedDatasets> PublishManifests(const OutputFolder& output,
                                           const DatasetPlan& planned,
                                           const Judgement& judged,
                                           const OutputState& state);

// The sums over all shards of a plan, for each of its variants.
struct DatasetSums {
  ShardNotes notes;
  std::vector<DatasetSummary> summaries;  // as DatasetPlan::variants
};
// The same for known sums. Reads no sample of the plan.
Result<PublishedDatasets> PublishManifests(const OutputFolder& output,
                                           const DatasetPlan& planned,
                                           const Judgement& judged,
                                           const OutputState& state,
                                           DatasetSums sums);

// Adds a warning where images are neither JPEG nor PNG: which of their kinds
// the layout's usual reader does not decode.
void WarnOfOthers(const PublishedDatasets& published, const Layout& layout,
                  PackResult& result);

// Sets PackResult::copies: images that splits of the published dataset share.
// The dataset is complete whatever happens here: a failure is a warning.
void CompareSplits(const OutputFolder& output, const DatasetPlan& planned,
                   const std::stop_token& stop, PackResult& result);

// The files of a shard, as it has them in each variant.
FinishedShard FilesOf(const DatasetPlan& planned, const PlannedShard& shard);

// Publishes OUT/PATH, a list of rejects, and lists it in `manifest`, in whose
// folder it lies. Before the manifest, which has its digest: so it never names
// a file that a power cut could have taken.
Status PublishRejects(PublishedFiles& files, const OutputFolder& output,
                      const std::string& path, const std::string& lines,
                      Manifest& manifest);

}  // namespace shardine

#endif  // SHARDINE_PACK_PUBLISH_MANIFESTS_H_
