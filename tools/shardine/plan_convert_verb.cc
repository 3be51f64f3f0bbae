#include <string>
#include <vector>

#include "cli/convert_operands.h"
#include "cli/plan_job.h"
#include "shardine/describe.h"
#include "shardine/tasks.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kPlanConvertExamples[] =
    "shardine plan convert out tars --format webdataset --to plan\n"
    "shardine plan convert out few --shards 1 --to few.plan\n";

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
    return {"IN OUT --to PLAN", 2, 2, kPlanConvertText, kPlanConvertExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  OptionList described() override {
    OptionList described = Planned(DescribeOptions(convert_));
    // IN is a dataset, which names its classes.
    std::erase_if(described, [](const Option& option) {
      return option.name == "class-names";
    });
    return described;
  }

  void Declare(Options& options) override { job_.Declare(options); }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    Status taken = TakeInputsAndOutput(operands, convert_);
    if (taken.ok()) taken = job_.Check(options);
    if (!taken.ok()) return taken;
    const ConvertTaskOptions plan{.convert = convert_,
                                  .plan = job_.plan(),
                                  .task_bytes = job_.task_bytes()};
    return job_.Run(
        ReadingText(convert_),
        [&](const Job& job) { return PlanConvertTasks(plan, job); }, output);
  }

  std::string AdviceOn(const Status& status) const override {
    if (status.message().starts_with("is in no dataset, and every task")) {
      return "shardine index FILE... DATASET makes one, in place";
    }
    return ConvertAdvice(status);
  }

 private:
  ConvertOptions convert_;
  PlanJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakePlanConvertVerb() {
  return std::make_unique<PlanConvertVerb>();
}

}  // namespace shardine
