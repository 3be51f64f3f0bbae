// TaskPart: some shards of a plan with all that it takes to make them: the
// difference between tasks that read files and tasks that read a dataset.
#ifndef SHARDINE_TASKS_TASK_PART_H_
#define SHARDINE_TASKS_TASK_PART_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "dataset/dataset_samples.h"
#include "dataset/manifest.h"
#include "io/output_folder.h"
#include "pack/block.h"
#include "pack/dataset_plan.h"
#include "pack/image_policy.h"
#include "shardine/digest.h"
#include "shardine/job.h"
#include "shardine/status.h"
#include "tasks/plan_file.h"

namespace shardine {

// Thread-compatible.
class TaskPart {
 public:
  // Reads the samples of these shards (numbers in the table of `plan`). Sources
  // are read from `sources`, quarantined images go to `output`; all of these
  // must outlive the part. kCorrupt: the plan contradicts itself. kChanged,
  // naming the file: the input dataset is another one.
  static Result<std::unique_ptr<TaskPart>> Read(
      const PlanFile& plan, const std::vector<std::size_t>& shards,
      ReadableStorage& sources, const OutputFolder& output, const Job& job);

  const DatasetPlan& planned() const { return *planned_; }
  const BlockPreparer& preparer() const { return *preparer_; }

 private:
  TaskPart() = default;
  Status OpenInput(const PlanFile& plan, std::vector<std::uint64_t> numbers,
                   ReadableStorage& sources, const Job& job);
  void MakePreparer(const PlanHead& head, ReadableStorage& sources,
                    const OutputFolder& output);

  // Each uses those before it.
  std::optional<DatasetPlan> planned_;
  std::unique_ptr<DatasetSamples> input_;
  std::optional<ImagePolicy> policy_;
  std::unique_ptr<BlockPreparer> preparer_;
};

// Shards, variants and names of the whole plan, without samples.
Result<DatasetPlan> OutlineOf(const PlanFile& plan, PlanLists lists,
                              const FormatRegistry& formats);

// Digest of the manifest's contents, wherever it lies.
Digest128 ManifestDigest(const Manifest& manifest);

}  // namespace shardine

#endif  // SHARDINE_TASKS_TASK_PART_H_
