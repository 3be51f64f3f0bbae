#include "pack/other_plan.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "dataset/index_walk.h"
#include "dataset/rejects.h"
#include "pack/plan_difference.h"
#include "shard/payload.h"
#include "shardine/escape.h"
#include "shardine/version.h"

namespace shardine {
namespace {

// The bytes of a sample as the plan counts them: the file of a tree, or the
// whole payload of a dataset's record.
std::uint64_t SizeOf(const IndexEntry& entry, const DatasetPlan& planned) {
  if (planned.made.command != "pack") return PayloadBytes(entry);
  // A packed record may have boxes beside the image, which are no part of the
  // file's size.
  const IndexField* image = ImageFieldOf(entry);
  std::uint64_t bytes = 0;
  if (image == nullptr) return bytes;
  for (const Extent& extent : image->extents) bytes += extent.length;
  return bytes;
}

Status AddShard(const DatasetReader& reader,
                const DatasetReader::ShardRef& shard,
                const DatasetPlan& planned, SampleDifference& difference) {
  SHARDINE_ASSIGN_OR_RETURN(const auto index, reader.OpenIndex(shard));
  return WalkIndex(*index, [&](std::uint64_t, const IndexEntry& entry,
                               const std::string& key) {
    difference.Add({.split = shard.split->name,
                    .key = key,
                    .id = entry.id,
                    .labels = entry.labels,
                    .bytes = SizeOf(entry, planned)});
    return Status();
  });
}

Result<std::string> SamplesOf(const OutputFolder& folder,
                              const DatasetPlan& planned,
                              const PlannedVariant& variant) {
  SHARDINE_ASSIGN_OR_RETURN(
      const auto reader, DatasetReader::Open(folder.storage(), folder.path()));
  // Images at another size, or in another encoding, say nothing about the size
  // of their sources.
  const bool has_sizes = !variant.is_size() && !EncodesAgain(planned.made) &&
                         !EncodesAgain(reader->manifest().made);
  SampleDifference difference(planned.plan.source(), has_sizes);
  for (const DatasetReader::ShardRef& shard : reader->shards()) {
    SHARDINE_RETURN_IF_ERROR(AddShard(*reader, shard, planned, difference));
  }
  const auto rejects =
      ReadRejects(folder.storage(), folder.PathOf(kRejectedName));
  // The list only makes the message better: without it a rejected image counts
  // as added.
  if (rejects.ok()) {
    for (const Reject& reject : *rejects) {
      difference.AddRejected(reject.split, reject.key);
    }
  }
  return difference.Finish();
}

// Joins the parts that are not empty; a default text if all are.
std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  }
  if (!text.empty()) return text;
  return "options, names, labels and sizes are the same; class names or texts, "
         "boxes, other fields or files that cannot be read are not";
}

std::string VersionText(const std::string& before) {
  if (before == Version()) return {};
  return "made by shardine " + EscapeBytes(before) + ", this is " +
         std::string(Version());
}

// Manifests of schema 1 say no more about how they were made.
std::string FormatText(const Manifest& manifest, const DatasetPlan& planned) {
  const std::string format = planned.format.Name();
  if (manifest.format == format) return {};
  return "format " + EscapeBytes(manifest.format) + ", now " + format;
}

}  // namespace

Status RefuseOtherDataset(const OutputFolder& folder, const Manifest& manifest,
                          const DatasetPlan& planned,
                          const PlannedVariant& variant) {
  const std::string options =
      manifest.schema >= 2 ? DescribeDifference(manifest.made, planned.made)
                           : FormatText(manifest, planned);
  auto samples = SamplesOf(folder, planned, variant);
  // The refusal stands whatever the old dataset's sidecars are like. A damaged
  // one must not replace it by an error that says nothing about the plan.
  if (!samples.ok()) {
    samples = "its samples cannot be listed: " + samples.status().ToString();
  }
  return Status(
             Code::kChanged,
             "already holds a dataset of other sources or options: " +
                 Join({VersionText(manifest.tool_version), options, *samples}) +
                 "; choose another folder, or remove this one")
      .At({.path = folder.path()});
}

}  // namespace shardine
