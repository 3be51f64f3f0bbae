#include <vector>

#include "base/status_macros.h"
#include "pipeline/parallel_for.h"
#include "tasks/machine_error.h"
#include "tasks/status_parts.h"
#include "tasks/task_waits.h"
#include "tasks/verify_folder.h"
#include "tasks/verify_kind.h"

namespace shardine {

Result<TaskStatus> StatusOfVerifyTasks(std::unique_ptr<PlanFile> plan,
                                       const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(
      const auto folder,
      VerifyFolder::Open(std::move(plan), FactsFrom::kListing, job));
  std::vector<char> done(folder->plan().shards().size(), 0);
  SHARDINE_RETURN_IF_ERROR(
      ParallelFor(done.size(), WaitingThreads(folder->notes().storage()),
                  [&](std::size_t i) {
                    const Status found = folder->FindDone(i).status();
                    done[i] = found.ok() ? 1 : 0;
                    return IsMachineError(found) ? found : Status();
                  }));
  TaskStatus status;
  status.is_verification = true;
  SHARDINE_RETURN_IF_ERROR(
      FillStatus(folder->plan(), folder->notes(), done, status));
  return status;
}

}  // namespace shardine
