#include "extract/annotation_fields.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "shard/field_numbers.h"
#include "source/mask_runs.h"

namespace shardine {
namespace {

Status Unfit(std::string_view field, const std::string& why) {
  return Status(Code::kCorrupt, "field \"" + std::string(field) + "\": " + why);
}

// Numbers in rows.
struct Table {
  std::vector<double> numbers;
  std::size_t columns = 1;

  std::size_t rows() const { return numbers.size() / columns; }
  std::span<const double> row(std::size_t i) const {
    return std::span(numbers).subspan(i * columns, columns);
  }
};

class FieldReader {
 public:
  explicit FieldReader(std::span<const FieldView> fields) : fields_(fields) {}

  Result<ImageAnnotations> Read() {
    read_.source = Text("annotations");
    SHARDINE_RETURN_IF_ERROR(ReadBoxes());
    SHARDINE_RETURN_IF_ERROR(
        ReadFlags("bbox_crowd", &AnnotatedObject::is_crowd));
    SHARDINE_RETURN_IF_ERROR(
        ReadFlags("bbox_difficult", &AnnotatedObject::is_difficult));
    SHARDINE_RETURN_IF_ERROR(
        ReadFlags("bbox_truncated", &AnnotatedObject::is_truncated));
    SHARDINE_RETURN_IF_ERROR(ReadPoints());
    SHARDINE_RETURN_IF_ERROR(ReadPolygons());
    SHARDINE_RETURN_IF_ERROR(ReadMasks());
    SHARDINE_RETURN_IF_ERROR(ReadCaptions());
    return std::move(read_);
  }

 private:
  const FieldView* Find(std::string_view name) const {
    for (const FieldView& field : fields_) {
      if (field.name == name) return &field;
    }
    return nullptr;
  }

  std::string Text(std::string_view name) const {
    const FieldView* field = Find(name);
    return field == nullptr ? "" : std::string(AsText(field->bytes));
  }

  // nullopt: there is no such field. `columns` of 0: as many as it has.
  Result<std::optional<Table>> Numbers(std::string_view name, std::size_t rank,
                                       std::size_t columns = 0) const {
    const FieldView* field = Find(name);
    if (field == nullptr) return std::optional<Table>();
    const bool fits = AreNumbers(field->dtype) && field->shape.size() == rank &&
                      (columns == 0 || field->shape.back() == columns);
    if (!fits) return Unfit(name, "is no array of that shape");
    Table table;
    table.columns = rank == 1 ? 1 : 0;
    for (std::size_t i = 1; i < rank; ++i) {
      table.columns =
          i == 1 ? field->shape[i] : table.columns * field->shape[i];
    }
    AppendNumbers(field->dtype, field->bytes, table.numbers);
    // Without columns there is nothing to take.
    if (table.columns == 0) return std::optional<Table>();
    return std::optional(std::move(table));
  }

  // The same; integers of 0 to 2^53.
  Result<std::optional<Table>> Counts(std::string_view name, std::size_t rank,
                                      std::size_t columns = 0) const {
    SHARDINE_ASSIGN_OR_RETURN(auto table, Numbers(name, rank, columns));
    if (!table) return table;
    for (const double number : table->numbers) {
      if (number >= 0 && number <= 0x1p53 && number == std::floor(number)) {
        continue;
      }
      return Unfit(name, "has a value that is no count");
    }
    return table;
  }

  Status ReadBoxes() {
    SHARDINE_ASSIGN_OR_RETURN(const auto boxes, Numbers("bbox", 2, 4));
    if (!boxes) return Status();
    SHARDINE_ASSIGN_OR_RETURN(const auto labels, Counts("bbox_label", 1));
    if (!labels) {
      return Status(Code::kUnsupported,
                    "boxes without a field \"bbox_label\" have no category");
    }
    if (labels->rows() != boxes->rows()) {
      return Unfit("bbox_label", "has another number of rows than bbox");
    }
    for (std::size_t i = 0; i < boxes->rows(); ++i) {
      AnnotatedObject& object = read_.objects.emplace_back();
      std::ranges::copy(boxes->row(i), object.box.begin());
      object.category = std::llround(labels->numbers[i]);
      const std::string fault = BoxFault(object.box);
      if (!fault.empty()) return Unfit("bbox", fault);
    }
    return Status();
  }

  Status ReadFlags(std::string_view name, bool AnnotatedObject::*flag) {
    SHARDINE_ASSIGN_OR_RETURN(const auto flags, Counts(name, 1));
    if (!flags) return Status();
    SHARDINE_RETURN_IF_ERROR(CheckRows(name, *flags));
    for (std::size_t i = 0; i < flags->rows(); ++i) {
      read_.objects[i].*flag = flags->numbers[i] != 0;
    }
    return Status();
  }

  Status CheckRows(std::string_view name, const Table& table) const {
    if (table.rows() == read_.objects.size()) return Status();
    return Unfit(name, "has another number of rows than bbox");
  }

  Status ReadPoints() {
    SHARDINE_ASSIGN_OR_RETURN(const auto points, Numbers("keypoints", 3, 3));
    if (!points) return Status();
    SHARDINE_RETURN_IF_ERROR(CheckRows("keypoints", *points));
    for (std::size_t i = 0; i < points->rows(); ++i) {
      const auto row = points->row(i);
      read_.objects[i].points.assign(row.begin(), row.end());
    }
    return Status();
  }

  // The object of a row that begins with its number.
  Result<AnnotatedObject*> ObjectOf(std::string_view name,
                                    std::span<const double> row) {
    const auto number = static_cast<std::uint64_t>(row[0]);
    if (number < read_.objects.size()) return &read_.objects[number];
    return Unfit(name, "names a box that is not there");
  }

  Status ReadPolygons() {
    SHARDINE_ASSIGN_OR_RETURN(const auto points, Numbers("polygon", 2, 2));
    SHARDINE_ASSIGN_OR_RETURN(const auto rows, Counts("polygon_rows", 2, 2));
    if (!points || !rows) return Status();
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows->rows(); ++i) {
      SHARDINE_ASSIGN_OR_RETURN(AnnotatedObject* const object,
                                ObjectOf("polygon_rows", rows->row(i)));
      const double wanted = rows->row(i)[1];
      if (wanted > static_cast<double>(points->rows() - at)) {
        return Unfit("polygon_rows", "counts more points than there are");
      }
      const auto count = static_cast<std::size_t>(wanted);
      const auto part = std::span(points->numbers).subspan(2 * at, 2 * count);
      object->polygons.emplace_back(part.begin(), part.end());
      at += count;
    }
    if (at == points->rows()) return Status();
    return Unfit("polygon_rows", "counts fewer points than there are");
  }

  Status ReadMasks() {
    SHARDINE_ASSIGN_OR_RETURN(const auto runs, Counts("rle", 1));
    SHARDINE_ASSIGN_OR_RETURN(const auto rows, Counts("rle_rows", 2, 4));
    if (!runs || !rows) return Status();
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows->rows(); ++i) {
      const auto row = rows->row(i);
      SHARDINE_ASSIGN_OR_RETURN(AnnotatedObject* const object,
                                ObjectOf("rle_rows", row));
      if (row[1] > static_cast<double>(runs->rows() - at)) {
        return Unfit("rle_rows", "counts more runs than there are");
      }
      MaskRuns mask{.height = static_cast<std::uint64_t>(row[2]),
                    .width = static_cast<std::uint64_t>(row[3]),
                    .counts = {}};
      for (const auto end = at + static_cast<std::size_t>(row[1]); at < end;) {
        mask.counts.push_back(std::llround(runs->numbers[at++]));
      }
      if (!FillsMask(mask.counts, mask.height, mask.width)) {
        return Unfit("rle", "has runs that do not fill their mask");
      }
      object->mask = std::move(mask);
    }
    if (at == runs->rows()) return Status();
    return Unfit("rle_rows", "counts fewer runs than there are");
  }

  Status ReadCaptions() {
    const FieldView* field = Find("captions");
    if (field == nullptr) return Status();
    const auto list = nlohmann::json::parse(AsText(field->bytes), nullptr,
                                            /*allow_exceptions=*/false);
    if (!list.is_array()) return Unfit("captions", "is no JSON list of texts");
    for (const auto& caption : list) {
      if (!caption.is_string()) {
        return Unfit("captions", "is no JSON list of texts");
      }
      read_.captions.push_back(caption.get<std::string>());
    }
    return Status();
  }

  std::span<const FieldView> fields_;
  ImageAnnotations read_;
};

}  // namespace

Result<ImageAnnotations> ReadAnnotations(std::span<const FieldView> fields) {
  return FieldReader(fields).Read();
}

}  // namespace shardine
