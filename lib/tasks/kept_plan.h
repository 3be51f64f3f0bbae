// KeptPlan: the plan of a dataset that is made while it is loaded. PlanTasks()
// makes the same one; here it is in memory, and a task is a shard.
#ifndef SHARDINE_TASKS_KEPT_PLAN_H_
#define SHARDINE_TASKS_KEPT_PLAN_H_

#include <memory>

#include "io/memory_storage.h"
#include "io/output_folder.h"
#include "io/readable_storage.h"
#include "pack/dataset_plan.h"
#include "shardine/job.h"
#include "shardine/pack.h"
#include "shardine/status.h"
#include "tasks/plan_file.h"

namespace shardine {

// Thread-safe once made.
class KeptPlan {
 public:
  // Lists the source; writes nothing. Failures as PlanTasks(), and
  // kInvalidArgument: options under which the samples of an epoch are not
  // known before all are packed. The job's storage and formats must outlive
  // the plan.
  static Result<std::unique_ptr<KeptPlan>> Make(const PackOptions& pack,
                                                const Job& job);

  // The dataset is complete in the output: there is nothing to make.
  bool is_complete() const { return is_complete_; }

  // Writes the journal, or finds this plan's. kChanged: the output was begun
  // with other samples. kIo: the disk is too small.
  Status Claim(const std::stop_token& stop) const;

  // A plan file of its own for each caller.
  Result<std::unique_ptr<PlanFile>> OpenPlan() const;

  const PackOptions& pack() const { return pack_; }
  const Job& job() const { return job_; }  // without progress and stop
  const DatasetPlan& planned() const { return *planned_; }
  const OutputFolder& output() const { return output_; }
  ReadableStorage& sources() const { return *sources_; }

 private:
  KeptPlan(const PackOptions& pack, const Job& job, OutputFolder output,
           std::shared_ptr<ReadableStorage> sources);
  Status Write();
  Result<bool> FindJournal() const;

  const PackOptions pack_;
  const Job job_;
  const OutputFolder output_;
  const std::shared_ptr<ReadableStorage> sources_;
  std::unique_ptr<const DatasetPlan> planned_;
  bool is_complete_ = false;
  mutable MemoryStorage memory_;
};

}  // namespace shardine

#endif  // SHARDINE_TASKS_KEPT_PLAN_H_
