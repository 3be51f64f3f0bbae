#include "pack/dataset_state.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/status_macros.h"
#include "dataset/unfinished.h"
#include "pack/journal.h"
#include "pack/other_plan.h"
#include "shardine/making.h"

namespace shardine {
namespace {

Status Refuse(std::string what, const std::string& path) {
  return Status(Code::kChanged, std::move(what) +
                                    "; choose another folder, or remove this "
                                    "one")
      .At({.path = path});
}

// nullopt: there is none.
Result<std::optional<Manifest>> FindManifest(const OutputFolder& folder) {
  auto manifest = ReadManifest(folder.storage(), folder.path());
  if (manifest.ok()) return std::optional<Manifest>(*std::move(manifest));
  if (manifest.status().code() != Code::kNotFound) return manifest.status();
  return std::optional<Manifest>();
}

// A size that is none of this plan would pass for one of it.
Status RefuseOtherSizes(const OutputFolder& output,
                        const DatasetPlan& planned) {
  ReadableStorage& storage = output.storage();
  const std::string folder = output.PathOf(kSizesFolder);
  const auto info = storage.Stat(folder);
  if (info.status().code() == Code::kNotFound) return Status();
  if (!info.ok()) return info.status();
  if (info->kind != FileKind::kDirectory) return Status();
  SHARDINE_ASSIGN_OR_RETURN(auto entries, storage.List(folder));
  std::ranges::sort(entries, {}, &DirEntry::name);
  for (const DirEntry& entry : entries) {
    const std::string name = JoinPath(kSizesFolder, entry.name);
    const bool ours = std::ranges::any_of(
        planned.variants,
        [&](const PlannedVariant& variant) { return variant.folder == name; });
    if (ours) continue;
    const auto manifest =
        storage.Stat(JoinPath(JoinPath(folder, entry.name), kManifestName));
    // Files of other kinds beside the variants, and folders that an interrupted
    // run has not finished, are no datasets.
    if (manifest.status().system_error() == ENOENT ||
        manifest.status().system_error() == ENOTDIR) {
      continue;
    }
    if (!manifest.ok()) return manifest.status();
    return Refuse("already holds the variant " + name +
                      ", which is not asked "
                      "for",
                  output.path());
  }
  return Status();
}

// A complete dataset is left as it is, so it has to be what would be made.
Status CheckJudgement(const Manifest& manifest, const Judgement& now,
                      const std::string& folder) {
  const Judgement then = RecordedJudgement(manifest.made, now);
  if (HoldsUnder(then, !manifest.rejected.empty(), now)) return Status();
  // Nothing says that an image is bad, so the way out is not to pack again, but
  // to have the images decoded once.
  if (then.check < now.check && manifest.rejected.empty()) {
    return Refuse(
        "already holds this dataset, whose images passed a weaker check; "
        "a deep verification decodes them",
        folder);
  }
  return Refuse(
      "already holds this dataset with bad images dealt with "
      "otherwise: " +
          ToString(manifest.made),
      folder);
}

// Without what is no part of a plan.
Making PlannedPart(Making made) {
  for (const char* name : {"check", "on-bad"}) made.options.erase(name);
  return made;
}

// A manifest of another command in a folder of this one is somebody's dataset.
bool IsOfThisCommand(const Manifest& manifest, const DatasetPlan& planned) {
  return PlannedPart(manifest.made) == PlannedPart(planned.made);
}

Status CheckManifest(const OutputFolder& folder, const Manifest& manifest,
                     const DatasetPlan& planned, const PlannedVariant& variant,
                     const Judgement& judged) {
  if (manifest.plan_digest == variant.plan_digest) {
    return CheckJudgement(manifest, judged, folder.path());
  }
  Manifest other = manifest;
  other.made = PlannedPart(std::move(other.made));
  return RefuseOtherDataset(folder, other, planned, variant);
}

}  // namespace

Result<std::vector<std::optional<Manifest>>> FindComplete(
    const OutputFolder& output, const DatasetPlan& planned,
    const Judgement& judged) {
  const auto info = output.storage().Stat(output.path());
  if (!info.ok() && info.status().code() != Code::kNotFound) {
    return info.status();
  }
  if (info.ok() && info->kind != FileKind::kDirectory) {
    return Status(Code::kInvalidArgument, "is there and is not a folder")
        .At({.path = output.path()});
  }
  // Each variant is looked at for itself: a run may have been cut off between
  // two manifests, and those that are written are kept.
  std::vector<std::optional<Manifest>> complete;
  for (const PlannedVariant& variant : planned.variants) {
    SHARDINE_ASSIGN_OR_RETURN(complete.emplace_back(),
                              FindManifest(output.Below(variant.folder)));
  }
  const bool whole =
      std::ranges::all_of(complete, &std::optional<Manifest>::has_value);
  for (std::size_t i = 0; i < complete.size(); ++i) {
    if (!complete[i]) continue;
    const PlannedVariant& variant = planned.variants[i];
    const Status status = CheckManifest(output.Below(variant.folder),
                                        *complete[i], planned, variant, judged);
    if (status.ok()) continue;
    // The end of a run that was cut off, whose sources or ways with bad images
    // are others by now: it is unfinished work like all that lies below it.
    if (whole || !IsOfThisCommand(*complete[i], planned) ||
        !Journal::IsThere(output, planned)) {
      return status;
    }
    complete[i].reset();
  }
  // Sizes alone go below OUT. With a dataset in OUT itself they would look like
  // sizes of that one.
  if (!planned.has_original()) {
    SHARDINE_ASSIGN_OR_RETURN(const auto root, FindManifest(output));
    if (root) return Refuse("already holds a dataset", output.path());
  }
  SHARDINE_RETURN_IF_ERROR(RefuseOtherSizes(output, planned));
  return complete;
}

Status RemoveOutdatedManifests(
    const OutputFolder& output, const DatasetPlan& planned,
    const std::vector<std::optional<Manifest>>& complete) {
  for (std::size_t i = 0; i < complete.size(); ++i) {
    if (complete[i]) continue;
    const OutputFolder folder = output.Below(planned.variants[i].folder);
    const Status removed =
        folder.storage().Remove(folder.PathOf(kManifestName));
    if (removed.code() == Code::kNotFound) continue;
    SHARDINE_RETURN_IF_ERROR(removed);
    // For good, before a shard goes on which it stands.
    SHARDINE_RETURN_IF_ERROR(folder.storage().SyncDirectory(folder.path()));
  }
  return Status();
}

void FillResult(const DatasetPlan& planned,
                const std::vector<Manifest>& manifests, PackResult& result) {
  const Manifest& first = manifests.front();
  result.format = first.format;
  result.samples = first.samples();
  result.classes = first.classes.size();
  result.shards = 0;
  for (const ManifestSplit& split : first.splits) {
    result.shards += split.shards.size();
  }
  result.content_digest = planned.has_original() ? first.content_digest()
                                                 : first.variant.parent_digest;
  if (planned.has_original()) result.entry_points = first.entry_points;
  result.rejected.clear();
  for (const ManifestRejected& entry : first.rejected) {
    result.rejected.push_back({entry.reason, entry.action, entry.count});
  }
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    if (!planned.variants[i].is_size()) continue;
    result.sizes.push_back({.path = planned.variants[i].folder,
                            .upscaled = manifests[i].variant.upscaled,
                            .kept = manifests[i].variant.kept,
                            .entry_points = manifests[i].entry_points,
                            .content_digest = manifests[i].content_digest()});
  }
}

}  // namespace shardine
