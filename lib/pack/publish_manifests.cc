#include "pack/publish_manifests.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "dataset/dataset_summary.h"
#include "dataset/ignored.h"
#include "dataset/image_copies.h"
#include "dataset/manifest_json.h"
#include "dataset/metadata_files.h"
#include "dataset/rejects.h"
#include "io/atomic_file.h"
#include "pack/published_files.h"
#include "pack/shard_notes.h"
#include "shard/shard_file.h"

namespace shardine {
namespace {

Manifest PackedManifest(const DatasetPlan& planned,
                        const PlannedVariant& variant, const ShardNotes& notes,
                        DatasetSummary summary) {
  Manifest manifest = ManifestOf(std::move(summary), planned.format.Name(),
                                 planned.plan.source().classes, planned.made);
  manifest.rejected = CountRejects(notes.rejects);
  manifest.ignored = CountIgnored(planned.plan.source());
  manifest.text_fields = planned.plan.source().text_fields;
  manifest.categories = planned.plan.source().categories;
  manifest.plan_digest = variant.plan_digest;
  manifest.variant = variant.record;
  if (variant.is_size()) {
    const SizeCounts& counts = notes.sizes[variant.number - 1];
    manifest.variant.parent_digest = notes.source_digest;
    manifest.variant.upscaled = counts.upscaled;
    manifest.variant.kept = counts.kept;
  }
  manifest.codec_versions = planned.codec_versions;
  return manifest;
}

// Shards were read back one by one; this is about all of them, those of earlier
// runs too, whose sidecars are all that was looked at.
Status CheckProof(const DatasetPlan& planned, const Judgement& judged,
                  const std::string& output, const Manifest& manifest) {
  if (!planned.binding_digest || !planned.has_original() ||
      manifest.binding_digest() == *planned.binding_digest) {
    return Status();
  }
  // The digest is of all samples, those as well that were left out as bad. Each
  // of the others has been compared with its checksum and its shard read back.
  std::uint64_t samples = 0;
  for (const PlannedShard& shard : planned.plan.shards()) {
    samples += shard.count;
  }
  if (judged.on_bad != OnBad::kFail && manifest.samples() < samples) {
    return Status();
  }
  return Status(Code::kCorrupt,
                "the finished shards do not hold the samples of the input; "
                "remove the folder and run the same command again")
      .At({.path = output});
}

// A standing manifest is not written again, so the shards made beside it must
// have the same samples.
Status CheckStanding(const OutputFolder& folder, const Manifest& standing,
                     const Manifest& made) {
  if (standing.splits == made.splits && standing.variants == made.variants &&
      standing.variant == made.variant && standing.rejected == made.rejected) {
    return Status();
  }
  return Status(Code::kChanged,
                "holds a complete dataset of other samples than the sources "
                "give now; restore the sources, or choose another folder")
      .At({.path = folder.path()});
}

// Lists OUT/PATH in the manifest, in whose folder it lies.
Status AddFile(const OutputFolder& output, const std::string& path,
               Manifest& manifest) {
  SHARDINE_ASSIGN_OR_RETURN(
      auto file,
      DescribeFile(output.storage(), DirectoryOf(output.PathOf(path)),
                   FileNameOf(path)));
  manifest.files.push_back(std::move(file));
  return Status();
}

// The plan gives the list that was lost, or the sources are others.
Status RestoreIgnored(const OutputFolder& folder, const SourceSet& source,
                      const Manifest& manifest) {
  const auto listed =
      std::ranges::find(manifest.files, kIgnoredName, &ManifestFile::path);
  const std::string path = folder.PathOf(kIgnoredName);
  std::string lines;
  SHARDINE_RETURN_IF_ERROR(ForIgnoredLines(source, [&](std::string_view piece) {
    lines += piece;
    return Status();
  }));
  if (listed->bytes != lines.size() ||
      listed->digest != Xxh3_128(AsBytes(lines))) {
    return Status(Code::kChanged,
                  "is lost, and the sources give other bytes than it had when "
                  "the dataset was made")
        .At({.path = path});
  }
  return WriteFileAtomically(folder.storage(), path, AsBytes(lines));
}

Status RestoreIgnored(const OutputFolder& output, const DatasetPlan& planned,
                      const OutputState& state) {
  for (std::size_t i = 0; i < planned.variants.size(); ++i) {
    const VariantState& variant = state.variants[i];
    if (std::ranges::find(variant.lost, kIgnoredName) == variant.lost.end()) {
      continue;
    }
    SHARDINE_RETURN_IF_ERROR(
        RestoreIgnored(output.Below(planned.variants[i].folder),
                       planned.plan.source(), *variant.complete));
  }
  return Status();
}

class ManifestPublisher {
 public:
  ManifestPublisher(const OutputFolder& output, const DatasetPlan& planned,
                    const std::vector<Reject>& rejects, PublishedFiles files)
      : output_(output), planned_(planned), files_(std::move(files)) {
    for (const Reject& reject : rejects) rejects_ += RejectLine(reject);
  }

  Status Publish(const PlannedVariant& variant, Manifest& manifest) {
    const OutputFolder folder = output_.Below(variant.folder);
    SHARDINE_RETURN_IF_ERROR(
        PublishIgnored(JoinPath(variant.folder, kIgnoredName), manifest));
    const std::string list = JoinPath(variant.folder, kRejectedName);
    if (rejects_.empty()) {
      // An earlier try, with images that have been mended since, may have got
      // as far as its list. No manifest would name that file, and people would
      // read it as true.
      SHARDINE_RETURN_IF_ERROR(files_.TakeBack(list));
    } else {
      SHARDINE_RETURN_IF_ERROR(
          PublishRejects(files_, output_, list, rejects_, manifest));
    }
    SHARDINE_RETURN_IF_ERROR(WriteMetadata(folder.storage(), folder.path(),
                                           planned_.format, manifest)
                                 .status());
    SHARDINE_ASSIGN_OR_RETURN(const std::string text,
                              ManifestText(folder.path(), manifest));
    return files_.Write(JoinPath(variant.folder, kManifestName), text);
  }

 private:
  // Written from the plan, so that a resumed run writes the same.
  Status PublishIgnored(const std::string& path, Manifest& manifest) {
    const SourceSet& source = planned_.plan.source();
    if (source.ignored.empty()) return files_.TakeBack(path);
    SHARDINE_RETURN_IF_ERROR(
        files_.WritePieces(path, [&](const PublishedFiles::Take& take) {
          return ForIgnoredLines(source, take);
        }));
    return AddFile(output_, path, manifest);
  }

  const OutputFolder& output_;
  const DatasetPlan& planned_;
  PublishedFiles files_;
  std::string rejects_;
};

}  // namespace

Status PublishRejects(PublishedFiles& files, const OutputFolder& output,
                      const std::string& path, const std::string& lines,
                      Manifest& manifest) {
  SHARDINE_RETURN_IF_ERROR(files.Write(path, lines));
  return AddFile(output, path, manifest);
}

void WarnOfOthers(const PublishedDatasets& published, const Layout& layout,
                  PackResult& result) {
  if (published.others == 0) return;
  const ImageReader& reader = layout.reader;
  const bool one = published.others == 1;
  std::string text = std::to_string(published.others);
  text += one ? " image is neither JPEG nor PNG: "
              : " images are neither JPEG nor PNG: ";
  text += reader.name;
  if (reader.unread.empty()) {
    text += one ? " decodes it, other programs may not"
                : " decodes them, other programs may not";
  } else {
    text += " does not decode ";
    for (const ImageKind kind : reader.unread) {
      if (kind != reader.unread.front()) text += " and ";
      text += ToString(kind);
    }
  }
  result.warnings.push_back(text + "; recode stores PNGs or JPEGs");
}

void CompareSplits(const OutputFolder& output, const DatasetPlan& planned,
                   const std::stop_token& stop, PackResult& result) {
  const std::string path =
      JoinPath(output.path(), planned.variants.front().folder);
  const auto dataset = DatasetReader::Open(output.storage(), path);
  auto copies = dataset.ok() ? FindSplitCopies(**dataset, {.stop = stop})
                             : dataset.status();
  if (copies.ok()) {
    result.copies = *std::move(copies);
    for (const SplitCopies& pair : result.copies) {
      if (pair.copies == 0) continue;
      result.warnings.push_back(ToString(pair) + "; an audit lists them");
    }
  } else {
    result.warnings.push_back("the splits were not compared with each other: " +
                              copies.status().ToString());
  }
}

FinishedShard FilesOf(const DatasetPlan& planned, const PlannedShard& shard) {
  return {.split = planned.plan.source().splits[shard.split],
          .path = ShardFileOf(planned.format, shard.name),
          .companion = planned.format.CompanionName(shard.name),
          .sidecar = SidecarName(shard.name),
          .entry_points = planned.entry_points == EntryPoints::kAuto};
}

Result<PublishedDatasets> PublishManifests(const OutputFolder& output,
                                           const DatasetPlan& planned,
                                           const Judgement& judged,
                                           const OutputState& state) {
  SHARDINE_RETURN_IF_ERROR(RestoreIgnored(output, planned, state));
  if (state.has_all_manifests()) {
    // Lost files were made again, and nothing else lacked.
    return PublishedDatasets{
        .manifests = state.manifests(),
        .image_bytes = std::vector<std::uint64_t>(planned.variants.size(),
                                                  planned.plan.bytes())};
  }
  DatasetSums sums;
  SHARDINE_ASSIGN_OR_RETURN(sums.notes,
                            CollectNotes(output, planned, judged.on_bad));
  std::vector<FinishedShard> shards;
  for (const PlannedShard& shard : planned.plan.shards()) {
    shards.push_back(FilesOf(planned, shard));
  }
  for (const PlannedVariant& variant : planned.variants) {
    SHARDINE_ASSIGN_OR_RETURN(
        sums.summaries.emplace_back(),
        SummarizeShards(output.storage(), output.Below(variant.folder).path(),
                        shards));
  }
  return PublishManifests(output, planned, judged, state, std::move(sums));
}

Result<PublishedDatasets> PublishManifests(const OutputFolder& output,
                                           const DatasetPlan& planned,
                                           const Judgement& judged,
                                           const OutputState& state,
                                           DatasetSums sums) {
  const ShardNotes& notes = sums.notes;
  PublishedDatasets published;
  std::vector<ManifestChild> children;
  for (std::size_t i = 0; i < planned.variants.size(); ++i) {
    const PlannedVariant& variant = planned.variants[i];
    DatasetSummary& summary = sums.summaries[i];
    published.image_bytes.push_back(summary.image_bytes);
    std::uint64_t others = 0;
    for (const ContentCounts& counts : summary.counts) others += counts.others;
    if (i == 0) published.others = others;
    Manifest& manifest = published.manifests.emplace_back(
        PackedManifest(planned, variant, notes, std::move(summary)));
    // Images of sizes are of one kind, whatever their sources are, and a file
    // may be bad as an image of one kind only.
    const bool shows_kinds = !planned.has_original() || published.others > 0 ||
                             !manifest.rejected.empty();
    RecordJudgement(judged, shows_kinds, manifest.made);
    if (!variant.is_size()) continue;
    children.push_back(
        {variant.folder, manifest.content_digest(), manifest.binding_digest()});
  }
  SHARDINE_RETURN_IF_ERROR(
      CheckProof(planned, judged, output.path(), published.manifests.front()));
  // Variants are planned by number, "sz/96" before "sz/160". Manifests list
  // paths in byte order.
  std::ranges::sort(children, {}, &ManifestChild::path);
  if (planned.has_original()) published.manifests.front().variants = children;
  for (std::size_t i = 0; i < published.manifests.size(); ++i) {
    const auto& standing = state.variants[i].complete;
    if (!standing) continue;
    SHARDINE_RETURN_IF_ERROR(
        CheckStanding(output.Below(planned.variants[i].folder), *standing,
                      published.manifests[i]));
    published.manifests[i] = *standing;
  }
  // The original's manifest, the first one, is written last: it lists the
  // digests of the sizes, and with it in place the whole family is complete. A
  // run that ends between two of them finds the finished ones by their plan
  // digest.
  SHARDINE_ASSIGN_OR_RETURN(PublishedFiles files,
                            PublishedFiles::Of(output, JournalWork(planned)));
  ManifestPublisher publisher(output, planned, notes.rejects, std::move(files));
  for (std::size_t i = published.manifests.size(); i > 0; --i) {
    if (state.variants[i - 1].complete) continue;
    SHARDINE_RETURN_IF_ERROR(
        publisher.Publish(planned.variants[i - 1], published.manifests[i - 1]));
  }
  return published;
}

}  // namespace shardine
