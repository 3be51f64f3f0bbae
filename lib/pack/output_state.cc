#include "pack/output_state.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/status_macros.h"
#include "dataset/content_counts.h"
#include "dataset/ignored.h"
#include "dataset/listed_files.h"
#include "dataset/rejects.h"
#include "dataset/unfinished.h"
#include "pack/journal.h"
#include "pack/other_plan.h"
#include "pack/published_files.h"
#include "shardine/option.h"
#include "shardine/pack_words.h"
#include "shardine/provenance.h"

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

// A size that the plan does not have would pass for one of the plan.
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

// A complete dataset is left as it is, so it has to equal the one that would be
// made.
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
  if (then.kinds != now.kinds) {
    return Refuse("already holds this dataset, made with kinds " +
                      NamesText(then.kinds) + "; now they are " +
                      NamesText(now.kinds),
                  folder);
  }
  return Refuse(
      "already holds this dataset with bad images dealt with "
      "otherwise: " +
          ToString(manifest.made),
      folder);
}

// Without options that are no part of a plan.
Provenance PlannedPart(Provenance made) {
  for (const char* name : {"check", "kinds", "on-bad"})
    made.options.erase(name);
  return made;
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

Status CheckFolder(const OutputFolder& output) {
  const auto info = output.storage().Stat(output.path());
  if (info.status().code() == Code::kNotFound) return Status();
  if (!info.ok()) return info.status();
  if (info->kind == FileKind::kDirectory) return Status();
  return Status(Code::kInvalidArgument, "is there and is not a folder")
      .At({.path = output.path()});
}

class StateFinder {
 public:
  StateFinder(const OutputFolder& output, const DatasetPlan& planned,
              const Judgement& judged, PublishedFiles published)
      : output_(output),
        planned_(planned),
        judged_(judged),
        published_(std::move(published)) {}

  // Each variant is looked at for itself: a run may have been cut off between
  // two manifests, and those that are written are kept.
  Result<VariantState> Find(const PlannedVariant& variant) {
    const OutputFolder folder = output_.Below(variant.folder);
    VariantState state;
    SHARDINE_ASSIGN_OR_RETURN(state.complete, FindManifest(folder));
    if (!state.complete) return state;
    SHARDINE_ASSIGN_OR_RETURN(
        state.ours, published_.IsOurs(JoinPath(variant.folder, kManifestName)));
    const Status status =
        CheckManifest(folder, *state.complete, planned_, variant, judged_);
    if (status.ok()) {
      SHARDINE_ASSIGN_OR_RETURN(state.lost,
                                FindLostShards(folder.storage(), folder.path(),
                                               *state.complete, kIgnoredName));
      return state;
    }
    // The manifest of a run that was cut off, and whose sources or actions on
    // bad images have changed since, is unfinished work like all that lies
    // below it. A manifest that the journal does not have is a promise and
    // stays.
    if (status.code() != Code::kChanged || !state.ours) return status;
    state.outdated = true;
    state.complete.reset();
    if (refusal_.ok()) refusal_ = status;
    return state;
  }

  // The first outdated manifest does not fit the plan for this reason.
  const Status& refusal() const { return refusal_; }

 private:
  const OutputFolder& output_;
  const DatasetPlan& planned_;
  const Judgement& judged_;
  const PublishedFiles published_;
  Status refusal_;
};

void TakeEarlierRejects(const std::vector<RejectedCount>& before,
                        PackResult& result) {
  result.rejected_before = before;
  for (const RejectedCount& earlier : before) {
    for (RejectedCount& all : result.rejected) {
      if (all.reason == earlier.reason && all.action == earlier.action) {
        all.count -= std::min(all.count, earlier.count);
      }
    }
  }
  std::erase_if(result.rejected,
                [](const RejectedCount& entry) { return entry.count == 0; });
}

}  // namespace

bool OutputState::is_complete() const {
  return has_all_manifests() &&
         std::ranges::all_of(variants, [](const VariantState& variant) {
           return variant.lost.empty();
         });
}

bool OutputState::has_all_manifests() const {
  return std::ranges::all_of(
      variants, [](const VariantState& variant) { return !!variant.complete; });
}

std::vector<Manifest> OutputState::manifests() const {
  std::vector<Manifest> all;
  for (const VariantState& variant : variants) all.push_back(*variant.complete);
  return all;
}

std::vector<std::string> OutputState::IncompleteFolders(
    const DatasetPlan& planned) const {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!variants[i].complete) folders.push_back(planned.variants[i].folder);
  }
  return folders;
}

Result<OutputState> OutputState::Of(const OutputFolder& output,
                                    const DatasetPlan& planned,
                                    const Judgement& judged) {
  SHARDINE_RETURN_IF_ERROR(CheckFolder(output));
  SHARDINE_ASSIGN_OR_RETURN(PublishedFiles published,
                            PublishedFiles::Of(output, JournalWork(planned)));
  StateFinder finder(output, planned, judged, std::move(published));
  OutputState state;
  for (const PlannedVariant& variant : planned.variants) {
    SHARDINE_ASSIGN_OR_RETURN(state.variants.emplace_back(),
                              finder.Find(variant));
  }
  // A family that is whole was finished, whatever a journal says.
  const bool whole = std::ranges::all_of(
      state.variants,
      [](const VariantState& v) { return v.complete || v.outdated; });
  if (whole) {
    SHARDINE_RETURN_IF_ERROR(finder.refusal());
    for (VariantState& variant : state.variants) variant.ours = false;
  }
  // Sizes alone go below OUT. With a dataset in OUT itself they would look like
  // sizes of that one.
  if (!planned.has_original()) {
    SHARDINE_ASSIGN_OR_RETURN(const auto root, FindManifest(output));
    if (root) return Refuse("already holds a dataset", output.path());
  }
  SHARDINE_RETURN_IF_ERROR(RefuseOtherSizes(output, planned));
  return state;
}

std::vector<RejectedCount> RejectedBefore(
    const std::vector<Reject>& taken_over) {
  std::vector<RejectedCount> before;
  for (const ManifestRejected& entry : CountRejects(taken_over)) {
    if (entry.action == WordOf(OnBad::kKeep)) continue;
    before.push_back({entry.reason, entry.action, entry.count});
  }
  return before;
}

void FillResult(const std::vector<PlannedVariant>& variants,
                const std::vector<RejectedCount>& before,
                const std::vector<Manifest>& manifests, PackResult& result) {
  const bool has_original = !variants.front().is_size();
  const Manifest& first = manifests.front();
  result.format = first.format;
  result.samples = first.samples();
  result.classes = first.classes.size();
  result.shards = 0;
  for (const ManifestSplit& split : first.splits) {
    result.shards += split.shards.size();
  }
  result.content_digest =
      has_original ? first.content_digest() : first.variant.parent_digest;
  result.contents = ContentsOf(first);
  if (has_original) result.entry_points = first.entry_points;
  result.rejected.clear();
  for (const ManifestRejected& entry : first.rejected) {
    result.rejected.push_back({entry.reason, entry.action, entry.count});
  }
  TakeEarlierRejects(before, result);
  result.ignored = IgnoredCounts(first.ignored);
  if (!first.ignored.empty()) result.ignored_list = kIgnoredName;
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    if (!variants[i].is_size()) continue;
    result.sizes.push_back({.path = variants[i].folder,
                            .upscaled = manifests[i].variant.upscaled,
                            .kept = manifests[i].variant.kept,
                            .entry_points = manifests[i].entry_points,
                            .content_digest = manifests[i].content_digest()});
  }
}

}  // namespace shardine
