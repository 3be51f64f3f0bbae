// OutputState: the contents of an output folder before a run. pack, convert,
// merge, resize and their plans all use it.
#ifndef SHARDINE_PACK_OUTPUT_STATE_H_
#define SHARDINE_PACK_OUTPUT_STATE_H_

#include <optional>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "shardine/pack_result.h"
#include "shardine/status.h"

namespace shardine {

struct VariantState {
  // The manifest, if it exists and belongs to this plan. No file that it lists
  // is removed or replaced.
  std::optional<Manifest> complete = std::nullopt;
  // Files of a complete variant (shards and ignored.jsonl) that are absent or
  // empty, by the paths of its manifest. The same command makes them again.
  std::vector<std::string> lost = {};
  // The manifest is one that the unfinished work in the folder published: the
  // work may take it back, and no other manifest.
  bool ours = false;
  // It was published for sources, or ways with bad images, that are others now.
  bool outdated = false;
};

struct OutputState {
  std::vector<VariantState> variants;  // as DatasetPlan::variants

  // Whether every variant stands with all its files.
  bool is_complete() const;
  // Whether every variant has its manifest, whatever files are lost.
  bool has_all_manifests() const;
  // REQUIRES: has_all_manifests().
  std::vector<Manifest> manifests() const;
  // The folders of variants that have no manifest of this plan.
  std::vector<std::string> IncompleteFolders(const DatasetPlan& planned) const;

  // Looks, and changes nothing.
  //
  // kChanged: a dataset in the output is of another plan, or no variant of this
  // one, or its images were judged so that others may be in it; or a file of a
  // complete variant is another, or is lost and no command makes it again.
  // kInvalidArgument: the output is no folder.
  static Result<OutputState> Of(const OutputFolder& output,
                                const DatasetPlan& planned,
                                const Judgement& judged);
};

// Samples that the inputs lost, among the rejects taken over from them
// (DatasetPlan::kept): no rejects of this work.
std::vector<RejectedCount> RejectedBefore(
    const std::vector<Reject>& taken_over);

// Fills `result` from the manifests of all variants, in their order. Their
// rejects are this work's but for those in `before`, which RejectedBefore() has
// counted.
void FillResult(const std::vector<PlannedVariant>& variants,
                const std::vector<RejectedCount>& before,
                const std::vector<Manifest>& manifests, PackResult& result);

}  // namespace shardine

#endif  // SHARDINE_PACK_OUTPUT_STATE_H_
