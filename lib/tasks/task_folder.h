// TaskFolder: a plan file and the output that its tasks work on, as one process
// sees them.
#ifndef SHARDINE_TASKS_TASK_FOLDER_H_
#define SHARDINE_TASKS_TASK_FOLDER_H_

#include <memory>
#include <string>

#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "pack/dataset_plan.h"
#include "pack/output_state.h"
#include "shardine/job.h"
#include "shardine/status.h"
#include "tasks/plan_file.h"
#include "tasks/task_note.h"

namespace shardine {

class TaskFolder {
 public:
  // With lists where they go into the manifest. kChanged: images would be made
  // by other libraries here than where the plan was made; kIo, kRemote.
  // REQUIRES: the plan makes a dataset.
  static Result<TaskFolder> Open(std::unique_ptr<PlanFile> plan, const Job& job,
                                 PlanLists lists = {});

  const PlanFile& plan() const { return *plan_; }
  // Without samples.
  const DatasetPlan& outline() const { return *outline_; }
  const OutputFolder& output() const { return output_; }
  const Judgement& judged() const { return judged_; }
  // Where the tasks read: an archive of a pack is opened for this.
  Result<std::shared_ptr<ReadableStorage>> OpenSources() const;

  // Finds which variants have their manifests. kChanged: one belongs to another
  // plan, or its images were judged otherwise; or a file that it lists is
  // another, or is lost and belongs to no shard, or to a dataset that has not
  // all manifests.
  Result<OutputState> FindState() const;
  // The shards of a task that lack a file in a complete dataset.
  std::vector<std::size_t> LostShards(const OutputState& state,
                                      std::uint64_t task) const;
  // kChanged, naming the file: a complete dataset lacks one, which a task makes
  // again.
  Status CheckNothingLost(const OutputState& state) const;

  // ReadTaskNote() and CheckNotedFiles() of a shard.
  Result<TaskNote> FindDone(const PlanShard& shard) const;

 private:
  TaskFolder(std::unique_ptr<PlanFile> plan, OutputFolder output)
      : plan_(std::move(plan)), output_(std::move(output)) {}

  std::unique_ptr<PlanFile> plan_;
  OutputFolder output_;
  std::unique_ptr<DatasetPlan> outline_;
  Judgement judged_;
  ReadableStorage* below_ = nullptr;
};

}  // namespace shardine

#endif  // SHARDINE_TASKS_TASK_FOLDER_H_
