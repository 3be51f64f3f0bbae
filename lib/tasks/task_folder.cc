#include "tasks/task_folder.h"

#include <utility>

#include "base/status_macros.h"
#include "dataset/listed_files.h"
#include "dataset/manifest.h"
#include "image/codec_versions.h"
#include "io/storage_for.h"
#include "pack/pack_plan.h"
#include "shardine/making.h"
#include "tasks/task_part.h"

namespace shardine {
namespace {

// Bytes that other libraries make differ, and two attempts at one task with
// them.
Status CheckCodecs(const PlanHead& head) {
  const std::vector<std::string> here = CodecVersions();
  const bool makes_images =
      !head.pack.variants.short_sides.empty() || head.input.pixels;
  if (!makes_images || head.codec_versions == here) return Status();
  const auto list = [](const std::vector<std::string>& versions) {
    std::string text;
    for (const std::string& version : versions) {
      text += (text.empty() ? "" : ", ") + version;
    }
    return text;
  };
  return Status(Code::kChanged,
                "was made for images by " + list(head.codec_versions) +
                    ", and here they would be by " + list(here));
}

}  // namespace

Result<TaskFolder> TaskFolder::Open(std::unique_ptr<PlanFile> plan,
                                    const Job& job) {
  const PlanHead& head = plan->head();
  SHARDINE_RETURN_IF_ERROR(CheckCodecs(head).At({.path = plan->path()}));
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, head.pack.output));
  SHARDINE_ASSIGN_OR_RETURN(DatasetPlan outline, OutlineOf(*plan, job.formats));
  TaskFolder folder(std::move(plan), std::move(output));
  folder.outline_ = std::make_unique<DatasetPlan>(std::move(outline));
  folder.judged_ = {head.pack.on_bad, EffectiveCheck(head.pack)};
  SHARDINE_ASSIGN_OR_RETURN(folder.sources_,
                            StorageFor(job, head.roots.front()));
  return folder;
}

Result<OutputState> TaskFolder::FindState() const {
  OutputState state;
  for (const PlannedVariant& variant : outline_->variants) {
    const OutputFolder folder = output_.Below(variant.folder);
    VariantState& found = state.variants.emplace_back();
    auto manifest = ReadManifest(folder.storage(), folder.path());
    if (manifest.status().code() == Code::kNotFound) continue;
    if (!manifest.ok()) return std::move(manifest).status();
    const Judgement then = RecordedJudgement(manifest->made, judged_);
    if (manifest->plan_digest != variant.plan_digest ||
        !HoldsUnder(then, !manifest->rejected.empty(), judged_)) {
      return Status(Code::kChanged,
                    "already holds another dataset than this plan makes: " +
                        ToString(manifest->made) + "; plan again elsewhere")
          .At({.path = folder.path()});
    }
    SHARDINE_RETURN_IF_ERROR(
        CheckListedFiles(folder.storage(), folder.path(), *manifest));
    found.complete = *std::move(manifest);
  }
  return state;
}

Result<TaskNote> TaskFolder::FindDone(const PlanShard& shard) const {
  SHARDINE_ASSIGN_OR_RETURN(TaskNote note,
                            ReadTaskNote(output_, *outline_, shard, judged_));
  SHARDINE_RETURN_IF_ERROR(CheckNotedFiles(output_, *outline_, note));
  return note;
}

}  // namespace shardine
