#include "pack/pack_plan.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <utility>

#include "base/status_macros.h"
#include "dataset/ignored.h"
#include "dataset/manifest.h"
#include "image/codec_versions.h"
#include "pack/journal.h"
#include "pack/limits_check.h"
#include "pack/provenance_of.h"
#include "pack/written_format.h"
#include "shardine/escape.h"
#include "shardine/version.h"
#include "source/field_file.h"
#include "source/list_input.h"
#include "source/output_place.h"
#include "source/read_source.h"
#include "source/tree_tables.h"

namespace shardine {
namespace {

constexpr char kMetadataOption[] = "metadata-file";

// These are estimates for a plan without a pack: a sidecar row with its share
// of the page (81 bytes), a line of the native index, and a record's header and
// padding.
constexpr std::uint64_t kOverheadPerSample = 81 + 24 + 36;
// This is a ratio of photos, and has the row of 20 bytes of each in it.
constexpr std::uint64_t kImageBytesPerEntryPointByte = 64;

// Everything beside the samples that decides a dataset's bytes. The action on
// bad images is not in it: another OnBad is how to go on after the first one.
std::string Fingerprint(const PackOptions& options,
                        const FormatAndLayout& format) {
  return "pack " + std::string(Version()) + " " + format.Name() +
         DescribeVariants(options.variants) +
         DescribeRecode(options.recode, options.variants.image.quality) +
         DescribeEntryPoints(options.entry_points);
}

// Adds the fields that a table has of a sample.
Status AddTableFields(const SourceSet& source, std::size_t sample,
                      std::vector<IndexField>& fields) {
  if (source.columns.empty()) return Status();
  const auto own =
      ColumnFieldsOf(source.samples.fields(sample), source.columns);
  if (!own) {
    return Status(Code::kUnsupported,
                  "a value of the list is not of the type "
                  "that its column has in other rows")
        .At({.key = std::string(source.samples.key(sample))});
  }
  for (const ColumnField& field : *own) {
    fields.push_back(
        {std::string(field.name), std::string(field.dtype), field.shape, {}});
  }
  return Status();
}

// A sample that the format cannot hold must not show after hours of packing.
Status CheckLimits(const SourceSet& source, OnBad on_bad, LimitsCheck& limits) {
  const IndexField image{
      std::string(kImageField), std::string(kBytesDtype), {}, {}};
  // Boxes come as several fields; a layout that holds one holds all.
  const IndexField box{std::string(kBoxFields[0].name), "<f4", {1}, {}};
  std::vector<IndexField> fields;
  std::vector<Label> labels;
  for (std::size_t i = 0; i < source.samples.size(); ++i) {
    const std::string_view key = source.samples.key(i);
    source.samples.GetLabels(i, labels);
    SHARDINE_RETURN_IF_ERROR(limits.CheckLabels(key, labels));
    SHARDINE_RETURN_IF_ERROR(limits.CheckKey(key));
    const bool has_boxes = !source.boxes.empty() &&
                           !source.boxes.Find(source.samples.path(i)).empty();
    fields = {image};
    if (has_boxes) fields.push_back(box);
    SHARDINE_RETURN_IF_ERROR(AddTableFields(source, i, fields));
    SHARDINE_RETURN_IF_ERROR(limits.CheckFields(key, fields));
    // With another choice a file that is too large is rejected like a bad one
    // when it is read.
    if (on_bad == OnBad::kFail) {
      SHARDINE_RETURN_IF_ERROR(
          limits.CheckPayload(key, source.samples.facts(i).size));
    }
  }
  return limits.CheckUnique(source);
}

// The plan that follows from the options and the shards. `made` is left out.
DatasetPlan PlanAround(const FormatAndLayout& format, ShardPlan plan,
                       const PackOptions& options) {
  std::vector<PlannedVariant> variants = PlanVariants(plan, options.variants);
  return DatasetPlan{.format = format,
                     .plan = std::move(plan),
                     .variants = std::move(variants),
                     .codec_versions = CodecVersions(),
                     .warnings = {},
                     .entry_points = options.entry_points};
}

// Once the options are found to be ones that a pack can have.
Result<FormatAndLayout> FormatToWrite(const PackOptions& options,
                                      const FormatRegistry& formats) {
  SHARDINE_RETURN_IF_ERROR(CheckVariants(options.variants));
  SHARDINE_ASSIGN_OR_RETURN(FormatAndLayout format,
                            ParseFormat(formats, options.format));
  SHARDINE_RETURN_IF_ERROR(CheckWritten(format));
  return format;
}

// Files that are left out are one thing, another folder than the list's is
// another.
Status CheckAnyListed(const SourceSet& source, const std::string& list) {
  if (list.empty() || source.samples.size() > 0) return Status();
  const std::string count = std::to_string(source.bad.size());
  return Status(Code::kInvalidArgument,
                "no row of the list is of a file below " +
                    EscapeBytes(source.roots.front()) + ": " + count +
                    (source.bad.size() == 1 ? " is " : " are ") +
                    "not, first " + EscapeBytes(source.bad.front().key) + ", " +
                    source.bad.front().reason)
      .At({.path = list});
}

// Boxes of a size would be those of the original, without a word.
Status CheckAnnotatedSizes(const PackOptions& options) {
  if (options.source.annotations.empty() ||
      options.variants.short_sides.empty()) {
    return Status();
  }
  return Status(Code::kInvalidArgument,
                "annotations are in pixels of the original images, and sizes "
                "would have other pixels: pack the original alone; a loader's "
                "transform moves boxes and points with the image");
}

// The manifests of packs in `output`, of any plan. A manifest that is none is
// reported by the checks of the output.
Result<std::vector<Manifest>> PackedIn(const OutputFolder& output,
                                       const PackOptions& options) {
  std::vector<std::string> folders = {output.path()};
  for (const std::uint32_t side : options.variants.short_sides) {
    folders.push_back(output.PathOf("sz/" + std::to_string(side)));
  }
  std::vector<Manifest> manifests;
  for (const std::string& folder : folders) {
    auto manifest = ReadManifest(output.storage(), folder);
    const Status status = manifest.status();
    if (status.code() == Code::kIo && status.system_error() != ENOTDIR) {
      return status;
    }
    if (!manifest.ok() || manifest->made.command != "pack") continue;
    manifests.push_back(*std::move(manifest));
  }
  return manifests;
}

// The plan digests of datasets in `output` that were packed without metadata
// files.
Result<std::vector<Digest128>> PackedWithout(const OutputFolder& output,
                                             const PackOptions& options) {
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<Manifest> manifests,
                            PackedIn(output, options));
  std::vector<Digest128> digests;
  for (const Manifest& manifest : manifests) {
    if (manifest.made.options.contains(kMetadataOption)) continue;
    digests.push_back(manifest.plan_digest);
  }
  return digests;
}

// Says which metadata file a plan does not read, if any.
void NoteUnread(DatasetPlan& planned) {
  const SourceSet& source = planned.plan.source();
  const std::vector<std::string> names = TreeTableNames({});
  for (const SourceProblem& problem : source.ignored) {
    const std::string name = FileNameOf(problem.key);
    if (problem.reason != "not-an-image-suffix" ||
        std::ranges::find(names, name) == names.end()) {
      continue;
    }
    planned.warnings.push_back(
        EscapeBytes(JoinPath(source.roots[problem.root], problem.key)) +
        " is not read, as when the dataset was made; metadata-file auto reads "
        "it");
    return;
  }
}

// The one column of a list is the text of a layout that holds one field.
void NameTextColumn(const Limits& limits, SourceSet& source) {
  const auto is_field = [](const TableColumn& column) {
    return column.type != ColumnType::kNone;
  };
  const auto column = std::ranges::find_if(source.columns, is_field);
  if (limits.text_field.empty() || column == source.columns.end() ||
      column->type != ColumnType::kText || column->name == limits.text_field ||
      std::ranges::count_if(source.columns, is_field) != 1) {
    return;
  }
  const std::string field(limits.text_field);
  source.notes.push_back("the column " + EscapeBytes(column->name) +
                         " becomes the field " + field);
  std::ranges::replace(source.text_fields, column->name, field);
  column->name = field;
}

Result<DatasetPlan> PlanAsAsked(ReadableStorage& sources,
                                const OutputFolder& output,
                                const PackOptions& options,
                                const FormatRegistry& formats,
                                const SayFunction& say) {
  SHARDINE_ASSIGN_OR_RETURN(const FormatAndLayout format,
                            FormatToWrite(options, formats));
  SHARDINE_RETURN_IF_ERROR(CheckAnnotatedSizes(options));
  SHARDINE_RETURN_IF_ERROR(
      RefuseOutputInSource(sources, options.source, output));
  SHARDINE_ASSIGN_OR_RETURN(SourceSet source,
                            LoadSource(sources, options.source));
  if (say) std::ranges::for_each(source.remarks, say);
  SHARDINE_RETURN_IF_ERROR(CheckBadSources(source, options.on_bad));
  SHARDINE_RETURN_IF_ERROR(CheckAnyListed(source, options.source.list));
  NameTextColumn(format.limits(), source);
  LimitsCheck limits(format, formats, options.lossy_labels);
  Status held = CheckLimits(source, options.on_bad, limits);
  if (!held.ok() && source.has_metadata) held = AddTableNote(std::move(held));
  SHARDINE_RETURN_IF_ERROR(held);
  ShardPlanOptions plan_options;
  plan_options.shards = options.shards;
  plan_options.shard_bytes = options.shard_bytes;
  plan_options.seed = options.seed;
  plan_options.shuffle = options.shuffle;
  if (!options.no_suffix) plan_options.suffix = format.format->suffix;
  plan_options.fingerprint = Fingerprint(options, format);
  SHARDINE_ASSIGN_OR_RETURN(ShardPlan plan,
                            ShardPlan::Make(std::move(source), plan_options));
  SHARDINE_RETURN_IF_ERROR(CheckKeysOfShards(format, plan));
  std::vector<std::string> warnings = limits.LabelLosses();
  for (std::string& warning : warnings) {
    warning += "; the sidecar index keeps them exactly";
  }
  std::ranges::copy(plan.source().notes, std::back_inserter(warnings));
  DatasetPlan planned = PlanAround(format, std::move(plan), options);
  planned.warnings = std::move(warnings);
  planned.made = ProvenanceOf(options, format);
  // A column of the list may have decided it.
  if (const std::string& rule = planned.plan.source().group_by; !rule.empty()) {
    planned.made.options["group-by"] = rule;
  }
  // Files of the usual names may be no metadata in another dataset's record.
  if (planned.plan.source().has_metadata) {
    planned.made.options.try_emplace(kMetadataOption, "auto");
  }
  return planned;
}

}  // namespace

Result<ImageKindNames> KindsFor(const OutputFolder& output,
                                const PackOptions& options) {
  if (!options.kinds.empty()) return options.kinds;
  if (options.replace) return AllImageKinds();
  SHARDINE_ASSIGN_OR_RETURN(const std::vector<Manifest> manifests,
                            PackedIn(output, options));
  if (manifests.empty()) return AllImageKinds();
  // The manifests of sizes are published before the original's: a run that
  // ended between them took all kinds, which theirs need not record.
  const Manifest& first = manifests[0];
  if (first.rejected.empty() && !first.made.options.contains("kinds") &&
      output.storage().Stat(Journal::PathIn(output)).ok()) {
    return AllImageKinds();
  }
  return RecordedKinds(first.made);
}

Judgement JudgementOf(const PackOptions& options) {
  return {options.on_bad, EffectiveCheck(options),
          options.kinds.empty() ? AllImageKinds() : options.kinds};
}

ImageCheckLevel EffectiveCheck(const PackOptions& options) {
  const bool decodes = !options.variants.short_sides.empty();
  return decodes && options.check == ImageCheckLevel::kHeader
             ? ImageCheckLevel::kDecode
             : options.check;
}

Result<DatasetPlan> MakePackPlan(ReadableStorage& sources,
                                 const OutputFolder& output,
                                 const PackOptions& options,
                                 const FormatRegistry& formats,
                                 const SayFunction& say) {
  // A complete dataset keeps the meaning that it was made with.
  std::vector<Digest128> before;
  const SourceOptions& source = options.source;
  const bool reads_input = IsStandardInput(source.blacklist) ||
                           IsStandardInput(source.val_labels) ||
                           IsStandardInput(source.bounding_boxes);
  if (source.metadata_file.empty() && source.list.empty() && !reads_input) {
    SHARDINE_ASSIGN_OR_RETURN(before, PackedWithout(output, options));
  }
  if (!before.empty()) {
    PackOptions without = options;
    without.source.metadata_file = "none";
    auto planned = PlanAsAsked(sources, output, without, formats, {});
    const auto is_made = [&](const PlannedVariant& variant) {
      return std::ranges::find(before, variant.plan_digest) != before.end();
    };
    if (planned.ok() && std::ranges::any_of(planned->variants, is_made)) {
      planned->made.options.erase(kMetadataOption);
      NoteUnread(*planned);
      return planned;
    }
  }
  return PlanAsAsked(sources, output, options, formats, say);
}

Result<DatasetPlan> MakePackPart(const PackOptions& options, SourceSet source,
                                 std::vector<PlannedShard> shards,
                                 const Digest128& digest,
                                 const FormatRegistry& formats) {
  SHARDINE_ASSIGN_OR_RETURN(const FormatAndLayout format,
                            FormatToWrite(options, formats));
  SHARDINE_ASSIGN_OR_RETURN(
      ShardPlan plan, ShardPlan::Part(std::move(source), std::move(shards),
                                      Fingerprint(options, format), digest));
  return PlanAround(format, std::move(plan), options);
}

Result<DatasetPlan> OutlinePackPlan(const PackOptions& options,
                                    SourceSet source,
                                    std::vector<PlannedShard> shards,
                                    const Digest128& digest,
                                    const FormatRegistry& formats) {
  SHARDINE_RETURN_IF_ERROR(CheckVariants(options.variants));
  SHARDINE_ASSIGN_OR_RETURN(const FormatAndLayout format,
                            ParseFormat(formats, options.format));
  return PlanAround(
      format, ShardPlan::Outline(std::move(source), std::move(shards), digest),
      options);
}

ImagePolicy::Options PolicyOptions(const OutputFolder& output,
                                   const DatasetPlan& planned,
                                   const PackOptions& options) {
  return {
      .output = output,
      .on_bad = options.on_bad,
      .check = EffectiveCheck(options),
      .kinds = options.kinds,
      .max_payload = planned.format.limits().max_payload,
      .short_sides = options.variants.short_sides,
      .image = options.variants.image,
      .recode = options.variants.original ? options.recode : RecodeOptions(),
      .entry_points = options.entry_points,
      .original = options.variants.original};
}

PackPlan DescribePlan(const OutputFolder& output, const DatasetPlan& planned,
                      const PackOptions& options) {
  const ShardPlan& plan = planned.plan;
  const SourceSet& source = plan.source();
  PackPlan described;
  described.format = planned.format.Name();
  for (std::uint32_t s = 0; s < source.splits.size(); ++s) {
    PackPlanSplit split{source.splits[s], plan.split_samples(s),
                        plan.split_bytes(s), 0};
    for (const PlannedShard& shard : plan.shards()) {
      split.shards += shard.split == s ? 1 : 0;
    }
    described.splits.push_back(std::move(split));
  }
  for (const PlannedVariant& variant : planned.variants) {
    described.variants.push_back(variant.record.name);
  }
  if (planned.has_sizes()) {
    described.image_options = Describe(options.variants.image);
  }
  described.samples = source.samples.size();
  described.bytes = plan.bytes();
  std::uint64_t key_bytes = 0;
  std::uint64_t field_bytes = 0;
  for (std::size_t i = 0; i < source.samples.size(); ++i) {
    key_bytes += source.samples.key(i).size();
    field_bytes += FieldFileBytes(source, i);
  }
  described.disk_known = field_bytes * planned.variants.size() +
                         (planned.keeps_bytes() ? plan.bytes() : 0);
  // Images that are encoded again take as much in the mean: an estimate.
  const bool encodes = planned.has_original() && !planned.keeps_bytes();
  const std::uint64_t images =
      described.disk_known + (encodes ? plan.bytes() : 0) +
      described.samples * EstimateSizes(options.variants);
  // Points are reckoned for images of any kind, and keys as if they compressed
  // to half.
  const bool points = options.entry_points == EntryPoints::kAuto;
  described.disk_needed =
      images + (points ? images / kImageBytesPerEntryPointByte : 0) +
      planned.variants.size() *
          (described.samples * kOverheadPerSample + key_bytes / 2);
  const auto free = output.storage().FreeBytes(output.path());
  if (free.ok()) described.disk_free = *free;
  described.classes = source.classes.size();
  described.plan_digest = plan.digest();
  described.ignored = IgnoredCounts(CountIgnored(source));
  described.warnings = planned.warnings;
  return described;
}

}  // namespace shardine
