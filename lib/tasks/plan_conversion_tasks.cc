#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/dataset_path.h"
#include "io/storage_for.h"
#include "pack/conversion.h"
#include "shardine/tasks.h"
#include "tasks/plan_paths.h"
#include "tasks/plan_writing.h"
#include "tasks/task_part.h"

namespace shardine {
namespace {

// Where a plan goes, and how it is cut.
struct PlanTarget {
  const std::string& plan;
  std::uint64_t task_bytes;
  const std::string& output;
  bool no_suffix = false;
};

// Each task would scan the files again, while a dataset already lists its
// samples.
Status CheckIsDataset(const std::string& input, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, input));
  SHARDINE_ASSIGN_OR_RETURN(const DatasetPath given,
                            FindDatasetPath(*storage, input, job.formats));
  if (!given.is_bare_shard) return Status();
  return Status(Code::kInvalidArgument,
                "is in no dataset, and every task would have to scan it: "
                "plan the tasks of a dataset of it")
      .At({.path = input});
}

Result<PlanInput> InputOf(const Conversion& conversion) {
  const PlannedConversion& planned = conversion.planned;
  PlanInput input;
  input.manifest = ManifestDigest(planned.samples->dataset(0).manifest());
  SHARDINE_ASSIGN_OR_RETURN(input.shards, planned.samples->ListedShards());
  input.fields = conversion.fields;
  input.pixels = planned.pixels;
  input.encode = planned.encode;
  input.fingerprint = planned.fingerprint;
  // The records of sizes follow from the options.
  if (planned.plan.has_original()) {
    input.record = planned.plan.variants.front().record;
  }
  input.bindings = planned.plan.binding_digest;
  return input;
}

Result<TaskPlan> Write(TaskKind kind, const Conversion& conversion,
                       const OutputFolder& output, const PlanTarget& wish,
                       const Job& job) {
  const DatasetPlan& planned = conversion.planned.plan;
  PlanHead head = HeadOf(wish.output, planned, wish.task_bytes, job);
  head.kind = kind;
  head.roots = {PathForAll(job, conversion.planned.samples->path(0))};
  head.pack.format = planned.format.Name();
  head.pack.no_suffix = wish.no_suffix;
  head.pack.on_bad = conversion.judged().on_bad;
  head.pack.check = conversion.judged().check;
  head.pack.entry_points = planned.entry_points;
  head.pack.variants = conversion.variants;
  if (head.kind == TaskKind::kConvert) {
    head.pack.recode = conversion.planned.recode;
    head.pack.variants.image.quality = conversion.planned.quality;
  }
  SHARDINE_ASSIGN_OR_RETURN(head.input, InputOf(conversion));
  SHARDINE_ASSIGN_OR_RETURN(
      TaskPlan plan, WritePlan({.path = wish.plan,
                                .head = head,
                                .planned = planned,
                                .input = conversion.planned.samples.get(),
                                .output = output,
                                .judged = conversion.judged()},
                               job));
  plan.ignored = conversion.left;
  plan.fields_left = conversion.planned.fields_left;
  return plan;
}

}  // namespace

Result<TaskPlan> PlanConvertTasks(const ConvertTaskOptions& options,
                                  const Job& job) {
  const StopScope scope(job.stop);
  const ConvertOptions& convert = options.convert;
  SHARDINE_RETURN_IF_ERROR(CheckPlace(PathForAll(job, options.plan),
                                      PathForAll(job, convert.output),
                                      "the plan", "the output"));
  SHARDINE_RETURN_IF_ERROR(CheckIsDataset(
      convert.files.empty() ? convert.input : convert.files.front(), job));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, convert.output));
  SHARDINE_ASSIGN_OR_RETURN(const Conversion conversion,
                            PlanConversion(convert, output, job));
  return Write(
      TaskKind::kConvert, conversion, output,
      {options.plan, options.task_bytes, convert.output, convert.no_suffix},
      job);
}

Result<TaskPlan> PlanResizeTasks(const ResizeTaskOptions& options,
                                 const Job& job) {
  const StopScope scope(job.stop);
  const ResizeShardsOptions& resize = options.resize;
  SHARDINE_ASSIGN_OR_RETURN(const bool dataset, ResizesDataset(resize, job));
  if (!dataset) {
    return PlanTasks({.pack = PackOfResize(resize),
                      .plan = options.plan,
                      .task_bytes = options.task_bytes},
                     job);
  }
  SHARDINE_RETURN_IF_ERROR(CheckPlace(PathForAll(job, options.plan),
                                      PathForAll(job, resize.output),
                                      "the plan", "the output"));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, resize.output));
  SHARDINE_ASSIGN_OR_RETURN(const Conversion conversion,
                            PlanResizeOfDataset(resize, output, job));
  return Write(TaskKind::kResize, conversion, output,
               {options.plan, options.task_bytes, resize.output}, job);
}

}  // namespace shardine
