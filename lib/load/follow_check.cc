#include "load/follow_check.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/status_macros.h"
#include "load/mask_source.h"
#include "shard/dtype.h"
#include "shard/field_numbers.h"
#include "shard/payload.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

Status CannotFollow(const std::string& name, const std::string& why) {
  return Status(Code::kInvalidArgument,
                "follow: \"" + EscapeBytes(name) + "\" " + why);
}

bool Moves(const FollowedField& field) {
  return field.kind != FollowKind::kStay;
}

Status CheckField(const LoaderOptions& options, const FollowedField& field) {
  const auto& all = options.follow.fields;
  if (std::ranges::count(all, field.name, &FollowedField::name) > 1) {
    return CannotFollow(field.name, "is named twice");
  }
  if (field.name == options.image) {
    return CannotFollow(field.name, "is the image itself");
  }
  if (std::ranges::find(options.fields, field.name) == options.fields.end()) {
    return CannotFollow(field.name, "is not in fields");
  }
  const bool may_be_alone = field.kind != FollowKind::kRows;
  if (may_be_alone && field.boxes.empty()) return {};
  if (field.kind != FollowKind::kRows && field.kind != FollowKind::kPoints) {
    return CannotFollow(field.name, "is dropped with no boxes");
  }
  const FollowedField* const boxes = FollowedOf(options.follow, field.boxes);
  if (boxes != nullptr && boxes->kind == FollowKind::kBoxes) return {};
  return CannotFollow(field.name, "is dropped with the boxes of \"" +
                                      EscapeBytes(field.boxes) +
                                      "\", which follow names no boxes");
}

Status CheckGeometries(const LoaderOptions& options) {
  const auto is_of_records = [](const Transform& view) {
    return std::holds_alternative<ImageRecordCrop>(view.geometry);
  };
  if (is_of_records(*options.transform) ||
      std::ranges::any_of(options.more_views, is_of_records)) {
    return Status(Code::kInvalidArgument,
                  "follow: no field follows ImageRecordCrop");
  }
  if (options.pixels.apply_exif) {
    return Status(Code::kInvalidArgument,
                  "follow: fields are of the stored image, which apply_exif "
                  "turns");
  }
  if (options.mix.apply && !options.mix.choices.empty()) {
    return Status(Code::kInvalidArgument,
                  "follow: mix makes one image of two, which no field of one "
                  "of them follows");
  }
  return {};
}

// Sets the spec that a field of boxes, points or rows becomes.
Status SetRows(const FollowOptions& follow, FieldSpec& spec) {
  const std::string what = DescribeType(spec.dtype, spec.shape);
  const bool is_empty = spec.shape.size() == 1 && spec.shape[0] == 0;
  if (spec.is_bytes() || spec.shape.empty()) {
    return CannotFollow(spec.name, "is " + what + ", no array with rows");
  }
  if (spec.follow != FollowKind::kRows) {
    if (!AreNumbers(spec.dtype)) {
      return CannotFollow(spec.name, "is " + what + ", no array of numbers");
    }
    spec.dtype = "<f8";
    const bool are_boxes = spec.follow == FollowKind::kBoxes;
    if (is_empty) spec.shape = {0, std::uint64_t{are_boxes ? 4U : 2U}};
    const std::size_t axes = spec.shape.size();
    const std::uint64_t last = spec.shape.back();
    if (are_boxes && (axes != 2 || last != 4)) {
      return CannotFollow(spec.name, "is " + what + "; boxes are n x 4");
    }
    if (!are_boxes && (axes < 2 || axes > 3 || (last != 2 && last != 3))) {
      return CannotFollow(
          spec.name, "is " + what + "; points are n x 2 or n x k x 2, or 3");
    }
  }
  spec.ragged = follow.pad_to == 0;
  spec.shape[0] = follow.pad_to;
  spec.bytes_each = 0;
  if (spec.ragged) {
    if (DtypeBytes(spec.dtype).value_or(0) > 0) return {};
    return CannotFollow(spec.name, "is " + what + ", whose rows have no bytes");
  }
  spec.element = ElementOf(spec.dtype, -1);
  const auto bytes = ArrayBytes(spec.dtype, spec.shape);
  if (spec.element.empty()) {
    return CannotFollow(spec.name,
                        "is " + what + ", which has no -1 for pad_to");
  }
  if (!bytes || *bytes > UINT32_MAX) {
    return CannotFollow(spec.name, "would be 4 GiB or more by pad_to");
  }
  spec.bytes_each = static_cast<std::size_t>(*bytes);
  return {};
}

// Reads a sample once, if at all.
class FirstMasks {
 public:
  FirstMasks(const SampleSource& source, std::uint64_t position)
      : source_(source), position_(position) {}

  Result<MaskType> TypeOf(const FieldSpec& spec) {
    if (!spec.is_bytes()) {
      return MaskTypeOf(
          {.name = spec.name, .dtype = spec.dtype, .shape = spec.shape});
    }
    if (!is_read_) {
      SHARDINE_RETURN_IF_ERROR(
          source_.Read(position_, EntryPointUse::kSkip, sample_));
      is_read_ = true;
    }
    for (const FieldView& field : FieldsOf(sample_.entry, sample_.payload)) {
      if (field.name == spec.name) return MaskTypeOf(field);
    }
    return Status(Code::kInvalidArgument,
                  "the first sample has no \"" + EscapeBytes(spec.name) + "\"");
  }

 private:
  const SampleSource& source_;
  const std::uint64_t position_;
  SampleRead sample_;
  bool is_read_ = false;
};

Status SetMask(const FollowOptions& follow, const MaskType& type,
               FieldSpec& spec) {
  spec.dtype = type.dtype;
  spec.shape = {0, 0};
  if (type.channels) spec.shape.push_back(*type.channels);
  spec.ragged = false;
  spec.bytes_each = 0;
  const std::vector<std::byte> number = ElementOf(type.dtype, follow.mask_fill);
  if (number.empty()) {
    return CannotFollow(spec.name, "is of " + type.dtype + ", which has no " +
                                       std::to_string(follow.mask_fill) +
                                       " for mask_fill");
  }
  for (std::uint64_t i = 0; i < type.channels.value_or(1); ++i) {
    spec.element.insert(spec.element.end(), number.begin(), number.end());
  }
  if (!spec.element.empty() && type.channels.value_or(1) <= 4096) return {};
  return CannotFollow(spec.name, "is a mask of " +
                                     std::to_string(type.channels.value_or(1)) +
                                     " channels, of 1 to 4096");
}

}  // namespace

const FollowedField* FollowedOf(const FollowOptions& follow,
                                const std::string& name) {
  const auto field =
      std::ranges::find(follow.fields, name, &FollowedField::name);
  return field == follow.fields.end() ? nullptr : &*field;
}

Status CheckFollow(const LoaderOptions& options) {
  const FollowOptions& follow = options.follow;
  if (!(follow.min_visible >= 0 && follow.min_visible <= 1)) {
    return Status(Code::kInvalidArgument, "min_visible: must be 0 to 1");
  }
  if (!std::isfinite(follow.mask_fill)) {
    return Status(Code::kInvalidArgument, "mask_fill: must be finite");
  }
  for (const FollowedField& field : follow.fields) {
    SHARDINE_RETURN_IF_ERROR(CheckField(options, field));
  }
  if (std::ranges::none_of(follow.fields, Moves)) return {};
  if (!options.transform) {
    return Status(Code::kInvalidArgument,
                  "follow: needs a transform, which moves the image");
  }
  return CheckGeometries(options);
}

Result<std::vector<FieldSpec>> FollowedSpecs(const SampleSource& source,
                                             std::uint64_t position,
                                             const LoaderOptions& options,
                                             std::vector<FieldSpec> plain) {
  FirstMasks masks(source, position);
  std::vector<FieldSpec> specs;
  for (FieldSpec& spec : plain) {
    const FollowedField* const field = FollowedOf(options.follow, spec.name);
    const bool moves = field != nullptr && Moves(*field);
    if (moves) {
      spec.follow = field->kind;
      spec.boxes = field->boxes;
    }
    if (spec.is_mask()) {
      const auto type = masks.TypeOf(spec);
      if (!type.ok()) {
        return Status(Code::kInvalidArgument,
                      "follow: " + type.status().message())
            .At(source.WhereIs(position));
      }
      SHARDINE_RETURN_IF_ERROR(SetMask(options.follow, *type, spec));
    } else if (moves) {
      SHARDINE_RETURN_IF_ERROR(SetRows(options.follow, spec));
    }
    const std::size_t views = moves ? 1 + options.more_views.size() : 1;
    for (spec.view = 0; spec.view < views; ++spec.view) specs.push_back(spec);
  }
  return specs;
}

}  // namespace shardine
