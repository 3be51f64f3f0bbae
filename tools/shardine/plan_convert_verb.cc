#include <string>
#include <vector>

#include "cli/convert_option_group.h"
#include "cli/plan_job.h"
#include "shardine/tasks.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kPlanConvertText[] =
    "Plans what shardine convert with the same operands and options would "
    "make,\n"
    "as tasks that any number of processes do, on any machines that see the "
    "same\n"
    "files, in any order: see shardine plan pack. IN is a dataset; of shard "
    "files\n"
    "of other programs shardine index makes one, in place.\n"
    "\n"
    "  shardine plan convert IN OUT --format tfrecord --to PLAN\n"
    "  shardine run-task PLAN K       for each K from 0, several at a time\n"
    "  shardine finalize PLAN         when all are done\n"
    "\n"
    "The dataset is, byte for byte, that of shardine convert, and what comes "
    "out\n"
    "is proved to be what goes in, as there. Tasks refuse an IN that changed "
    "since\n"
    "it was planned.\n";

class PlanConvertVerb : public Verb {
 public:
  Usage usage() const override {
    return {"IN OUT --to PLAN", 2, 2, kPlanConvertText};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  bool IsList(const std::string& path) const override {
    return group_.IsList(path);
  }

  void Declare(Options& options) override {
    group_.Declare(options);
    job_.Declare(options);
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    Status taken = group_.Take(operands, options);
    if (taken.ok()) taken = job_.Check(options);
    if (!taken.ok()) return taken;
    const ConvertTaskOptions plan{.convert = group_.convert(),
                                  .plan = job_.plan(),
                                  .task_bytes = job_.task_bytes()};
    return job_.Run(
        group_.first(),
        [&](const Job& job) { return PlanConvertTasks(plan, job); }, output);
  }

  std::string AdviceOn(const Status& status) const override {
    if (status.message().starts_with("is in no dataset, and every task")) {
      return "shardine index FILE... DATASET makes one, in place";
    }
    return ConvertOptionGroup::AdviceOn(status);
  }

 private:
  ConvertOptionGroup group_;
  PlanJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakePlanConvertVerb() {
  return std::make_unique<PlanConvertVerb>();
}

}  // namespace shardine
