#include <string>
#include <vector>

#include "cli/plan_job.h"
#include "cli/source_operands.h"
#include "shardine/describe.h"
#include "shardine/resize.h"
#include "shardine/tasks.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kPlanResizeExamples[] =
    "shardine plan resize photos small --short-side 64 --to plan\n"
    "shardine plan resize photos two --short-side 64,128 --to two.plan\n";

constexpr char kPlanResizeText[] =
    "Plans what shardine resize --to shards with the same operands and "
    "options\n"
    "would make, as tasks that any number of processes do, on any machines "
    "that\n"
    "see the same files, in any order: see shardine plan pack. Trees of files, "
    "as\n"
    "resize makes them without --to shards, are made by one process.\n"
    "\n"
    "  shardine plan resize SOURCE OUT --short-side 160,320 --to PLAN\n"
    "  shardine run-task PLAN K       for each K from 0, several at a time\n"
    "  shardine finalize PLAN         when all are done\n"
    "\n"
    "The datasets OUT/sz/SIZE are, byte for byte, those of shardine resize.\n";

class PlanResizeVerb : public Verb {
 public:
  Usage usage() const override {
    return {"SOURCE... OUT --to PLAN", 2, 1000, kPlanResizeText,
            kPlanResizeExamples};
  }

  ServerUse servers() const override { return ServerUse::kReadsSamples; }

  OptionList described() override {
    request_.to = ResizeTarget::kShards;
    OptionList described = Planned(DescribeOptions(request_));
    std::erase_if(described, [](const Option& option) {
      return option.name == "to" || option.name == "preset";
    });
    return described;
  }

  void Declare(Options& options) override { job_.Declare(options); }

  Result<ExitCode> Run(const std::vector<std::string>& operands,
                       const Options& options, Output& output) override {
    Status taken = Check(options);
    ResizeShardsOptions& resize = request_.resize;
    if (taken.ok()) {
      taken = TakeSourcesAndOutput(operands, resize.source, resize.output);
    }
    if (!taken.ok()) return taken;
    const ResizeTaskOptions plan{
        .resize = resize, .plan = job_.plan(), .task_bytes = job_.task_bytes()};
    return job_.Run(
        ScanningText({operands.begin(), operands.end() - 1}),
        [&](const Job& job) { return PlanResizeTasks(plan, job); }, output);
  }

  Inputs inputs() const override { return Inputs::kSources; }

 private:
  Status Check(const Options& options) const {
    // A user meaning resize's own --to would get a file of that name.
    if (job_.plan() == "tree" || job_.plan() == "shards") {
      return Status(Code::kInvalidArgument,
                    "--to is the file of the plan here, whose tasks always "
                    "make shards: ./" +
                        job_.plan() + " names a file of that name");
    }
    return job_.Check(options);
  }

  ResizeRequest request_;
  PlanJob job_;
};

}  // namespace

std::unique_ptr<Verb> MakePlanResizeVerb() {
  return std::make_unique<PlanResizeVerb>();
}

}  // namespace shardine
