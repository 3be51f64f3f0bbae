#include "tasks/task_folder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "dataset/listed_files.h"
#include "dataset/manifest.h"
#include "image/codec_versions.h"
#include "io/storage_for.h"
#include "pack/pack_plan.h"
#include "shard/shard_file.h"
#include "shardine/provenance.h"
#include "source/source_storage.h"
#include "tasks/task_part.h"

namespace shardine {
namespace {

// Bytes that other libraries make differ, and two attempts at one task with
// them.
Status CheckCodecs(const PlanHead& head) {
  const std::vector<std::string> here = CodecVersions();
  const bool makes_images = !head.pack.variants.short_sides.empty() ||
                            head.pack.recode.recode || head.input.pixels ||
                            head.input.encode;
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
                                    const Job& job, PlanLists lists) {
  const PlanHead& head = plan->head();
  SHARDINE_RETURN_IF_ERROR(CheckCodecs(head).At({.path = plan->path()}));
  SHARDINE_ASSIGN_OR_RETURN(OutputFolder output,
                            OutputFolder::Of(job, head.pack.output));
  SHARDINE_ASSIGN_OR_RETURN(DatasetPlan outline,
                            OutlineOf(*plan, std::move(lists), job.formats));
  TaskFolder folder(std::move(plan), std::move(output));
  folder.outline_ = std::make_unique<DatasetPlan>(std::move(outline));
  folder.judged_ = JudgementOf(head.pack);
  if (head.kind != TaskKind::kPack) folder.judged_.kinds.clear();
  SHARDINE_ASSIGN_OR_RETURN(folder.below_, StorageFor(job, head.roots.front()));
  return folder;
}

Result<std::shared_ptr<ReadableStorage>> TaskFolder::OpenSources() const {
  // The roots of other kinds are shards, which may be tar archives.
  const PlanHead& head = plan_->head();
  return shardine::OpenSources(
      *below_,
      head.kind == TaskKind::kPack ? head.roots : std::vector<std::string>(),
      {});
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
    SHARDINE_ASSIGN_OR_RETURN(
        found.lost, FindLostShards(folder.storage(), folder.path(), *manifest));
    found.complete = *std::move(manifest);
  }
  if (state.has_all_manifests()) return state;
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    if (state.variants[i].lost.empty()) continue;
    return LostFile(output_.Below(outline_->variants[i].folder)
                        .PathOf(state.variants[i].lost.front()));
  }
  return state;
}

std::vector<std::size_t> TaskFolder::LostShards(const OutputState& state,
                                                std::uint64_t task) const {
  std::set<std::string> files;  // of shards that lack one of theirs
  for (const VariantState& variant : state.variants) {
    if (variant.lost.empty()) continue;
    const std::set<std::string> lost(variant.lost.begin(), variant.lost.end());
    const auto is_lost = [&](const ManifestFile& file) {
      return lost.contains(file.path);
    };
    for (const ManifestSplit& split : variant.complete->splits) {
      for (const ManifestShard& shard : split.shards) {
        if (is_lost(shard.file) ||
            std::ranges::any_of(shard.companions, is_lost)) {
          files.insert(shard.file.path);
        }
      }
    }
  }
  std::vector<std::size_t> shards;
  const PlanFile::Range range = plan_->ShardsOf(task);
  for (std::size_t i = range.first; i < range.last; ++i) {
    const std::string& name = plan_->shards()[i].planned.name;
    if (files.contains(ShardFileOf(outline_->format, name))) {
      shards.push_back(i);
    }
  }
  return shards;
}

Status TaskFolder::CheckNothingLost(const OutputState& state) const {
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    const std::vector<std::string>& lost = state.variants[i].lost;
    if (lost.empty()) continue;
    std::uint64_t task = 0;
    while (task + 1 < plan_->tasks() && LostShards(state, task).empty()) ++task;
    return Status(Code::kChanged,
                  "is lost: the dataset's manifest lists this file, which is "
                  "absent or empty; task " +
                      std::to_string(task) + " makes it again")
        .At({.path = output_.Below(outline_->variants[i].folder)
                         .PathOf(lost.front())});
  }
  return Status();
}

Result<TaskNote> TaskFolder::FindDone(const PlanShard& shard) const {
  SHARDINE_ASSIGN_OR_RETURN(TaskNote note,
                            ReadTaskNote(output_, *outline_, shard, judged_));
  SHARDINE_RETURN_IF_ERROR(CheckNotedFiles(output_, *outline_, note));
  return note;
}

}  // namespace shardine
