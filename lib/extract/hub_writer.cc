#include <algorithm>
#include <cmath>
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

// Fields that are columns of "objects".
constexpr std::string_view kObjectFields[] = {
    "annotations",  "bbox",           "bbox_crowd", "bbox_difficult",
    "bbox_label",   "captions",       "keypoints",  "polygon",
    "polygon_rows", "bbox_truncated", "rle",        "rle_rows"};

bool IsObjectField(std::string_view name) {
  return std::ranges::find(kObjectFields, name) != std::end(kObjectFields);
}

json PairsOf(std::span<const double> numbers, std::size_t of) {
  json list = json::array();
  for (std::size_t i = 0; i < numbers.size(); i += of) {
    const auto row = numbers.subspan(i, of);
    list.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return list;
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
      : AnnotationWriter(manifest, directory) {}

  bool Holds(std::string_view) const override { return true; }

  Status Add(const ExtractedImage& image, TreeWriter& tree) override {
    json row = {{"file_name", image.name}};
    AddLabels(image, row);
    SHARDINE_ASSIGN_OR_RETURN(const ImageAnnotations annotations, Read(image));
    for (const FieldView& field : image.fields) {
      const std::string name(field.name);
      if (name == "bbox") row["objects"] = Objects(image, annotations);
      if (name == "captions") row["captions"] = annotations.captions;
      if (IsObjectField(name)) continue;
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
    return manifest().splits.size() > 1 ? JoinPath(split, name) : name;
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
    std::map<std::string, json> columns = {{"bbox", json::array()},
                                           {"categories", json::array()}};
    for (const FieldView& field : image.fields) {
      const std::string name(field.name);
      if (name == "bbox_crowd") columns["crowd"] = json::array();
      if (name == "bbox_difficult") columns["difficult"] = json::array();
      if (name == "bbox_truncated") columns["truncated"] = json::array();
      if (name == "keypoints") columns["keypoints"] = json::array();
      if (name == "polygon") columns["polygons"] = json::array();
      if (name == "rle") columns["rle"] = json::array();
    }
    for (const AnnotatedObject& object : annotations.objects) {
      for (auto& [name, column] : columns) {
        column.push_back(ColumnOf(name, object));
      }
    }
    return columns;
  }

  json ColumnOf(const std::string& name, const AnnotatedObject& object) const {
    const auto& box = object.box;
    if (name == "bbox") {
      return {box[0], box[1], box[2] - box[0], box[3] - box[1]};
    }
    if (name == "categories") return CategoryName(object.category);
    if (name == "crowd") return object.is_crowd;
    if (name == "difficult") return object.is_difficult;
    if (name == "truncated") return object.is_truncated;
    if (name == "keypoints") return PairsOf(object.points, 3);
    if (name == "polygons") return object.polygons;
    if (!object.mask) return nullptr;
    return {{"counts", object.mask->counts},
            {"size", {object.mask->height, object.mask->width}}};
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
    if (field.dtype == "<i8" || field.dtype == "<u8") {
      for (std::size_t i = 0; i < field.bytes.size(); i += 8) {
        const auto bits = LoadLe<std::uint64_t>(field.bytes.data() + i);
        flat.push_back(field.dtype == "<u8"
                           ? json(bits)
                           : json(static_cast<std::int64_t>(bits)));
      }
    } else {
      std::vector<double> numbers;
      AppendNumbers(field.dtype, field.bytes, numbers);
      for (const double number : numbers) {
        flat.push_back(field.dtype.starts_with("<f")
                           ? json(number)
                           : json(std::llround(number)));
      }
    }
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
