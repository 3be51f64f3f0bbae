#include "pack/convert_plan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status_macros.h"
#include "dataset/kept_images.h"
#include "image/codec_versions.h"
#include "pack/converted_format.h"
#include "pack/copied_images.h"
#include "pack/field_tally.h"
#include "pack/image_plan.h"
#include "pack/kept_promises.h"
#include "pack/limits_check.h"
#include "pack/provenance_of.h"
#include "pack/written_format.h"
#include "shard/content_digest.h"
#include "shardine/pack_words.h"
#include "shardine/version.h"
#include "source/class_form_check.h"

namespace shardine {
namespace {

// Walks the inputs into a SourceSet.
class Gatherer {
 public:
  Gatherer(const DatasetSamples& samples, const ConvertSpec& spec,
           const Limits& format, LimitsCheck& limits)
      : samples_(samples),
        spec_(spec),
        images_(spec, format),
        limits_(limits),
        fields_(samples) {}

  // False: the sample is not chosen.
  Result<bool> Add(const DatasetSamples::Shard& shard, const IndexEntry& entry,
                   const std::string& key) {
    const std::string& split = shard.ref->split->name;
    const KeyOrigin origin{.input = samples_.path(shard.dataset),
                           .number = shard.dataset,
                           .shard = shard.ref->shard->file.path,
                           .id = entry.id};
    ConvertedSample sample{shard.dataset, split, entry.id,
                           spec_.key_prefix.Of(origin, key), entry.labels};
    if (spec_.drop != nullptr && spec_.drop->Drops(key, sample.key)) {
      return false;
    }
    if (spec_.choose) {
      SHARDINE_ASSIGN_OR_RETURN(const bool chosen, spec_.choose(sample, entry));
      if (!chosen) return false;
    }
    // A shard without a chosen sample has no shard in the output.
    if (shard.ref != shard_) SHARDINE_RETURN_IF_ERROR(Begin(shard, split));
    if (spec_.change) SHARDINE_RETURN_IF_ERROR(spec_.change(sample));
    // An image that was kept though bad is as bad in the output. Without its
    // entry there a verification would report it as damage.
    if (const Reject* reject = source_kept_.Find(split, key)) {
      kept_.push_back(*reject);
      kept_.back().key = sample.key;
      kept_samples_.push_back(source_.samples.size());
    }
    if (sample.key.size() > SourceList::kMaxKey ||
        sample.labels.size() > SourceList::kMaxLabels) {
      return Status(Code::kUnsupported, "a key or list of labels is too long")
          .At({.key = sample.key});
    }
    SHARDINE_RETURN_IF_ERROR(limits_.CheckLabels(sample.key, sample.labels));
    SHARDINE_RETURN_IF_ERROR(limits_.CheckKey(sample.key));
    std::vector<IndexField> fields = entry.fields;
    const bool all = fields_.Keep(fields);
    NoteTexts(shard.dataset, fields);
    std::uint64_t bytes = 0;
    for (const IndexField& field : fields) bytes += FieldBytes(field);
    SHARDINE_RETURN_IF_ERROR(images_.Add(entry, sample.key, fields, bytes));
    same_contents_ = same_contents_ && all && sample.labels == entry.labels;
    contents_ += entry.content_digest;
    // Summed over the inputs, before a payload is read. The output's binding
    // digest has to be the same: that proves the conversion.
    bindings_ +=
        BindingDigest(sample.id, split, sample.key, entry.content_digest);
    if (spec_.cut.is_made()) digests_.push_back(entry.content_digest);
    if (spec_.cut.rule.unites_copies()) copied_.Add(entry);
    SHARDINE_RETURN_IF_ERROR(limits_.CheckPayload(sample.key, bytes));
    SHARDINE_RETURN_IF_ERROR(CheckFields(sample, fields));
    const std::size_t i =
        source_.samples.Add(sample.key, sample.id, sample.labels, split_);
    source_.samples.SetRoot(i, static_cast<std::uint32_t>(shard.dataset));
    source_.samples.SetFacts(i, {bytes, mtime_ns_});
    ++shard_samples_[split_].back();
    return true;
  }

  // Makes the splits that the spec says, once all samples are in.
  Status Cut() {
    if (!spec_.cut.is_made()) return Status();
    if (!spec_.cut.shares.empty() && source_.splits.size() > 1) {
      return Status(Code::kInvalidArgument,
                    "shares cut the samples of one split, and these are of " +
                        std::to_string(source_.splits.size()));
    }
    SHARDINE_ASSIGN_OR_RETURN(std::vector<Likeness> copies,
                              copied_.Find(samples_));
    AlikeSamples alike;
    if (spec_.cut.rule.near_groups) {
      SHARDINE_ASSIGN_OR_RETURN(alike, copied_.FindAlike(samples_));
      std::ranges::copy(alike.pairs, std::back_inserter(copies));
    }
    SHARDINE_RETURN_IF_ERROR(ApplyCut(spec_.cut, copies, source_));
    if (!alike.note.empty()) source_.notes.push_back(alike.note);
    const SourceList& samples = source_.samples;
    const auto split_of = [&](std::size_t i) -> const std::string& {
      return source_.splits[samples.split(i)];
    };
    bindings_ = {};
    for (std::size_t i = 0; i < samples.size(); ++i) {
      bindings_ += BindingDigest(samples.id(i), split_of(i),
                                 std::string(samples.key(i)), digests_[i]);
    }
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      kept_[k].split = split_of(kept_samples_[k]);
    }
    // A lost sample was drawn for no split of the output.
    for (Reject& reject : left_out_) {
      const auto& splits = source_.splits;
      if (std::ranges::find(splits, reject.split) == splits.end()) {
        reject.split = splits.front();
      }
    }
    return Status();
  }

  // Payload bytes of a shard of the inputs.
  std::uint64_t MeanShardBytes() const {
    std::uint64_t shards = 0;
    for (const auto& of_split : shard_samples_) shards += of_split.size();
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < source_.samples.size(); ++i) {
      bytes += source_.samples.facts(i).size;
    }
    return std::max<std::uint64_t>(1,
                                   bytes / std::max<std::uint64_t>(1, shards));
  }

  const ImagePlan& images() const { return images_; }
  // Samples that the inputs lost, and then, unless images are made again, the
  // images that they kept though bad.
  std::vector<Reject> TakeRejects() {
    if (!images_.pixels() && !spec_.images_made) {
      std::ranges::move(kept_, std::back_inserter(left_out_));
    }
    return std::move(left_out_);
  }
  const FieldTally& fields() const { return fields_; }
  // Digest of the output's samples as they are in the inputs.
  const Digest128& contents() const { return contents_; }
  // Binding digest of the output; nullopt if its contents differ from the
  // input.
  std::optional<Digest128> bindings() const {
    if (!same_contents_ || images_.makes_images()) return std::nullopt;
    return bindings_;
  }
  SourceSet& source() { return source_; }
  const std::vector<std::vector<std::uint64_t>>& shard_samples() const {
    return shard_samples_;
  }

 private:
  // A part of the samples has no list of samples that the whole lost.
  void TakeOver(std::size_t dataset, const std::vector<Reject>& left_out) {
    if (spec_.choose || spec_.drop != nullptr) return;
    const KeyOrigin origin{.input = samples_.path(dataset), .number = dataset};
    for (const Reject& reject : left_out) {
      left_out_.push_back(reject);
      left_out_.back().key = spec_.key_prefix.Of(origin, reject.key);
    }
  }

  // A field that is text in one of the inputs is text in the output.
  void NoteTexts(std::size_t dataset, const std::vector<IndexField>& fields) {
    const std::vector<std::string>& texts =
        samples_.dataset(dataset).manifest().text_fields;
    if (texts.empty()) return;
    std::vector<std::string>& known = source_.text_fields;
    for (const IndexField& field : fields) {
      if (field.dtype != kBytesDtype ||
          !std::ranges::binary_search(texts, field.name)) {
        continue;
      }
      const auto at = std::ranges::lower_bound(known, field.name);
      if (at == known.end() || *at != field.name) known.insert(at, field.name);
    }
  }

  // Labels of boxes are numbers, which mean one thing in one dataset.
  Status NoteCategories(std::size_t dataset) {
    const CategoryMap& own = samples_.dataset(dataset).manifest().categories;
    if (source_.categories.empty()) source_.categories = own;
    if (own.empty() || own == source_.categories) return Status();
    return Status(Code::kInvalidArgument,
                  "has other categories of boxes, or other numbers for them, "
                  "than the inputs before")
        .At({.path = samples_.path(dataset)});
  }

  // A field of a sample without a label may be its label under another name.
  Status CheckFields(const ConvertedSample& sample,
                     const std::vector<IndexField>& fields) const {
    Status status = limits_.CheckFields(sample.key, fields);
    if (status.ok() || !sample.labels.empty()) return status;
    return Status(status.code(),
                  status.message() + "; the sample has no label besides")
        .At(status.where());
  }

  Status Begin(const DatasetSamples::Shard& shard, const std::string& split) {
    // The list is one of the whole dataset, and samples come dataset after
    // dataset.
    if (shard_ == nullptr || shard.dataset != dataset_) {
      SHARDINE_ASSIGN_OR_RETURN(
          source_kept_, KeptImages::Read(samples_.dataset(shard.dataset)));
      TakeOver(shard.dataset, source_kept_.left_out());
      SHARDINE_RETURN_IF_ERROR(NoteCategories(shard.dataset));
    }
    shard_ = shard.ref;
    dataset_ = shard.dataset;
    const auto known = std::ranges::find(source_.splits, split);
    split_ = static_cast<std::uint32_t>(known - source_.splits.begin());
    if (known == source_.splits.end()) {
      source_.splits.push_back(split);
      shard_samples_.emplace_back();
    }
    shard_samples_[split_].push_back(0);
    mtime_ns_ = shard.facts.mtime_ns;
    return Status();
  }

  const DatasetSamples& samples_;
  const ConvertSpec& spec_;
  ImagePlan images_;
  LimitsCheck& limits_;
  SourceSet source_;
  std::vector<std::vector<std::uint64_t>> shard_samples_;  // by split

  const DatasetReader::ShardRef* shard_ = nullptr;  // being walked
  std::size_t dataset_ = 0;
  KeptImages source_kept_;
  std::vector<Reject> left_out_;
  std::vector<Reject> kept_;
  std::vector<std::size_t> kept_samples_;  // numbers of those of `kept_`
  std::vector<Digest128> digests_;  // of each sample, where splits are cut
  CopiedImages copied_;             // with dedup_groups or near_groups
  FieldTally fields_;
  bool same_contents_ = true;
  Digest128 contents_;
  Digest128 bindings_;
  std::uint32_t split_ = 0;
  std::int64_t mtime_ns_ = 0;
};

// Moves the sums over several datasets of a variant out of its record. The rest
// is how the images were made, which has to be the same for all of one dataset.
ManifestVariant TakeSums(ManifestVariant& variant) {
  ManifestVariant sums;
  sums.parent_digest = std::exchange(variant.parent_digest, {});
  sums.upscaled = std::exchange(variant.upscaled, 0);
  sums.kept = std::exchange(variant.kept, 0);
  return sums;
}

// Which samples were scaled up, and their parent's digest, is known of all
// together alone.
void ForgetSums(ManifestVariant& variant) { TakeSums(variant); }

// The variant that all inputs share.
Result<ManifestVariant> CommonVariant(const DatasetSamples& samples) {
  ManifestVariant common = samples.dataset(0).manifest().variant;
  ManifestVariant sums = TakeSums(common);
  for (std::size_t i = 1; i < samples.datasets(); ++i) {
    ManifestVariant other = samples.dataset(i).manifest().variant;
    const ManifestVariant more = TakeSums(other);
    sums.parent_digest += more.parent_digest;
    sums.upscaled += more.upscaled;
    sums.kept += more.kept;
    if (other == common) continue;
    return Status(Code::kInvalidArgument,
                  "is the variant " + other.name + " (" + other.images +
                      "), the inputs before are " + common.name + " (" +
                      common.images + ")")
        .At({.path = samples.path(i)});
  }
  common.parent_digest = sums.parent_digest;
  common.upscaled = sums.upscaled;
  common.kept = sums.kept;
  return common;
}

// Warnings about the values that records lose, or a refusal.
Result<std::vector<std::string>> Losses(const LimitsCheck& limits,
                                        bool strict) {
  const std::vector<std::string> losses = limits.Losses();
  if (strict && !losses.empty()) {
    return Status(Code::kUnsupported, "strict: " + losses.front());
  }
  return limits.LossWarnings();
}

std::string Fingerprint(const DatasetSamples& samples,
                        const FormatAndLayout& format,
                        const std::string& purpose) {
  std::string text =
      purpose + " " + std::string(Version()) + " " + format.Name();
  for (std::size_t i = 0; i < samples.datasets(); ++i) {
    const Manifest& manifest = samples.dataset(i).manifest();
    text += " " + manifest.content_digest().ToHex() + " " +
            manifest.names_digest().ToHex();
    // Digests stand for the contents of inputs, wherever they lie: a copied
    // input gives the same plan, a changed one another.
    if (manifest.has_bindings()) {
      text += " " + manifest.binding_digest().ToHex();
    }
  }
  return text;
}

std::string WhyNoSamples(const ConvertSpec& spec) {
  if (!spec.lost.empty()) {
    return "none of its samples can be read: " + spec.lost.front().detail;
  }
  if (spec.choose || spec.drop != nullptr) {
    return "none of its samples is chosen";
  }
  return "there are no samples in it to make shards of";
}

// The records that a scan lost are listed with the dataset.
std::string LostText(const std::vector<Reject>& lost) {
  return lost.empty() ? "" : " lost=" + DigestOfRejects(lost).ToHex();
}

std::string SplitNote(const DatasetSamples& samples, const ConvertSpec& spec,
                      const SourceSet& source) {
  if (!spec.cut.shares.empty()) return NoteOfRandomSplits(source);
  return samples.datasets() > 1 ? NoteOfClasses(source) : "";
}

Status EndDrops(const ConvertSpec& spec, SourceSet& source) {
  return spec.drop == nullptr ? Status() : spec.drop->End(source);
}

Result<ShardPlan> MakeShardPlan(Gatherer& gatherer, const ConvertSpec& spec,
                                std::string fingerprint,
                                const FormatAndLayout& format) {
  ShardPlanOptions options;
  options.shards = spec.shards;
  options.shard_bytes = spec.shard_bytes;
  options.shuffle = spec.reshuffle.has_value();
  options.seed = spec.reshuffle.value_or(0);
  if (!spec.no_suffix) options.suffix = format.format->suffix;
  options.fingerprint = std::move(fingerprint);
  if (spec.shards == 0 && spec.shard_bytes == 0 && spec.cut.is_made()) {
    options.shard_bytes = gatherer.MeanShardBytes();
  } else if (spec.shards == 0 && spec.shard_bytes == 0) {
    // Without a wish the shards of the input are kept, so that a conversion
    // there and back gives the files that there were.
    options.shard_samples = gatherer.shard_samples();
  }
  if (gatherer.source().samples.size() == 0) {
    return Status(Code::kInvalidArgument, WhyNoSamples(spec))
        .At({.path = spec.inputs.front()});
  }
  return ShardPlan::Make(std::move(gatherer.source()), options);
}

// The shards and their format. A format taken from others' shards is given up
// where keys cannot name the samples of one shard.
struct Shards {
  FormatAndLayout format;
  std::string fingerprint;
  ShardPlan plan;
};

Result<Shards> PlanShards(const DatasetSamples& samples, Gatherer& gatherer,
                          const ConvertSpec& spec, FormatAndLayout format,
                          std::vector<std::string>& warnings) {
  const std::string purpose = spec.purpose + gatherer.images().Describe() +
                              LostText(spec.lost) +
                              DescribeEntryPoints(spec.entry_points);
  std::string fingerprint = Fingerprint(samples, format, purpose);
  SHARDINE_ASSIGN_OR_RETURN(ShardPlan plan,
                            MakeShardPlan(gatherer, spec, fingerprint, format));
  const Status fit = CheckKeysOfShards(format, plan);
  if (!fit.ok()) {
    const FormatAndLayout plain = WithoutForeign(spec.format, format);
    if (plain.values == format.values) return fit;
    warnings.push_back("files are named by ids, since keys cannot name them: " +
                       fit.ToString());
    gatherer.source() = ShardPlan::SourceOf(std::move(plan));
    fingerprint = Fingerprint(samples, plain, purpose);
    SHARDINE_ASSIGN_OR_RETURN(
        plan, MakeShardPlan(gatherer, spec, fingerprint, plain));
    format = plain;
  }
  return Shards{.format = std::move(format),
                .fingerprint = std::move(fingerprint),
                .plan = std::move(plan)};
}

}  // namespace

Result<PlannedConversion> MakeConvertPlan(
    std::unique_ptr<DatasetSamples> samples, ClassMap classes,
    const ConvertSpec& spec, const FormatRegistry& formats) {
  SHARDINE_ASSIGN_OR_RETURN(const FormatAndLayout format,
                            ConvertedFormat(spec.format, *samples, formats));
  LimitsCheck limits(format, formats, spec.lossy_labels);
  if (spec.fields) samples->KeepFields(*spec.fields);
  if (spec.on_bad != OnBad::kFail) samples->AllowOtherSizes();
  Gatherer gatherer(*samples, spec, format.limits(), limits);
  const ImagePlan& images = gatherer.images();
  SHARDINE_RETURN_IF_ERROR(samples->List(
      [&](const DatasetSamples::Shard& shard, const IndexEntry& entry,
          const std::string& key) { return gatherer.Add(shard, entry, key); }));
  SHARDINE_RETURN_IF_ERROR(images.Check(format));
  SHARDINE_RETURN_IF_ERROR(limits.CheckUnique(gatherer.source()));
  // Each sample would cost a scan of its shard from the beginning.
  if ((spec.reshuffle || spec.cut.is_made()) && samples->needs_scan()) {
    return Status(Code::kUnsupported,
                  "payloads that are not in the shards as such can only be "
                  "read in order; convert them in that order first")
        .At({.path = samples->path(0)});
  }
  SHARDINE_RETURN_IF_ERROR(
      gatherer.fields().CheckNames(spec.fields).At({.path = samples->path(0)}));
  SHARDINE_ASSIGN_OR_RETURN(ManifestVariant variant, CommonVariant(*samples));
  if (spec.choose || spec.drop != nullptr) ForgetSums(variant);
  SHARDINE_RETURN_IF_ERROR(EndDrops(spec, gatherer.source()));
  SHARDINE_ASSIGN_OR_RETURN(std::vector<std::string> losses,
                            Losses(limits, spec.strict));
  losses.insert(losses.begin(), spec.warnings.begin(), spec.warnings.end());
  gatherer.source().classes = std::move(classes);
  SHARDINE_RETURN_IF_ERROR(gatherer.Cut().At({.path = samples->path(0)}));
  std::ranges::copy(gatherer.source().notes, std::back_inserter(losses));
  const KeptPromises promises = PromisesFor(*samples, spec, gatherer.source());
  std::ranges::copy(promises.warnings, std::back_inserter(losses));
  const std::string note = SplitNote(*samples, spec, gatherer.source());
  if (!note.empty()) losses.push_back(note);
  gatherer.source().roots = spec.inputs;
  SHARDINE_ASSIGN_OR_RETURN(
      Shards shards, PlanShards(*samples, gatherer, spec, format, losses));
  std::vector<std::string> codecs =
      images.makes_images() ? CodecVersions()
                            : samples->dataset(0).manifest().codec_versions;
  const std::string how = images.Record(gatherer.contents(), variant);
  if (!how.empty()) losses.push_back(how);
  std::vector<Reject> kept = gatherer.TakeRejects();
  Provenance made = ProvenanceOf(spec, shards.format.Name(), images.pixels());
  RecordPromises(promises.kept, promises.dropped, made);
  std::vector<PlannedVariant> variants = {
      {.folder = "", .record = variant, .plan_digest = shards.plan.digest()}};
  return PlannedConversion{
      std::move(samples),
      {std::move(shards.format), std::move(shards.plan), std::move(variants),
       std::move(codecs), std::move(losses), std::move(kept), spec.lost,
       spec.entry_points, std::move(made), gatherer.bindings(),
       /*has_contents=*/true},
      images.pixels(),
      images.recode(),
      images.encode(),
      spec.quality,
      gatherer.fields().left(),
      std::move(shards.fingerprint)};
}

}  // namespace shardine
