#include "load/field_follower.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "load/follow_check.h"
#include "shard/dtype.h"
#include "shard/field_numbers.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::size_t kBoxNumbers = 4;
constexpr double kNoPoint = -1;

std::string FieldWords(std::string_view name) {
  return "the field \"" + EscapeBytes(name) + "\" ";
}

Status NotAsFirst(const FieldView& field, const FieldSpec& spec) {
  std::vector<std::uint64_t> shape = spec.shape;
  shape[0] = field.shape.empty() ? 0 : field.shape[0];
  return Status(Code::kUnsupported, FieldWords(field.name) + "is " +
                                        DescribeType(field.dtype, field.shape) +
                                        "; rows are as the first sample's: " +
                                        DescribeType(spec.dtype, shape));
}

bool IsEmpty(const FieldView& field) {
  return std::ranges::find(field.shape, 0U) != field.shape.end() &&
         field.bytes.empty();
}

// Rows of the field, which are as the spec says.
Result<std::uint64_t> RowsOf(const FieldView& field, const FieldSpec& spec) {
  if (field.shape.size() == 1 && field.shape[0] == 0) return 0;
  if (field.dtype == kBytesDtype || field.shape.size() != spec.shape.size() ||
      !std::equal(field.shape.begin() + 1, field.shape.end(),
                  spec.shape.begin() + 1)) {
    return NotAsFirst(field, spec);
  }
  SHARDINE_RETURN_IF_ERROR(
      CheckFieldType(field.name, field.dtype, field.shape, field.bytes.size()));
  if (field.shape[0] <= UINT32_MAX) return field.shape[0];
  return NotAsFirst(field, spec);
}

std::uint64_t ProductFrom(std::span<const std::uint64_t> shape,
                          std::size_t first) {
  std::uint64_t product = 1;
  for (const std::uint64_t side : shape.subspan(first)) product *= side;
  return product;
}

}  // namespace

FieldFollower::FieldFollower(const LoaderOptions& options)
    : options_(options),
      has_fields_(std::ranges::any_of(options.follow.fields,
                                      [](const FollowedField& field) {
                                        return field.kind != FollowKind::kStay;
                                      })) {}

Status FieldFollower::Set(std::uint32_t number,
                          std::span<const FieldView> fields,
                          std::span<const DrawnGeometry* const> views,
                          BatchBuffers& batch) {
  kept_count_ = 0;
  open_mask_.clear();
  // Boxes come first: other fields lose the rows that they lose.
  for (const bool boxes : {true, false}) {
    for (FieldColumn& column : batch.fields) {
      const FieldSpec& spec = *column.spec;
      if (spec.follow == FollowKind::kStay) continue;
      if ((spec.follow == FollowKind::kBoxes) != boxes) continue;
      SHARDINE_RETURN_IF_ERROR(SetColumn(number, fields, views, batch, column));
    }
  }
  return {};
}

Status FieldFollower::SetColumn(std::uint32_t number,
                                std::span<const FieldView> fields,
                                std::span<const DrawnGeometry* const> views,
                                BatchBuffers& batch, FieldColumn& column) {
  const FieldSpec& spec = *column.spec;
  const auto field = std::ranges::find(fields, spec.name, &FieldView::name);
  if (field == fields.end()) {
    if (options_.ragged && !spec.is_mask()) {
      column.SetNothing(number);
      return {};
    }
    return Status(Code::kUnsupported,
                  "the sample has no field \"" + EscapeBytes(spec.name) + "\"");
  }
  if (spec.is_mask()) return SetMask(number, *field, views, column);
  made_.clear();
  const DrawnGeometry& drawn = *views[spec.view];
  switch (spec.follow) {
    case FollowKind::kBoxes:
      SHARDINE_RETURN_IF_ERROR(MakeBoxes(*field, drawn, spec));
      break;
    case FollowKind::kPoints:
      SHARDINE_RETURN_IF_ERROR(MakePoints(*field, drawn, spec));
      break;
    default:
      SHARDINE_RETURN_IF_ERROR(MakeRows(*field, spec));
  }
  return Deliver(number, *field, batch, column);
}

Status FieldFollower::SetMask(std::uint32_t number, const FieldView& field,
                              std::span<const DrawnGeometry* const> views,
                              FieldColumn& column) {
  const FieldSpec& spec = *column.spec;
  if (open_mask_ != spec.name) {
    MaskType type{spec.dtype, {}, views[0]->image};
    if (spec.shape.size() == 3) type.channels = spec.shape[2];
    // It is decoded once, as far down as any view goes.
    std::uint32_t row_end = 1;
    for (const DrawnGeometry* const drawn : views) {
      const Region& box = drawn->crop.box;
      row_end = std::max(row_end, box.y + box.height);
    }
    open_mask_.clear();
    SHARDINE_ASSIGN_OR_RETURN(mask_, masks_.Open(field, type, row_end));
    open_mask_ = spec.name;
  }
  mover_(mask_, *views[spec.view], spec.follow, spec.element,
         column.Slot(number).data());
  return {};
}

Status FieldFollower::MakeBoxes(const FieldView& field,
                                const DrawnGeometry& drawn,
                                const FieldSpec& spec) {
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t rows, RowsOf(field, spec));
  if (!AreNumbers(field.dtype)) return NotAsFirst(field, spec);
  numbers_.clear();
  AppendNumbers(field.dtype, field.bytes, numbers_);
  boxes_.clear();
  for (std::size_t i = 0; i < rows; ++i) {
    const double* const box = numbers_.data() + kBoxNumbers * i;
    const bool finite = std::all_of(box, box + kBoxNumbers, [](double side) {
      return std::isfinite(side);
    });
    if (!finite || box[0] > box[2] || box[1] > box[3]) {
      return Status(Code::kCorrupt,
                    FieldWords(field.name) + "has a box that is none, row " +
                        std::to_string(i) + ": " + std::to_string(box[0]) +
                        ", " + std::to_string(box[1]) + ", " +
                        std::to_string(box[2]) + ", " + std::to_string(box[3]) +
                        "; boxes are x0, y0, x1, y1");
    }
    boxes_.push_back(
        {box[0], box[1], box[2], box[3], static_cast<std::uint32_t>(i)});
  }
  MoveBoxes(drawn, boxes_);
  std::erase_if(boxes_, [&](const MovedBox& box) {
    return box.empty() || box.visible < options_.follow.min_visible;
  });
  if (kept_.size() == kept_count_) kept_.emplace_back();
  Kept& kept = kept_[kept_count_++];
  kept.field = spec.name;
  kept.view = spec.view;
  kept.rows = rows;
  kept.left.clear();
  made_rows_ = boxes_.size();
  made_.resize(boxes_.size() * kBoxNumbers * sizeof(double));
  std::byte* to = made_.data();
  for (const MovedBox& box : boxes_) {
    kept.left.push_back(box.row);
    const double sides[] = {box.x0, box.y0, box.x1, box.y1};
    std::memcpy(to, sides, sizeof(sides));
    to += sizeof(sides);
  }
  return {};
}

// Null where rows are dropped with no boxes.
Status FieldFollower::TakeKept(const FieldView& field, const FieldSpec& spec,
                               std::uint64_t rows, const Kept*& kept) const {
  kept = nullptr;
  if (spec.boxes.empty()) return {};
  const std::span<const Kept> all = std::span(kept_).first(kept_count_);
  const auto of_boxes = std::ranges::find_if(all, [&](const Kept& each) {
    return each.field == spec.boxes && each.view == spec.view;
  });
  const std::uint64_t boxes = of_boxes == all.end() ? 0 : of_boxes->rows;
  if (boxes != rows) {
    return Status(Code::kUnsupported,
                  FieldWords(field.name) + "has " + std::to_string(rows) +
                      " rows, and \"" + EscapeBytes(spec.boxes) + "\" has " +
                      std::to_string(boxes));
  }
  kept = of_boxes == all.end() ? &no_boxes_ : &*of_boxes;
  return {};
}

Status FieldFollower::MakePoints(const FieldView& field,
                                 const DrawnGeometry& drawn,
                                 const FieldSpec& spec) {
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t rows, RowsOf(field, spec));
  if (!AreNumbers(field.dtype)) return NotAsFirst(field, spec);
  const Kept* kept = nullptr;
  SHARDINE_RETURN_IF_ERROR(TakeKept(field, spec, rows, kept));
  numbers_.clear();
  AppendNumbers(field.dtype, field.bytes, numbers_);
  const auto each = static_cast<std::size_t>(spec.shape.back());
  points_.clear();
  for (std::size_t i = 0; i < numbers_.size(); i += each) {
    const bool is_one = each == 2 || numbers_[i + 2] != 0;
    if (!std::isfinite(numbers_[i]) || !std::isfinite(numbers_[i + 1]) ||
        (each == 3 && std::isnan(numbers_[i + 2]))) {
      return Status(Code::kCorrupt,
                    FieldWords(field.name) + "has a point that is none, row " +
                        std::to_string(i / ProductFrom(spec.shape, 1)) + ": " +
                        std::to_string(numbers_[i]) + ", " +
                        std::to_string(numbers_[i + 1]));
    }
    points_.push_back({numbers_[i], numbers_[i + 1], is_one});
  }
  MovePoints(drawn, points_);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const MovedPoint& point = points_[i];
    double* const to = numbers_.data() + i * each;
    to[0] = point.inside ? point.x : kNoPoint;
    to[1] = point.inside ? point.y : kNoPoint;
    if (each == 3 && !point.inside) to[2] = 0;
  }
  const auto row_bytes =
      static_cast<std::size_t>(ProductFrom(spec.shape, 1)) * sizeof(double);
  const auto* const from = reinterpret_cast<const std::byte*>(numbers_.data());
  made_rows_ = kept == nullptr ? rows : kept->left.size();
  for (std::size_t i = 0; i < made_rows_; ++i) {
    const std::size_t row = kept == nullptr ? i : kept->left[i];
    made_.insert(made_.end(), from + row * row_bytes,
                 from + (row + 1) * row_bytes);
  }
  return {};
}

Status FieldFollower::MakeRows(const FieldView& field, const FieldSpec& spec) {
  SHARDINE_ASSIGN_OR_RETURN(const std::uint64_t rows, RowsOf(field, spec));
  if (field.dtype != spec.dtype && !IsEmpty(field)) {
    return NotAsFirst(field, spec);
  }
  const Kept* kept = nullptr;
  SHARDINE_RETURN_IF_ERROR(TakeKept(field, spec, rows, kept));
  const std::size_t row_bytes =
      rows == 0 ? 0 : field.bytes.size() / static_cast<std::size_t>(rows);
  made_rows_ = kept->left.size();
  for (const std::uint32_t row : kept->left) {
    const auto from = field.bytes.begin() + std::ptrdiff_t(row * row_bytes);
    made_.insert(made_.end(), from, from + std::ptrdiff_t(row_bytes));
  }
  return {};
}

Status FieldFollower::Deliver(std::uint32_t number, const FieldView& field,
                              BatchBuffers& batch, FieldColumn& column) {
  const FieldSpec& spec = *column.spec;
  if (spec.ragged) {
    std::vector<std::uint64_t> shape = spec.shape;
    shape[0] = made_rows_;
    const std::span<std::byte> kept = batch.payloads.Get(made_.size());
    std::ranges::copy(made_, kept.begin());
    column.SetRagged(number, kept, shape);
    return {};
  }
  if (made_rows_ > options_.follow.pad_to) {
    return Status(Code::kUnsupported,
                  FieldWords(field.name) + "has " + std::to_string(made_rows_) +
                      " rows, more than pad_to, " +
                      std::to_string(options_.follow.pad_to));
  }
  column.SetNothing(number);
  std::ranges::copy(made_, column.Slot(number).begin());
  return {};
}

}  // namespace shardine
