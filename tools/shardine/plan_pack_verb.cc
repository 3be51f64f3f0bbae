#include <string>
#include <vector>

#include "cli/plan_job.h"
#include "cli/source_operands.h"
#include "shardine/describe.h"
#include "shardine/tasks.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kPlanPackExamples[] =
    "shardine plan pack photos made --to plan\n"
    "shardine plan pack photos made --shards 4 --to four.plan\n";

constexpr char kPlanPackText[] =
    "Plans what shardine pack with the same operands and options would make, "
    "as\n"
    "tasks that any number of processes do, on any machines that see the same\n"
    "files, in any order. PLAN has all that they need.\n"
    "\n"
    "  shardine plan pack SOURCE OUT --to PLAN\n"
    "  shardine run-task PLAN K       for each K from 0, several at a time\n"
    "  shardine finalize PLAN         when all are done\n"
    "\n"
    "The dataset is, byte for byte, that of shardine pack. Sources and OUT "
    "that\n"
    "are not on a server have to be under the same absolute paths everywhere.\n"
    "\n";

class PlanPackVerb : public Verb {
 public:
  Usage usage() const override {
    static const std::string text = std::string(kPlanPackText) + kSourceHelp;
    return {"SOURCE... OUT --to PLAN", 2, 1000, text, kPlanPackExamples};
  }

  OptionList described() override { return Planned(DescribeOptions(pack_)); }

  void Declare(Options& options) override { job_.Declare(options); }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    Status taken = TakeSourcesAndOutput(operands, pack_.source, pack_.output);
    if (taken.ok()) taken = job_.Check(options);
    if (!taken.ok()) return taken;
    const TaskPlanOptions plan{
        .pack = pack_, .plan = job_.plan(), .task_bytes = job_.task_bytes()};
    return job_.Run(
        ScanningText({operands.begin(), operands.end() - 1}),
        [&](const Job& job) { return PlanTasks(plan, job); }, output);
  }

  Inputs inputs() const override { return Inputs::kSources; }

 private:
  PackOptions pack_;
  PlanJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakePlanPackVerb() {
  return std::make_unique<PlanPackVerb>();
}

}  // namespace shardine
