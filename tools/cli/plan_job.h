// The shared parts of verbs that plan tasks of a dataset: --to, --task-size and
// --json, progress, and the plan in text or JSON.
#ifndef SHARDINE_CLI_PLAN_JOB_H_
#define SHARDINE_CLI_PLAN_JOB_H_

#include <cstdint>
#include <functional>
#include <string>

#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output.h"
#include "shardine/job.h"
#include "shardine/status.h"
#include "shardine/tasks.h"

namespace shardine {

// Tasks decide for themselves how they run.
OptionList Planned(OptionList described);

// Thread-compatible. Must outlive the Options it is declared in.
class PlanJob {
 public:
  using Work = std::function<Result<TaskPlan>(const Job&)>;

  void Declare(Options& options);
  // kInvalidArgument: no file for the plan, or no size.
  Status Check(const Options& options) const;
  const std::string& plan() const { return plan_; }
  std::uint64_t task_bytes() const { return task_bytes_; }

  // `first` is printed before anything is known: "scanning photos ...".
  Result<ExitCode> Run(const std::string& first, const Work& work,
                       Output& output) const;

 private:
  std::string plan_;
  std::uint64_t task_bytes_ = 0;
  bool json_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_PLAN_JOB_H_
