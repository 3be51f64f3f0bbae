#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/status_macros.h"
#include "extract/annotation_writer.h"
#include "extract/stem_names.h"
#include "io/output_names.h"
#include "source/yolo_row.h"

namespace shardine {
namespace {

constexpr std::int64_t kMaxYoloClasses = 100'000;

constexpr std::string_view kYoloFields[] = {
    "annotations", "bbox",    "bbox_crowd",  "bbox_label",
    "keypoints",   "polygon", "polygon_rows"};

class YoloWriter : public AnnotationWriter {
 public:
  YoloWriter(const Manifest& manifest, const std::string& directory)
      : AnnotationWriter(manifest, directory, kYoloFields),
        images_(JoinPath(directory, "images")) {}

  std::string ImageFolder(const std::string& split) const override {
    return JoinPath(images_, split);
  }

  Status Add(const ExtractedImage& image, TreeWriter& tree) override {
    SHARDINE_ASSIGN_OR_RETURN(const ImageAnnotations annotations, Read(image));
    splits_.insert(image.split);
    SHARDINE_ASSIGN_OR_RETURN(
        const std::string stem,
        stems_.Add(JoinPath("labels", image.split), image.name));
    const YoloImage size{image.facts.width, image.facts.height,
                         image.facts.orientation};
    if (size.width == 0 && !annotations.objects.empty()) {
      return Status(Code::kUnsupported,
                    "YOLO has parts of an image, whose size is not known");
    }
    const YoloRows rows = RowsOf(image);
    std::string lines;
    for (const AnnotatedObject& object : annotations.objects) {
      SHARDINE_RETURN_IF_ERROR(Look(object, rows));
      const std::string row = WriteYoloRow(object, size, rows);
      outside_ += row.empty() ? 1 : 0;
      if (!row.empty()) lines += row + "\n";
    }
    // No file says that an image has no object, as an empty one does.
    if (lines.empty()) return Status();
    return Write(stem + ".txt", lines, tree);
  }

  Status Finish(TreeWriter& tree) override {
    NoteObjects(crowds_, "YOLO does not tell crowds from others");
    NoteObjects(outside_, "objects outside their image are left out");
    NoteObjects(polygons_, "objects with points lose their polygons");
    NoteObjects(boxes_, "a box stands for a missing polygon");
    NoteObjects(parts_, "the first of several polygons is kept");
    for (const char* split : {"train", "val"}) {
      if (splits_.contains(split)) continue;
      notes_.push_back("no split " + std::string(split) +
                       ", which YOLO's programs want in data.yaml");
    }
    return Write("data.yaml", Description(), tree);
  }

 private:
  static YoloRows RowsOf(const ExtractedImage& image) {
    YoloRows rows = YoloRows::kBoxes;
    for (const FieldView& field : image.fields) {
      if (field.name == "keypoints") return YoloRows::kPoints;
      if (field.name == "polygon") rows = YoloRows::kPolygons;
    }
    return rows;
  }

  Status Look(const AnnotatedObject& object, YoloRows rows) {
    if (object.category >= kMaxYoloClasses) {
      return Status(Code::kUnsupported, "YOLO numbers classes from 0; label " +
                                            std::to_string(object.category));
    }
    most_label_ = std::max(most_label_, object.category);
    points_ = std::max(points_, object.points.size() / 3);
    crowds_ += object.is_crowd ? 1 : 0;
    const std::size_t polygons = object.polygons.size();
    boxes_ += rows == YoloRows::kPolygons && polygons == 0 ? 1 : 0;
    parts_ += rows == YoloRows::kPolygons && polygons > 1 ? 1 : 0;
    polygons_ += rows == YoloRows::kPoints && polygons > 0 ? 1 : 0;
    return Status();
  }

  // Texts of JSON are texts of YAML.
  std::string Description() const {
    std::string text;
    for (const std::string& split : splits_) {
      text += nlohmann::json(split).dump() + ": " +
              nlohmann::json("images/" + split).dump() + "\n";
    }
    if (points_ > 0) {
      text += "kpt_shape: [" + std::to_string(points_) + ", 3]\n";
    }
    const auto named = static_cast<std::int64_t>(manifest().categories.size());
    text += "names:\n";
    for (std::int64_t i = 0; i < std::max(named, most_label_ + 1); ++i) {
      text += "  " + std::to_string(i) + ": " +
              nlohmann::json(CategoryName(i)).dump() + "\n";
    }
    return text;
  }

  const std::string images_;
  StemNames stems_;
  std::set<std::string> splits_;
  std::int64_t most_label_ = -1;
  std::size_t points_ = 0;
  std::uint64_t crowds_ = 0;
  // Objects that come out as less than they are.
  std::uint64_t outside_ = 0;
  std::uint64_t boxes_ = 0;
  std::uint64_t parts_ = 0;
  std::uint64_t polygons_ = 0;
};

}  // namespace

std::unique_ptr<AnnotationWriter> MakeYoloWriter(const Manifest& manifest,
                                                 const std::string& directory) {
  return std::make_unique<YoloWriter>(manifest, directory);
}

}  // namespace shardine
