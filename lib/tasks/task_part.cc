#include "tasks/task_part.h"

#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "pack/conversion.h"
#include "pack/dataset_block.h"
#include "pack/pack_plan.h"
#include "pack/shard_notes.h"
#include "pack/tree_block.h"
#include "pack/written_format.h"
#include "tasks/task_kinds.h"

namespace shardine {
namespace {

bool HasInput(const PlanHead& head) {
  return FindTaskKind(head.kind)->has_input;
}

// A conversion's plan around the plan of its shards.
Result<DatasetPlan> ConversionAround(const PlanHead& head, ShardPlan plan,
                                     const FormatRegistry& formats) {
  SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout format,
                            ParseFormat(formats, head.pack.format));
  SHARDINE_RETURN_IF_ERROR(CheckWritten(format));
  SHARDINE_RETURN_IF_ERROR(CheckVariants(head.pack.variants));
  std::vector<PlannedVariant> variants;
  if (head.pack.variants.original) {
    variants.push_back({.folder = "",
                        .record = head.input.record,
                        .plan_digest = plan.digest()});
  } else {
    variants = PlanVariants(plan, head.pack.variants);
  }
  return DatasetPlan{.format = std::move(format),
                     .plan = std::move(plan),
                     .variants = std::move(variants),
                     .codec_versions = {},
                     .warnings = {},
                     .entry_points = head.pack.entry_points,
                     .binding_digest = head.input.bindings,
                     .has_contents = true};
}

Result<DatasetPlan> MakePart(const PlanHead& head, SourceSet source,
                             std::vector<PlannedShard> shards,
                             const FormatRegistry& formats) {
  if (!HasInput(head)) {
    return MakePackPart(head.pack, std::move(source), std::move(shards),
                        head.plan_digest, formats);
  }
  SHARDINE_ASSIGN_OR_RETURN(
      ShardPlan plan,
      ShardPlan::Part(std::move(source), std::move(shards),
                      head.input.fingerprint, head.plan_digest));
  return ConversionAround(head, std::move(plan), formats);
}

}  // namespace

Digest128 ManifestDigest(const Manifest& manifest) {
  return Xxh3_128(AsBytes(SerializeManifest(manifest)));
}

Result<DatasetPlan> OutlineOf(const PlanFile& plan, PlanLists lists,
                              const FormatRegistry& formats) {
  const PlanHead& head = plan.head();
  SourceSet source = head.Source();
  source.bad = std::move(lists.bad);
  source.ignored = std::move(lists.ignored);
  std::vector<PlannedShard> shards;
  for (const PlanShard& shard : plan.shards()) {
    shards.push_back(shard.planned);
  }
  auto outline =
      HasInput(head)
          ? ConversionAround(
                head,
                ShardPlan::Outline(std::move(source), std::move(shards),
                                   head.plan_digest),
                formats)
          : OutlinePackPlan(head.pack, std::move(source), std::move(shards),
                            head.plan_digest, formats);
  if (!outline.ok()) return std::move(outline).status();
  outline->made = head.made;
  outline->codec_versions = head.codec_versions;
  outline->kept = std::move(lists.kept);
  return outline;
}

Result<std::unique_ptr<TaskPart>> TaskPart::Read(
    const PlanFile& plan, const std::vector<std::size_t>& shards,
    ReadableStorage& sources, const OutputFolder& output, const Job& job) {
  const PlanHead& head = plan.head();
  SourceSet source = head.Source();
  std::vector<std::uint64_t> numbers;
  std::vector<PlannedShard> planned;
  for (const std::size_t i : shards) {
    SHARDINE_RETURN_IF_ERROR(plan.ReadRows(plan.shards()[i], source, &numbers));
    planned.push_back(plan.shards()[i].planned);
  }
  auto made =
      MakePart(head, std::move(source), std::move(planned), job.formats);
  if (!made.ok()) return std::move(made).status().At({.path = plan.path()});
  std::unique_ptr<TaskPart> part(new TaskPart);
  part->planned_ = *std::move(made);
  const ShardPlan& parts = part->planned_->plan;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const PlanShard& shard = plan.shards()[shards[i]];
    if (FactsDigest(parts, parts.shards()[i]) == shard.facts) continue;
    return Status(Code::kCorrupt,
                  "the plan says something else of the files "
                  "of the shard " +
                      shard.planned.name + " than of each")
        .At({.path = plan.path()});
  }
  if (HasInput(head)) {
    SHARDINE_RETURN_IF_ERROR(
        part->OpenInput(plan, std::move(numbers), sources, job));
  }
  part->MakePreparer(head, sources, output);
  return part;
}

Status TaskPart::OpenInput(const PlanFile& plan,
                           std::vector<std::uint64_t> numbers,
                           ReadableStorage& sources, const Job& job) {
  const PlanHead& head = plan.head();
  const std::string& path = head.roots.front();
  input_ = std::make_unique<DatasetSamples>(sources, job.formats);
  const Status opened = input_->Add(path);
  if (opened.code() == Code::kNotFound) {
    return Status(Code::kChanged, "is no dataset any more").At({.path = path});
  }
  SHARDINE_RETURN_IF_ERROR(opened);
  const Digest128 found = ManifestDigest(input_->dataset(0).manifest());
  if (found != head.input.manifest) {
    return Status(Code::kChanged, "is another dataset than it was")
        .At({.path = path});
  }
  if (head.input.fields) input_->KeepFields(*head.input.fields);
  if (head.pack.on_bad != OnBad::kFail) input_->AllowOtherSizes();
  return input_->Take(head.input.shards, std::move(numbers));
}

void TaskPart::MakePreparer(const PlanHead& head, ReadableStorage& sources,
                            const OutputFolder& output) {
  const ShardPlan& plan = planned_->plan;
  if (!HasInput(head) || planned_->has_sizes()) {
    policy_.emplace(plan, PolicyOptions(output, *planned_, head.pack));
  } else if (auto made = ConversionPolicy(
                 output, {head.pack.on_bad, head.pack.check},
                 planned_->entry_points,
                 {head.input.pixels, head.pack.recode, head.input.encode,
                  head.pack.variants.image.quality,
                  planned_->format.limits().max_payload})) {
    policy_.emplace(plan, *std::move(made));
  }
  if (!HasInput(head)) {
    preparer_ = std::make_unique<TreeBlockPreparer>(sources, plan, *policy_);
  } else if (policy_) {
    preparer_ = std::make_unique<DatasetBlockPreparer>(*input_, plan, *policy_);
  } else {
    preparer_ = std::make_unique<DatasetBlockPreparer>(*input_, plan,
                                                       planned_->entry_points);
  }
}

}  // namespace shardine
