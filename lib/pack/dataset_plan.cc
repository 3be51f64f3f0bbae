#include "pack/dataset_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/checksum.h"
#include "shardine/array_layout_words.h"
#include "shardine/image.h"
#include "shardine/image_words.h"
#include "shardine/option.h"
#include "shardine/pack_words.h"

namespace shardine {
namespace {

constexpr std::string_view kPackCommand = "pack";

// The check of a dataset whose manifest says none; nullopt: its command has no
// such option.
std::optional<ImageCheckLevel> DefaultCheck(const Provenance& made,
                                            OnBad on_bad) {
  // Where sizes are made every image is decoded.
  if (made.command == kPackCommand) {
    return made.options.contains("variants") ? ImageCheckLevel::kDecode
                                             : ImageCheckLevel::kHeader;
  }
  constexpr std::string_view kPass[] = {"convert", "merge", "relabel"};
  if (made.options.contains("pixels") ||
      std::ranges::find(kPass, made.command) == std::end(kPass)) {
    return std::nullopt;
  }
  return UnsaidCheck(on_bad);
}

std::string SizeName(std::uint32_t short_side) {
  return "sz/" + std::to_string(short_side);
}

// A shard of a size has the same samples as the original's shard. Its own
// digest keeps a sidecar of one size from being taken for a sidecar of another.
Digest128 SizeDigest(const Digest128& plan, const std::string& name) {
  Xxh3Stream hash;
  hash.UpdateLe(plan.low);
  hash.UpdateLe(plan.high);
  hash.Update(AsBytes(name));
  return hash.Digest();
}

}  // namespace

bool HoldsUnder(const Judgement& then, bool has_rejects, const Judgement& now) {
  if (then == now) return true;
  const auto takes = [&now](const std::string& kind) {
    return now.kinds.empty() ||
           std::ranges::find(now.kinds, kind) != now.kinds.end();
  };
  return !has_rejects && then.check >= now.check &&
         std::ranges::all_of(then.kinds, takes);
}

ImageCheckLevel UnsaidCheck(OnBad on_bad) {
  return on_bad == OnBad::kFail ? ImageCheckLevel::kNone
                                : ImageCheckLevel::kHeader;
}

void RecordJudgement(const Judgement& judged, bool shows_kinds,
                     Provenance& made) {
  if (judged.on_bad != OnBad::kFail) {
    made.options["on-bad"] = WordOf(judged.on_bad);
  }
  // Images that were encoded again were of other kinds in the source.
  const bool plain =
      judged.kinds == AllImageKinds() && !shows_kinds && !EncodesAgain(made);
  if (made.command == kPackCommand && !judged.kinds.empty() && !plain &&
      judged.kinds != FirstImageKinds()) {
    made.options["kinds"] = NamesText(judged.kinds);
  }
  // A missing value is the default, so manifests of runs that did not choose a
  // check are the same whether or not they could have.
  const auto check = DefaultCheck(made, judged.on_bad);
  if (!check || judged.check == *check) return;
  made.options["check"] = WordOf(judged.check);
}

Judgement RecordedJudgement(const Provenance& made, const Judgement& now) {
  Judgement judged;
  if (const auto found = made.options.find("on-bad");
      found != made.options.end()) {
    judged.on_bad = EnumOf<OnBad>(found->second).value_or(judged.on_bad);
  }
  judged.check = DefaultCheck(made, judged.on_bad).value_or(now.check);
  judged.kinds = made.command == kPackCommand && !now.kinds.empty()
                     ? RecordedKinds(made)
                     : now.kinds;
  if (const auto found = made.options.find("check");
      found != made.options.end()) {
    judged.check = EnumOf<ImageCheckLevel>(found->second)
                       .value_or(ImageCheckLevel::kHeader);
  }
  return judged;
}

ImageKindNames RecordedKinds(const Provenance& made) {
  const auto found = made.options.find("kinds");
  if (found == made.options.end()) return FirstImageKinds();
  auto kinds = ParseImageKinds(found->second);
  return kinds.ok() ? *std::move(kinds) : FirstImageKinds();
}

Digest128 PlannedVariant::ShardDigest(const PlannedShard& shard) const {
  return is_size() ? SizeDigest(shard.digest, record.name) : shard.digest;
}

bool EncodesAgain(const Provenance& made) {
  return made.options.contains("recode") || made.options.contains("encode");
}

std::string DescribeVariants(const VariantOptions& options) {
  if (options.short_sides.empty()) return {};
  std::string text = " variants=";
  if (options.original) text += "original";
  for (const std::uint32_t short_side : options.short_sides) {
    text += "," + SizeName(short_side);
  }
  return text + " " + Describe(options.image);
}

std::string DescribeRecode(const RecodeOptions& options,
                           std::uint32_t quality) {
  return options.recode ? " recode=" + Describe(options, quality) : "";
}

std::string DescribeEncode(const std::optional<ArrayEncoding>& encode,
                           std::uint32_t quality) {
  if (!encode) return {};
  return " encode=" + Describe({encode->encoding, encode->to_8_bits}, quality) +
         " " + WordOf(encode->layout);
}

std::string DescribeEntryPoints(EntryPoints entry_points) {
  return entry_points == EntryPoints::kAuto ? " entry-points=auto" : "";
}

std::vector<PlannedVariant> PlanVariants(const ShardPlan& plan,
                                         const VariantOptions& options) {
  std::vector<PlannedVariant> variants;
  if (options.original) {
    variants.push_back({.folder = "",
                        .record = ManifestVariant(),
                        .plan_digest = plan.digest()});
  }
  std::size_t number = 0;
  for (const std::uint32_t short_side : options.short_sides) {
    const std::string name = SizeName(short_side);
    const bool is_jpeg = options.image.encoding == Encoding::kJpeg;
    ManifestVariant record;
    record.name = name;
    record.short_side = short_side;
    record.filter = WordOf(options.image.filter);
    // A quality that has no part in the bytes would make two equal datasets
    // differ.
    record.quality = is_jpeg ? options.image.quality : 0;
    record.images = Describe(options.image);
    variants.push_back({.number = ++number,
                        .folder = name,
                        .record = record,
                        .plan_digest = SizeDigest(plan.digest(), name)});
  }
  return variants;
}

Status CheckVariants(const VariantOptions& options) {
  if (!options.original && options.short_sides.empty()) {
    return Status(Code::kInvalidArgument, "no variant is asked for");
  }
  std::uint32_t before = 0;
  for (const std::uint32_t short_side : options.short_sides) {
    // One order only: variants are numbered by it, and the digest of the plan
    // must not depend on how the list was written.
    if (short_side <= before) {
      return Status(Code::kInvalidArgument,
                    "short sides are to be pixels, ascending, each once");
    }
    before = short_side;
  }
  return Status();
}

// A photo of 3 to 2 takes about a third of a byte per pixel as JPEG of quality
// 90, noise at the highest quality some five times as much.
std::uint64_t EstimateSizes(const VariantOptions& options) {
  const bool is_jpeg = options.image.encoding == Encoding::kJpeg;
  const std::uint64_t bits = !is_jpeg                      ? 16
                             : options.image.quality <= 95 ? 4
                                                           : 10;
  std::uint64_t bytes = 0;
  for (const std::uint64_t short_side : options.short_sides) {
    bytes += short_side * short_side * 3 / 2 * bits / 8;
  }
  return bytes;
}

}  // namespace shardine
