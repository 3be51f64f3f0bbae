#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/manifest.h"
#include "image/codec_versions.h"
#include "io/storage_for.h"
#include "pack/conversion.h"
#include "pack/convert_inputs.h"
#include "pack/provenance_of.h"
#include "pack/replacement.h"
#include "shardine/describe.h"
#include "shardine/pack_words.h"
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
  if (RecordedOptions(source).empty()) return Status();
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

ConvertSpec SpecOf(const ResizeShardsOptions& options) {
  const VariantOptions variants = SizesOf(options);
  ConvertSpec spec;
  for (const SourceOptions::Folder& folder : options.source.folders) {
    spec.inputs.push_back(folder.path);
  }
  spec.format = options.format;
  spec.shards = options.shards;
  spec.shard_bytes = options.shard_bytes;
  spec.lossy_labels = options.lossy_labels;
  spec.images_made = true;
  spec.on_bad = options.on_bad;
  spec.entry_points = options.entry_points;
  spec.purpose = "resize" + DescribeVariants(variants);
  spec.made.command = "resize";
  ResizeRequest asked{.resize = options, .to = ResizeTarget::kShards};
  // A dataset keeps its own order.
  asked.resize.seed = 0;
  asked.resize.shuffle = true;
  spec.made.options = RecordedOptions(std::move(asked));
  return spec;
}

// The command as the user gave it.
Provenance CommandOf(const ResizeShardsOptions& options) {
  Provenance command = ProvenanceOf(SpecOf(options), options.format, {});
  command.options["on-bad"] = WordOf(options.on_bad);
  return command;
}

}  // namespace

PackOptions PackOfResize(const ResizeShardsOptions& options) {
  PackOptions pack;
  pack.source = options.source;
  pack.output = options.output;
  if (!options.format.empty()) pack.format = options.format;
  pack.shards = options.shards;
  pack.shard_bytes =
      options.shard_bytes > 0 ? options.shard_bytes : kShardBytes;
  pack.seed = options.seed;
  pack.shuffle = options.shuffle;
  pack.lossy_labels = options.lossy_labels;
  pack.on_bad = options.on_bad;
  pack.variants = SizesOf(options);
  pack.entry_points = options.entry_points;
  pack.replace = options.replace;
  pack.threads = options.threads;
  return pack;
}

Result<Conversion> PlanResizeOfDataset(const ResizeShardsOptions& options,
                                       const OutputFolder& output,
                                       const Job& job) {
  const VariantOptions variants = SizesOf(options);
  SHARDINE_RETURN_IF_ERROR(CheckVariants(variants));
  SHARDINE_RETURN_IF_ERROR(CheckDatasetSource(options.source));
  ConvertSpec spec = SpecOf(options);
  SHARDINE_ASSIGN_OR_RETURN(OpenedInputs opened,
                            OpenInputs(spec.inputs, spec.on_bad, job));
  spec.lost = std::move(opened.lost);
  ClassMap classes = opened.samples->dataset(0).manifest().classes;
  SHARDINE_ASSIGN_OR_RETURN(
      PlannedConversion planned,
      MakeConvertPlan(std::move(opened.samples), std::move(classes), spec,
                      job.formats));
  // The conversion plan describes the input's own images. They are not
  // published here, so the sizes take the place of its variants before anything
  // looks at the output.
  planned.plan.variants = PlanVariants(planned.plan.plan, variants);
  planned.plan.codec_versions = CodecVersions();
  ImagePolicy::Options images{
      .output = output,
      .on_bad = options.on_bad,
      .check = ImageCheckLevel::kDecode,
      .max_payload = planned.plan.format.limits().max_payload,
      .short_sides = options.short_sides,
      .image = options.image,
      .entry_points = options.entry_points,
      .original = false};
  return Conversion{.planned = std::move(planned),
                    .images = std::move(images),
                    .variants = variants};
}

Result<bool> ResizesDataset(const ResizeShardsOptions& options,
                            const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                            StorageFor(job, FirstPath(options.source)));
  return IsDataset(*storage, options.source);
}

Result<PackResult> ResizeShards(const ResizeShardsOptions& options,
                                const Job& job) {
  const StopScope scope(job.stop);
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, options.output));
  Replacement::Earlier earlier;
  if (options.replace && !options.dry_run) {
    SHARDINE_ASSIGN_OR_RETURN(
        earlier, Replacement::FinishEarlier(output, CommandOf(options), job));
    if (earlier.made) return *std::move(earlier.made);
  }
  SHARDINE_ASSIGN_OR_RETURN(const bool dataset, ResizesDataset(options, job));
  if (!dataset) return Pack(PackOfResize(options), job);
  SHARDINE_ASSIGN_OR_RETURN(const Conversion conversion,
                            PlanResizeOfDataset(options, output, job));
  return CarryOut(conversion,
                  {.output = output,
                   .threads = options.threads,
                   .replace = options.replace,
                   .command = earlier.command,
                   .dry_run = options.dry_run},
                  job);
}

}  // namespace shardine
