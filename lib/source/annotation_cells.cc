#include "source/annotation_cells.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "source/table_fields.h"

namespace shardine {
namespace {

// Values of an array, gathered.
template <typename T>
struct Values {
  std::string bytes;
  std::uint64_t count = 0;

  void Add(T value) {
    AppendLe(value, bytes);
    ++count;
  }
};
using Reals = Values<double>;
using Integers = Values<std::int64_t>;

// Calls add(name, type) for each column, in one order.
template <typename Add>
Status ForEachColumn(const AnnotationParts& parts, const Add& add) {
  struct Column {
    bool is_there;
    const char* name;
    ColumnType type;
  };
  const Column columns[] = {
      {true, "annotations", ColumnType::kText},
      {parts.boxes, "bbox", ColumnType::kArray},
      {parts.boxes, "bbox_label", ColumnType::kArray},
      {parts.crowds, "bbox_crowd", ColumnType::kArray},
      {parts.flags, "bbox_difficult", ColumnType::kArray},
      {parts.flags, "bbox_truncated", ColumnType::kArray},
      {parts.points > 0, "keypoints", ColumnType::kArray},
      {parts.polygons, "polygon", ColumnType::kArray},
      {parts.polygons, "polygon_rows", ColumnType::kArray},
      {parts.masks, "rle", ColumnType::kArray},
      {parts.masks, "rle_rows", ColumnType::kArray},
      {parts.captions, "captions", ColumnType::kText}};
  for (const Column& column : columns) {
    if (!column.is_there) continue;
    SHARDINE_RETURN_IF_ERROR(add(column.name, column.type));
  }
  return Status();
}

// Appends the cells of one sample, in the order of the columns.
class CellWriter {
 public:
  CellWriter(std::uint32_t column, const ImageAnnotations& annotations)
      : column_(column), objects_(annotations.objects) {}

  void AddText(std::string_view text) {
    AppendCells({{.kind = CellKind::kText, .text = text, .column = column_++}},
                cells_);
  }

  void AddBoxes() {
    Reals boxes;
    Integers labels;
    for (const AnnotatedObject& object : objects_) {
      for (const double side : object.box) boxes.Add(side);
      labels.Add(object.category);
    }
    const std::uint64_t count = objects_.size();
    AddArray("<f8", {count, 4}, boxes.bytes);
    AddArray("<i8", {count}, labels.bytes);
  }

  void AddFlags(bool AnnotatedObject::*flag) {
    Integers flags;
    for (const AnnotatedObject& object : objects_) {
      flags.Add(object.*flag ? 1 : 0);
    }
    AddArray("<i8", {flags.count}, flags.bytes);
  }

  void AddPoints(std::uint64_t points) {
    Reals numbers;
    for (const AnnotatedObject& object : objects_) {
      for (const double number : object.points) numbers.Add(number);
      for (auto i = object.points.size(); i < 3 * points; ++i) numbers.Add(0);
    }
    AddArray("<f8", {objects_.size(), points, 3}, numbers.bytes);
  }

  void AddPolygons() {
    Reals numbers;
    Integers rows;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      for (const std::vector<double>& polygon : objects_[i].polygons) {
        for (const double number : polygon) numbers.Add(number);
        rows.Add(static_cast<std::int64_t>(i));
        rows.Add(static_cast<std::int64_t>(polygon.size() / 2));
      }
    }
    AddArray("<f8", {numbers.count / 2, 2}, numbers.bytes);
    AddArray("<i8", {rows.count / 2, 2}, rows.bytes);
  }

  void AddMasks() {
    Integers runs;
    Integers rows;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const auto& mask = objects_[i].mask;
      if (!mask) continue;
      for (const std::int64_t count : mask->counts) runs.Add(count);
      rows.Add(static_cast<std::int64_t>(i));
      rows.Add(static_cast<std::int64_t>(mask->counts.size()));
      rows.Add(static_cast<std::int64_t>(mask->height));
      rows.Add(static_cast<std::int64_t>(mask->width));
    }
    AddArray("<i8", {runs.count}, runs.bytes);
    AddArray("<i8", {rows.count / 4, 4}, rows.bytes);
  }

  std::string Take() { return std::move(cells_); }

 private:
  void AddArray(std::string_view dtype, std::vector<std::uint64_t> shape,
                std::string_view bytes) {
    AppendArray(column_++, dtype, shape, bytes, cells_);
  }

  std::uint32_t column_;
  const std::vector<AnnotatedObject>& objects_;
  std::string cells_;
};

// The whole of the source's own form.
std::string SourceText(const ImageAnnotations& annotations) {
  if (annotations.image_json.empty()) return annotations.source;
  std::string text =
      "{\"image\":" + annotations.image_json + ",\"annotations\":[";
  bool is_first = true;
  for (const std::string& object : annotations.object_jsons) {
    if (!is_first) text += ',';
    is_first = false;
    text += object;
  }
  return text + "]}";
}

}  // namespace

Result<AnnotationCells> AnnotationCells::AddTo(SourceSet& set,
                                               const AnnotationParts& parts) {
  AnnotationCells cells;
  cells.parts_ = parts;
  cells.first_ = static_cast<std::uint32_t>(set.columns.size());
  SHARDINE_RETURN_IF_ERROR(
      ForEachColumn(parts, [&](const char* name, ColumnType type) {
        const std::string field = name;
        if (std::ranges::find(set.columns, field, &TableColumn::name) !=
            set.columns.end()) {
          return Status(Code::kInvalidArgument,
                        "two fields have the name \"" + field +
                            "\", and annotations make one of them");
        }
        set.columns.push_back({field, type});
        if (type == ColumnType::kText) set.text_fields.push_back(field);
        return Status();
      }));
  std::ranges::sort(set.text_fields);
  return cells;
}

std::string AnnotationCells::Of(const ImageAnnotations& annotations) const {
  CellWriter writer(first_, annotations);
  writer.AddText(SourceText(annotations));
  if (parts_.boxes) writer.AddBoxes();
  if (parts_.crowds) writer.AddFlags(&AnnotatedObject::is_crowd);
  if (parts_.flags) {
    writer.AddFlags(&AnnotatedObject::is_difficult);
    writer.AddFlags(&AnnotatedObject::is_truncated);
  }
  if (parts_.points > 0) writer.AddPoints(parts_.points);
  if (parts_.polygons) writer.AddPolygons();
  if (parts_.masks) writer.AddMasks();
  if (parts_.captions) {
    writer.AddText(nlohmann::json(annotations.captions).dump());
  }
  return writer.Take();
}

}  // namespace shardine
