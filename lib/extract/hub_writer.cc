#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/bytes.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "dataset/manifest_check.h"
#include "extract/annotation_writer.h"
#include "image/image_kind.h"
#include "io/output_names.h"
#include "shard/field_numbers.h"
#include "shardine/escape.h"
#include "source/source_file.h"

namespace shardine {
namespace {

using nlohmann::json;

json PairsOf(std::span<const double> numbers, std::size_t of) {
  json list = json::array();
  for (std::size_t i = 0; i < numbers.size(); i += of) {
    const auto row = numbers.subspan(i, of);
    list.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return list;
}

// Columns of "objects", and the fields that give them.
struct ObjectColumn {
  std::string_view field;
  const char* name;
  json (*value)(const AnnotatedObject& object);
};

json RunsOf(const AnnotatedObject& object) {
  if (!object.mask) return nullptr;
  return {{"counts", object.mask->counts},
          {"size", {object.mask->height, object.mask->width}}};
}

constexpr ObjectColumn kObjectColumns[] = {
    {"bbox", "bbox",
     [](const AnnotatedObject& object) -> json {
       const auto& box = object.box;
       return {box[0], box[1], box[2] - box[0], box[3] - box[1]};
     }},
    {"bbox_crowd", "crowd",
     [](const AnnotatedObject& object) -> json { return object.is_crowd; }},
    {"bbox_difficult", "difficult",
     [](const AnnotatedObject& object) -> json { return object.is_difficult; }},
    {"bbox_truncated", "truncated",
     [](const AnnotatedObject& object) -> json { return object.is_truncated; }},
    {"keypoints", "keypoints",
     [](const AnnotatedObject& object) { return PairsOf(object.points, 3); }},
    {"polygon", "polygons",
     [](const AnnotatedObject& object) -> json { return object.polygons; }},
    {"rle", "rle", &RunsOf}};

// Fields that stand in other members of a row.
bool IsAnnotation(std::string_view name) {
  return std::ranges::find(kObjectColumns, name, &ObjectColumn::field) !=
             std::end(kObjectColumns) ||
         name == "annotations" || name == "bbox_label" || name == "captions" ||
         name == "polygon_rows" || name == "rle_rows";
}

// Numbers in the nested lists of a shape, integers as integers.
json ArrayJson(std::span<const std::uint64_t> shape, const json& numbers,
               std::size_t& at) {
  if (shape.empty()) return numbers[at++];
  json list = json::array();
  for (std::uint64_t i = 0; i < shape[0]; ++i) {
    list.push_back(ArrayJson(shape.subspan(1), numbers, at));
  }
  return list;
}

class HubWriter : public AnnotationWriter {
 public:
  HubWriter(const Manifest& manifest, const std::string& directory)
      : AnnotationWriter(manifest, directory, {}) {}

  Status Add(const ExtractedImage& image, TreeWriter& tree) override {
    json row = {{"file_name", image.name}};
    AddLabels(image, row);
    SHARDINE_ASSIGN_OR_RETURN(const ImageAnnotations annotations, Read(image));
    for (const FieldView& field : image.fields) {
      const std::string name(field.name);
      if (name == "bbox") row["objects"] = Objects(image, annotations);
      if (name == "captions") row["captions"] = annotations.captions;
      if (IsAnnotation(name)) continue;
      SHARDINE_RETURN_IF_ERROR(AddField(image, field, row, tree));
    }
    rows_[image.split] += row.dump() + "\n";
    return Status();
  }

  Status Finish(TreeWriter& tree) override {
    for (const auto& [split, rows] : rows_) {
      SHARDINE_RETURN_IF_ERROR(
          Write(PathOf(split, "metadata.jsonl"), rows, tree));
    }
    for (const auto& [name, count] : left_) {
      notes_.push_back("field \"" + EscapeBytes(name) + "\" of " +
                       std::to_string(count) +
                       (count == 1 ? " image" : " images") +
                       " not written: no number, text or image");
    }
    return Status();
  }

 private:
  std::string PathOf(const std::string& split, const std::string& name) const {
    return JoinPath(SplitFolder(manifest(), "", split), name);
  }

  void AddLabels(const ExtractedImage& image, json& row) const {
    json labels = json::array();
    for (const Label& label : image.labels) {
      const ClassInfo* const known = FindClass(manifest().classes, label);
      if (known != nullptr) {
        labels.push_back(EscapeBytes(known->name));
      } else if (label.is_integer()) {
        labels.push_back(label.integer());
      } else {
        labels.push_back(label.real());
      }
    }
    if (labels.size() == 1) row["label"] = labels[0];
    if (labels.size() > 1) row["label"] = std::move(labels);
  }

  json Objects(const ExtractedImage& image,
               const ImageAnnotations& annotations) const {
    json columns = {{"categories", json::array()}};
    json& categories = columns["categories"];
    for (const AnnotatedObject& object : annotations.objects) {
      categories.push_back(CategoryName(object.category));
    }
    for (const FieldView& field : image.fields) {
      const auto* const column =
          std::ranges::find(kObjectColumns, field.name, &ObjectColumn::field);
      if (column == std::end(kObjectColumns)) continue;
      json& values = columns[column->name] = json::array();
      for (const AnnotatedObject& object : annotations.objects) {
        values.push_back(column->value(object));
      }
    }
    return columns;
  }

  Status AddField(const ExtractedImage& image, const FieldView& field,
                  json& row, TreeWriter& tree) {
    const std::string name(field.name);
    if (name == "file_name" || name == "label" || name == "objects") {
      return Status(Code::kUnsupported,
                    "a field has the name \"" + name +
                        "\", which metadata has for something else");
    }
    const bool is_text =
        std::ranges::binary_search(manifest().text_fields, name);
    const ImageKind kind = DetectImageKind(field.bytes);
    if (!IsUtf8(name) || !IsPathBelow(name)) {
      ++left_[name];
    } else if (is_text) {
      row[name] = std::string(AsText(field.bytes));
    } else if (AreNumbers(field.dtype)) {
      row[name] = NumbersJson(field);
    } else if (kind == ImageKind::kPng || kind == ImageKind::kJpeg) {
      const std::string file = name + "/" + std::string(StemOf(image.name)) +
                               (kind == ImageKind::kPng ? ".png" : ".jpg");
      row[name + "_file_name"] = file;
      return Write(PathOf(image.split, file), AsText(field.bytes), tree);
    } else {
      ++left_[name];
    }
    return Status();
  }

  static json NumbersJson(const FieldView& field) {
    json flat = json::array();
    WithNumber(field.dtype, [&]<typename T>(T) {
      for (std::size_t i = 0; i < field.bytes.size(); i += sizeof(T)) {
        flat.push_back(LoadLe<T>(field.bytes.data() + i));
      }
    });
    std::size_t at = 0;
    return ArrayJson(field.shape, flat, at);
  }

  std::map<std::string, std::string> rows_;  // by split
  std::map<std::string, std::uint64_t> left_;
};

}  // namespace

std::unique_ptr<AnnotationWriter> MakeHubWriter(const Manifest& manifest,
                                                const std::string& directory) {
  return std::make_unique<HubWriter>(manifest, directory);
}

}  // namespace shardine
