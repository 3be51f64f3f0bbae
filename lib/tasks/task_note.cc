#include "tasks/task_note.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/dataset_summary.h"
#include "pack/publish_manifests.h"
#include "shard/entry_point_file.h"
#include "shard/shard_file.h"
#include "shard/shard_index.h"
#include "tasks/note_text.h"

namespace shardine {
namespace {

// A sample that was rejected and not kept is not in the shard.
Status NoteRejects(const OutputFolder& output, const DatasetPlan& planned,
                   const PlannedShard& shard, TaskNote& note) {
  const std::string path = ShardRejectsPath(output, shard.name);
  const auto rejects = ReadRejects(output.storage(), path);
  if (rejects.status().code() == Code::kNotFound) return Status();
  if (!rejects.ok()) return rejects.status();
  std::unordered_set<std::string_view> left;
  for (const Reject& reject : *rejects) {
    if (reject.action != "keep") left.insert(reject.key);
  }
  note.rejects = rejects->size();
  note.rejects_digest = DigestOfRejects(*rejects);
  const SourceList& samples = planned.plan.source().samples;
  for (std::uint64_t i = 0; i < shard.count; ++i) {
    if (left.contains(samples.key(planned.plan.SampleAt(shard, i)))) {
      note.left_out.push_back(i);
    }
  }
  return Status();
}

NotedVariant NotedOf(const DatasetSummary& summary) {
  const ManifestSplit& split = summary.splits.front();
  return {.shard = split.shards.front(),
          .content_digest = split.content_digest,
          .names_digest = split.names_digest,
          .binding_digest = split.binding_digest,
          .order_digest = split.order_digest,
          .counts = summary.counts.front(),
          .image_bytes = summary.image_bytes,
          .entry_points = summary.entry_points};
}

Status Wrong(const char* what) {
  return Status(Code::kCorrupt,
                std::string("the note of the shard does not have its ") + what);
}

// The files that the shard has of this variant, and no others.
bool HasItsFiles(const DatasetPlan& planned, const PlannedShard& shard,
                 const ManifestShard& noted) {
  const FinishedShard files = FilesOf(planned, shard);
  std::vector<std::string> expected = {files.sidecar};
  if (!files.companion.empty()) expected.push_back(files.companion);
  const std::string points = EntryPointName(files.sidecar);
  // Where no image has entry points there is no file of them.
  if (files.entry_points &&
      std::ranges::find(noted.companions, points, &ManifestFile::path) !=
          noted.companions.end()) {
    expected.push_back(points);
  }
  std::ranges::sort(expected);
  return noted.file.path == files.path &&
         std::ranges::equal(noted.companions, expected, {},
                            &ManifestFile::path);
}

Status CheckAgainstPlan(const DatasetPlan& planned, const PlanShard& shard,
                        const Judgement& judged, const TaskNote& note) {
  const PlannedShard& part = shard.planned;
  if (note.plan_digest != planned.plan.digest() || note.part != part.digest ||
      note.facts != shard.facts) {
    return Status(Code::kChanged, "the note of the shard is of another plan");
  }
  if (!HoldsUnder(note.judged, note.rejects > 0, judged)) {
    return Status(Code::kChanged,
                  "the note of the shard is of another way with bad images");
  }
  const std::size_t sizes =
      planned.has_sizes() ? planned.variants.back().number : 0;
  if (note.shard != part.name) return Wrong("name");
  if (note.variants.size() != planned.variants.size() ||
      note.sizes.size() != sizes) {
    return Wrong("variants");
  }
  if (note.left_out.size() > note.rejects ||
      !std::ranges::is_sorted(note.left_out, std::ranges::less_equal()) ||
      (!note.left_out.empty() && note.left_out.back() >= part.count)) {
    return Wrong("rejects");
  }
  for (std::size_t i = 0; i < note.variants.size(); ++i) {
    const ManifestShard& noted = note.variants[i].shard;
    if (noted.samples != part.count - note.left_out.size() ||
        !note.variants[i].counts.CanBeOf(noted.samples) ||
        note.variants[i].image_bytes > noted.file.bytes ||
        note.variants[i].entry_points.images > noted.samples ||
        note.variants[i].entry_points.damaged > noted.samples) {
      return Wrong("samples");
    }
    if (noted.plan_digest != planned.variants[i].ShardDigest(part) ||
        !HasItsFiles(planned, part, noted)) {
      return Wrong("files");
    }
  }
  return Status();
}

}  // namespace

std::string TaskNotePath(const OutputFolder& output, const std::string& shard) {
  return output.WorkPath(shard + ".done");
}

Result<TaskNote> DescribeShard(const OutputFolder& output,
                               const DatasetPlan& planned,
                               const PlannedShard& shard,
                               const Judgement& judged) {
  TaskNote note{.shard = shard.name,
                .plan_digest = planned.plan.digest(),
                .part = shard.digest,
                .facts = FactsDigest(planned.plan, shard),
                .judged = judged};
  SHARDINE_RETURN_IF_ERROR(NoteRejects(output, planned, shard, note));
  if (planned.has_sizes()) {
    ShardNotes sums;
    sums.sizes.resize(planned.variants.back().number);
    SHARDINE_RETURN_IF_ERROR(AddShardSums(output, shard.name, sums));
    note.source_digest = sums.source_digest;
    note.sizes = std::move(sums.sizes);
  }
  SHARDINE_ASSIGN_OR_RETURN(note.variants,
                            ReadNotedVariants(output, planned, shard));
  return note;
}

Result<std::vector<NotedVariant>> ReadNotedVariants(const OutputFolder& output,
                                                    const DatasetPlan& planned,
                                                    const PlannedShard& shard) {
  const FinishedShard files = FilesOf(planned, shard);
  std::vector<NotedVariant> variants;
  for (const PlannedVariant& variant : planned.variants) {
    SHARDINE_ASSIGN_OR_RETURN(
        const DatasetSummary summary,
        SummarizeShards(output.storage(), output.Below(variant.folder).path(),
                        {&files, 1}, /*count_labels=*/false));
    variants.push_back(NotedOf(summary));
  }
  return variants;
}

Result<TaskNote> ReadTaskNote(const OutputFolder& output,
                              const DatasetPlan& planned,
                              const PlanShard& shard, const Judgement& judged) {
  const std::string path = TaskNotePath(output, shard.planned.name);
  SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(output.storage(), path, kMaxTaskNote));
  auto note = ParseTaskNote(text);
  if (!note) {
    return Status(Code::kCorrupt, "the note of the shard is damaged")
        .At({.path = path});
  }
  SHARDINE_RETURN_IF_ERROR(
      CheckAgainstPlan(planned, shard, judged, *note).At({.path = path}));
  return *std::move(note);
}

// A note that is older than the files, or made up, does not match the sidecar.
Status CheckSidecar(const OutputFolder& folder, const ManifestShard& shard,
                    const std::string& name) {
  const std::string path = folder.PathOf(SidecarName(name));
  const auto index = ShardIndex::Open(folder.storage(), path);
  if (!index.ok()) return index.status();
  const IndexBinding& binding = (*index)->binding();
  if (binding.shard_bytes == shard.file.bytes &&
      binding.shard_digest == shard.file.digest &&
      binding.plan_digest == shard.plan_digest &&
      (*index)->size() == shard.samples) {
    return Status();
  }
  return Status(Code::kChanged, "is not of the shard that its task noted")
      .At({.path = path});
}

Status CheckRejects(const OutputFolder& output, const TaskNote& note) {
  const std::string path = ShardRejectsPath(output, note.shard);
  const auto changed = [&](const char* how) {
    return Status(Code::kChanged, how).At({.path = path});
  };
  const auto rejects = ReadRejects(output.storage(), path);
  if (rejects.status().code() == Code::kNotFound) {
    return changed("is gone, which its task had made");
  }
  if (rejects.status().code() != Code::kCorrupt) {
    SHARDINE_RETURN_IF_ERROR(rejects.status());
    if (DigestOfRejects(*rejects) == note.rejects_digest) return Status();
  }
  return changed("is not the list that its task had made");
}

Status CheckNotedFiles(const OutputFolder& output, const DatasetPlan& planned,
                       const TaskNote& note) {
  for (std::size_t i = 0; i < note.variants.size(); ++i) {
    const OutputFolder folder = output.Below(planned.variants[i].folder);
    const ManifestShard& shard = note.variants[i].shard;
    std::vector<ManifestFile> files = shard.companions;
    files.push_back(shard.file);
    for (const ManifestFile& file : files) {
      const std::string path = folder.PathOf(file.path);
      const auto info = folder.storage().Stat(path);
      if (!info.ok() && info.status().code() != Code::kNotFound) {
        return info.status();
      }
      if (info.ok() && info->kind == FileKind::kRegular &&
          info->size == file.bytes) {
        continue;
      }
      return Status(Code::kChanged, info.ok()
                                        ? "is not as its task left it"
                                        : "is gone, which its task had made")
          .At({.path = path});
    }
    SHARDINE_RETURN_IF_ERROR(CheckSidecar(folder, shard, note.shard));
  }
  if (note.rejects == 0) return Status();
  return CheckRejects(output, note);
}

}  // namespace shardine
