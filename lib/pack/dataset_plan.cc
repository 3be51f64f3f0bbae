#include "pack/dataset_plan.h"

#include "base/checksum.h"
#include "shardine/image.h"

namespace shardine {
namespace {

std::string SizeName(std::uint32_t short_side) {
  return "sz/" + std::to_string(short_side);
}

Digest128 SizeDigest(const Digest128& plan, const std::string& name) {
  Xxh3Stream hash;
  hash.UpdateLe(plan.low);
  hash.UpdateLe(plan.high);
  hash.Update(AsBytes(name));
  return hash.Digest();
}

}  // namespace

std::string DescribeVariants(const VariantOptions& options) {
  if (options.short_sides.empty()) return {};
  std::string text = " variants=";
  if (options.original) text += "original";
  for (const std::uint32_t short_side : options.short_sides) {
    text += "," + SizeName(short_side);
  }
  return text + " " + Describe(options.image);
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
    record.filter = ToString(options.image.filter);
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
