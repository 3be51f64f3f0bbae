// DatasetPlan: all that is decided before a byte moves: which sample goes
// where, and which datasets are made of them.
#ifndef SHARDINE_PACK_DATASET_PLAN_H_
#define SHARDINE_PACK_DATASET_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "dataset/rejects.h"
#include "shard/format_registry.h"
#include "shardine/digest.h"
#include "shardine/entry_points.h"
#include "shardine/image_check.h"
#include "shardine/image_kinds.h"
#include "shardine/recode.h"
#include "shardine/status.h"
#include "shardine/variants.h"
#include "source/shard_plan.h"

namespace shardine {

// How bad images are found and dealt with. No part of a plan: another run may
// change it to go on after the first bad image.
struct Judgement {
  OnBad on_bad = OnBad::kFail;
  ImageCheckLevel check = ImageCheckLevel::kNone;
  // Kinds that are good ones (shardine/image_kinds.h); empty: not asked.
  ImageKindNames kinds = {};

  friend bool operator==(const Judgement&, const Judgement&) = default;
};

// Whether samples that were judged as `then`, with or without rejects among
// them, are the same as if they were judged as `now`. Without rejects they
// passed a check that found all that a weaker one finds.
bool HoldsUnder(const Judgement& then, bool has_rejects, const Judgement& now);

// The check of images that pass through a conversion, where none is asked for:
// they are looked at only where bad ones are left out.
ImageCheckLevel UnsaidCheck(OnBad on_bad);

// Keeps it in a manifest, where it is not the default, and finds it there.
// `shows_kinds`: the dataset would differ under FirstImageKinds(), which a
// manifest without kinds stands for. The check of a dataset whose command has
// no such option is `now`'s.
void RecordJudgement(const Judgement& judged, bool shows_kinds,
                     Provenance& made);
// The kinds of a pack's dataset; FirstImageKinds() where none are recorded.
ImageKindNames RecordedKinds(const Provenance& made);
Judgement RecordedJudgement(const Provenance& made, const Judgement& now);

// One of the datasets that a plan makes.
struct PlannedVariant {
  std::size_t number = 0;  // into PreparedBlock::variants: 0 is as read
  std::string folder;      // below OUT; empty: OUT itself
  // Without parent_digest and counts, which are known of a size only when its
  // samples are.
  ManifestVariant record;
  Digest128 plan_digest;
  // The digest that a shard's sidecar is bound to.
  Digest128 ShardDigest(const PlannedShard& shard) const;

  bool is_size() const { return number > 0; }
};

// Whether a command encodes images at their own size.
bool EncodesAgain(const Provenance& made);

struct DatasetPlan {
  FormatAndLayout format;
  ShardPlan plan;
  // OUT itself in front, if it is one; then by short side.
  std::vector<PlannedVariant> variants;
  std::vector<std::string> codec_versions;
  std::vector<std::string> warnings;  // for the result
  // Bad images that were kept when the source was made, and pass through.
  std::vector<Reject> kept = {};
  // Records of shards without a dataset that cannot be read, under an OnBad
  // that leaves them out.
  std::vector<Reject> lost = {};
  EntryPoints entry_points = EntryPoints::kNone;  // to publish
  Provenance made = {};
  // The binding digest that the dataset in OUT itself has to have, where that
  // is known before anything is read: it is the proof of a conversion.
  std::optional<Digest128> binding_digest = std::nullopt;

  // Whether the plan's digest depends on the contents of the source, not on
  // names, labels and sizes alone.
  bool has_contents = false;

  bool has_sizes() const { return variants.back().is_size(); }
  bool has_original() const { return !variants.front().is_size(); }
  // Whether the original has the bytes of the source.
  bool keeps_bytes() const { return has_original() && !EncodesAgain(made); }
};

// Their text in a plan's fingerprint; empty for the original alone.
std::string DescribeVariants(const VariantOptions& options);

// The same of images that are encoded again; empty for none.
std::string DescribeRecode(const RecodeOptions& options, std::uint32_t quality);

std::string DescribeEncode(const std::optional<ArrayEncoding>& encode,
                           std::uint32_t quality);

// The same about entry points: part of the plan, though no sample depends on
// them, since another run has to finish the work of one.
std::string DescribeEntryPoints(EntryPoints entry_points);

// The original has the plan's digest; the digests of sizes follow from it.
std::vector<PlannedVariant> PlanVariants(const ShardPlan& plan,
                                         const VariantOptions& options);

// kInvalidArgument: no variant at all, or a short side that is zero, there
// twice or out of order.
Status CheckVariants(const VariantOptions& options);

// Bytes to expect of the sizes of one image: an estimate.
std::uint64_t EstimateSizes(const VariantOptions& options);

}  // namespace shardine

#endif  // SHARDINE_PACK_DATASET_PLAN_H_
