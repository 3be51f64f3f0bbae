#include "tasks/dataset_head.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "source/source_list.h"
#include "source/split_name.h"

namespace shardine {
namespace {

// Data of the source beside images.
enum class Beside : std::uint8_t { kNothing, kBoxes, kColumns, kBoth };

Beside BesideOf(const PlanHead& head) {
  if (head.columns.empty()) {
    return head.has_boxes ? Beside::kBoxes : Beside::kNothing;
  }
  return head.has_boxes ? Beside::kBoth : Beside::kColumns;
}

template <typename Fields, typename Image>
void VisitImage(Fields& fields, Image& image) {
  fields.Choice(image.filter, Filter::kLanczos);
  fields.Choice(image.order, PassOrder::kPillow12);
  fields.Flag(image.center_crop);
  fields.Choice(image.color, ColorMode::kGray);
  fields.Flag(image.upscale);
  fields.Flag(image.apply_exif);
  fields.Choice(image.encoding, Encoding::kPng);
  fields(image.quality);
  fields.Choice(image.subsampling, Subsampling::k444);
  fields.Flag(image.optimize);
  fields(image.png_level);
  fields.Flag(image.keep_icc);
}

// How images are checked, whether kinds of good ones are listed, and whether
// other kinds are encoded again: a check, and kListed and kRecoded on top.
enum class KindCheck : std::uint8_t { kLast = 11 };
constexpr std::uint8_t kListed = 3;
constexpr std::uint8_t kRecoded = 6;

template <typename Fields, typename Options>
void VisitCheck(Fields& fields, Options& options) {
  const bool lists = !options.kinds.empty() && options.kinds != AllImageKinds();
  auto check = static_cast<KindCheck>(static_cast<std::uint8_t>(options.check) +
                                      (lists ? kListed : 0) +
                                      (options.recode.recode ? kRecoded : 0));
  fields.Choice(check, KindCheck::kLast);
  const auto number = static_cast<std::uint8_t>(check);
  if constexpr (!std::is_const_v<Options>) {
    options.check = static_cast<ImageCheckLevel>(number % kListed);
    if (number >= kRecoded) options.recode.recode.emplace();
  }
  if (number % kRecoded >= kListed) {
    fields.List(options.kinds, [&](auto& kind) { fields(kind); });
  }
  if (number < kRecoded) return;
  fields.Choice(*options.recode.recode, Encoding::kPng);
  fields.Flag(options.recode.to_8_bits);
}

template <typename Fields, typename Options>
void VisitOptions(Fields& fields, Options& options) {
  fields(options.output);
  fields(options.format);
  fields.Flag(options.no_suffix);
  fields.Choice(options.on_bad, OnBad::kKeep);
  VisitCheck(fields, options);
  fields.Choice(options.entry_points, EntryPoints::kAuto);
  fields.Flag(options.variants.original);
  fields.List(options.variants.short_sides,
              [&](auto& short_side) { fields(short_side); });
  VisitImage(fields, options.variants.image);
}

template <typename Fields, typename Head>
void VisitSource(Fields& fields, Head& head) {
  fields.List(head.roots, [&](auto& root) { fields(root); });
  fields.List(head.splits, [&](auto& split) { fields(split); });
  fields.List(head.classes, [&](auto& info) {
    fields(info.name);
    fields(info.label);
    fields(info.text);
  });
  fields.List(head.text_fields, [&](auto& name) { fields(name); });
  fields.List(head.categories, [&](auto& category) {
    fields(category.label);
    fields(category.id);
    fields(category.name);
    fields(category.source);
  });
  Beside beside = BesideOf(head);
  fields.Choice(beside, Beside::kBoth);
  if constexpr (!std::is_const_v<Head>) {
    head.has_boxes = beside == Beside::kBoxes || beside == Beside::kBoth;
  }
  if (beside != Beside::kColumns && beside != Beside::kBoth) return;
  fields.List(head.columns, [&](auto& column) {
    fields(column.name);
    fields.Choice(column.type, kLastColumnType);
  });
}

template <typename Fields, typename Head>
void VisitDataset(Fields& fields, Head& head) {
  VisitOptions(fields, head.pack);
  fields(head.plan_digest);
  fields.Choice(head.shuffle, kPlanShuffle);
  VisitSource(fields, head);
}

// Whether this program may have written the plan.
bool IsSoundDataset(const PlanHead& head) {
  const ImageOptions& image = head.pack.variants.image;
  return head.shuffle == kPlanShuffle && !head.pack.output.empty() &&
         !head.roots.empty() && head.roots.size() <= SourceList::kMaxRoots &&
         !head.splits.empty() && head.splits.size() <= SourceList::kMaxSplits &&
         std::ranges::all_of(head.splits, IsSplitName) && image.quality >= 1 &&
         image.quality <= 100 && image.png_level >= 1 && image.png_level <= 9;
}

}  // namespace

void WriteDatasetHead(const PlanHead& head, FieldWriter& fields) {
  VisitDataset(fields, head);
}

bool ReadDatasetHead(FieldReader& fields, PlanHead& head) {
  VisitDataset(fields, head);
  return IsSoundDataset(head);
}

}  // namespace shardine
