#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/manifest.h"
#include "image/codec_versions.h"
#include "io/storage_for.h"
#include "pack/convert_inputs.h"
#include "pack/convert_plan.h"
#include "pack/dataset_block.h"
#include "pack/image_policy.h"
#include "pack/making_of.h"
#include "shardine/resize.h"

namespace shardine {
namespace {

// The default of pack. A conversion of a dataset has none: without a size it
// keeps the shards of its input.
constexpr std::uint64_t kShardBytes = std::uint64_t{256} << 20;

// A folder with a manifest is a dataset even where it also has images of its
// own: those in its shards are meant.
bool IsDataset(ReadableStorage& storage, const SourceOptions& source) {
  if (source.folders.size() != 1) return false;
  const std::string& path = source.folders[0].path;
  return FileNameOf(path) == kManifestName ||
         storage.Stat(JoinPath(path, kManifestName)).ok();
}

// A dataset has its samples, names, labels and splits already.
Status CheckDatasetSource(const SourceOptions& source) {
  const bool plain = source.list.empty() && source.list_root.empty() &&
                     source.label_map.empty() && source.label_offset == 0 &&
                     source.blacklist.empty() && source.val_labels.empty() &&
                     !source.unlabelled && source.class_text.empty() &&
                     source.bounding_boxes.empty() &&
                     source.empty_classes == EmptyClasses::kRefuse &&
                     source.min_per_class == 0 && source.hold_out == 0 &&
                     source.split_shares.empty();
  if (plain) return Status();
  return Status(Code::kInvalidArgument,
                "is a dataset, whose samples are taken as they are: options "
                "about the source are for trees and lists")
      .At({.path = source.folders[0].path});
}

VariantOptions SizesOf(const ResizeShardsOptions& options) {
  return {.original = false,
          .short_sides = options.short_sides,
          .image = options.image};
}

Result<PackResult> ResizeTreeSource(const ResizeShardsOptions& options,
                                    const Job& job) {
  PackOptions pack;
  pack.source = options.source;
  pack.output = options.output;
  if (!options.format.empty()) pack.format = options.format;
  pack.shards = options.shards;
  pack.shard_bytes =
      options.shard_bytes > 0 ? options.shard_bytes : kShardBytes;
  pack.seed = options.seed;
  pack.shuffle = options.shuffle;
  pack.on_bad = options.on_bad;
  pack.variants = SizesOf(options);
  pack.entry_points = options.entry_points;
  pack.threads = options.threads;
  return Pack(pack, job);
}

Result<PackResult> ResizeDataset(const ResizeShardsOptions& options,
                                 const Job& job) {
  const VariantOptions variants = SizesOf(options);
  SHARDINE_RETURN_IF_ERROR(CheckVariants(variants));
  SHARDINE_RETURN_IF_ERROR(CheckDatasetSource(options.source));
  ConvertSpec spec;
  spec.inputs = {options.source.folders[0].path};
  spec.format = options.format;
  spec.shards = options.shards;
  spec.shard_bytes = options.shard_bytes;
  spec.images_made = true;
  spec.entry_points = options.entry_points;
  spec.purpose = "resize" + DescribeVariants(variants);
  spec.made.command = "resize";
  AddSizeOptions(variants, spec.made.options);
  SHARDINE_ASSIGN_OR_RETURN(OpenedInputs opened, OpenInputs(spec.inputs, job));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  ClassMap classes = opened.samples->dataset(0).manifest().classes;
  SHARDINE_ASSIGN_OR_RETURN(
      PlannedConversion planned,
      MakeConvertPlan(std::move(opened.samples), std::move(classes), spec,
                      job.formats));
  // The conversion plan describes the input's own images. None of those are
  // published here, so the sizes take the place of its variants before anything
  // looks at the output.
  planned.plan.variants = PlanVariants(planned.plan.plan, variants);
  planned.plan.codec_versions = CodecVersions();
  const ShardPlan& plan = planned.plan.plan;
  ImagePolicy::Options judge{
      .output = output,
      .on_bad = options.on_bad,
      .check = ImageCheckLevel::kDecode,
      .max_payload = planned.plan.format.limits().max_payload,
      .short_sides = options.short_sides,
      .image = options.image,
      .entry_points = options.entry_points,
      .original = false};
  const ImagePolicy policy(plan, judge);
  const DatasetBlockPreparer preparer(*planned.samples, plan, policy);
  // After the first bad image the rest is looked at by a second policy, which
  // rejects instead of failing, so that one run names all bad images.
  judge.on_bad = OnBad::kSkip;
  const ImagePolicy rejecting(plan, judge);
  const DatasetBlockPreparer looker(*planned.samples, plan, rejecting);
  return MakeDataset(planned.plan, preparer,
                     {.output = output,
                      .judged = {options.on_bad, ImageCheckLevel::kDecode},
                      .looker = &looker,
                      .threads = options.threads,
                      .made_per_sample = EstimateSizes(variants)},
                     job);
}

}  // namespace

Result<PackResult> ResizeShards(const ResizeShardsOptions& options,
                                const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, FirstPath(options.source)));
  return IsDataset(*storage, options.source) ? ResizeDataset(options, job)
                                             : ResizeTreeSource(options, job);
}

}  // namespace shardine
