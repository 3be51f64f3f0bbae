#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/number.h"
#include "base/status_macros.h"
#include "extract/annotation_writer.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxCocoId = std::int64_t{1} << 53;

// A JSON object without its ids, which are given when all are known.
struct CocoItem {
  std::string text;
  std::optional<std::int64_t> id;  // in the source
  std::size_t image = 0;           // of an annotation
};
using CocoItems = std::vector<CocoItem>;

struct CocoSplit {
  CocoItems images;
  CocoItems instances;
  CocoItems captions;
};

CocoItem MakeItem(json object, std::size_t image) {
  CocoItem item;
  const auto id = object.find("id");
  if (id != object.end() && id->is_number_integer()) {
    item.id = id->get<std::int64_t>();
  }
  object.erase("id");
  object.erase("image_id");
  item.text = object.dump();
  item.image = image;
  return item;
}

// Items keep the ids of the source, and others get the numbers after the
// largest. All are numbered from 1 where two ids are equal.
std::vector<std::int64_t> IdsOf(const CocoItems& items) {
  std::set<std::int64_t> given;
  std::uint64_t known = 0;
  for (const CocoItem& item : items) {
    if (!item.id) continue;
    ++known;
    given.insert(*item.id);
  }
  const bool are_unique =
      known == given.size() && (given.empty() || *given.rbegin() <= kMaxCocoId);
  std::int64_t next = are_unique && !given.empty() ? *given.rbegin() : 0;
  next = std::max<std::int64_t>(next, 0);
  std::vector<std::int64_t> ids;
  for (const CocoItem& item : items) {
    ids.push_back(are_unique && item.id ? *item.id : ++next);
  }
  return ids;
}

// A member in front of those of an object, which has some.
std::string WithMember(const char* name, std::int64_t value,
                       const std::string& object) {
  return "{\"" + std::string(name) + "\":" + std::to_string(value) + "," +
         object.substr(1);
}

double PolygonArea(const std::vector<double>& points) {
  double twice = 0;
  for (std::size_t i = 0; i < points.size(); i += 2) {
    const std::size_t next = (i + 2) % points.size();
    twice += points[i] * points[next + 1] - points[next] * points[i + 1];
  }
  return std::abs(twice) / 2;
}

double AreaOf(const AnnotatedObject& object) {
  double area = 0;
  if (object.mask) {
    for (std::size_t i = 1; i < object.mask->counts.size(); i += 2) {
      area += static_cast<double>(object.mask->counts[i]);
    }
    return area;
  }
  for (const auto& polygon : object.polygons) area += PolygonArea(polygon);
  if (!object.polygons.empty()) return area;
  const auto& box = object.box;
  return (box[2] - box[0]) * (box[3] - box[1]);
}

json ObjectJson(const AnnotatedObject& object) {
  const auto& box = object.box;
  json made = {{"bbox", {box[0], box[1], box[2] - box[0], box[3] - box[1]}},
               {"area", AreaOf(object)},
               {"iscrowd", object.is_crowd ? 1 : 0}};
  if (object.mask) {
    made["segmentation"] = {
        {"counts", object.mask->counts},
        {"size", {object.mask->height, object.mask->width}}};
  } else if (!object.polygons.empty()) {
    made["segmentation"] = object.polygons;
  }
  if (!object.points.empty()) {
    int seen = 0;
    for (std::size_t i = 2; i < object.points.size(); i += 3) {
      seen += object.points[i] > 0 ? 1 : 0;
    }
    made["keypoints"] = object.points;
    made["num_keypoints"] = seen;
  }
  return made;
}

// The source's own form of a sample, if it is COCO's and has as much.
struct OwnForm {
  json::object_t image;
  std::vector<json> objects;
  std::vector<json> captions;
};

// Empty: it is another form.
std::unique_ptr<OwnForm> ReadOwnForm(const ImageAnnotations& annotations,
                                     const ImageFacts& facts) {
  json parsed = json::parse(annotations.source, nullptr, false);
  auto own = std::make_unique<OwnForm>();
  if (!parsed.is_object() || !parsed.contains("image") ||
      !parsed["image"].is_object() || !parsed.contains("annotations") ||
      !parsed["annotations"].is_array()) {
    return own;
  }
  // An image of another size has other boxes.
  const json& image = parsed["image"];
  if (image.value("width", json(facts.width)) != facts.width ||
      image.value("height", json(facts.height)) != facts.height) {
    return own;
  }
  for (json& object : parsed["annotations"]) {
    if (!object.is_object()) return std::make_unique<OwnForm>();
    (object.contains("caption") ? own->captions : own->objects)
        .push_back(std::move(object));
  }
  if (own->objects.size() != annotations.objects.size() ||
      own->captions.size() != annotations.captions.size()) {
    return std::make_unique<OwnForm>();
  }
  own->image = image.get<json::object_t>();
  return own;
}

constexpr std::string_view kCocoFields[] = {
    "annotations", "bbox",         "bbox_crowd", "bbox_label", "captions",
    "keypoints",   "polygon_rows", "polygon",    "rle_rows",   "rle"};

class CocoWriter : public AnnotationWriter {
 public:
  CocoWriter(const Manifest& manifest, const std::string& directory)
      : AnnotationWriter(manifest, directory, kCocoFields) {
    NumberCategories();
  }

  Status Add(const ExtractedImage& image, TreeWriter&) override {
    SHARDINE_ASSIGN_OR_RETURN(const ImageAnnotations annotations, Read(image));
    for (const FieldView& field : image.fields) {
      has_boxes_ = has_boxes_ || field.name == "bbox";
      has_captions_ = has_captions_ || field.name == "captions";
    }
    CocoSplit& split = splits_[image.split];
    const auto own = ReadOwnForm(annotations, image.facts);
    own->image["file_name"] = image.name;
    own->image["width"] = image.facts.width;
    own->image["height"] = image.facts.height;
    const std::size_t number = split.images.size();
    split.images.push_back(MakeItem(std::move(own->image), 0));
    for (std::size_t i = 0; i < annotations.objects.size(); ++i) {
      const AnnotatedObject& object = annotations.objects[i];
      json made = own->objects.empty() ? ObjectJson(object)
                                       : std::move(own->objects[i]);
      made["category_id"] = CategoryId(object.category);
      split.instances.push_back(MakeItem(std::move(made), number));
    }
    for (std::size_t i = 0; i < annotations.captions.size(); ++i) {
      json made = own->captions.empty() ? json() : std::move(own->captions[i]);
      made["caption"] = annotations.captions[i];
      split.captions.push_back(MakeItem(std::move(made), number));
    }
    return Status();
  }

  Status Finish(TreeWriter& tree) override {
    for (const auto& [name, split] : splits_) {
      if (has_boxes_) {
        SHARDINE_RETURN_IF_ERROR(
            Write("annotations/instances_" + name + ".json",
                  Document(split, split.instances, true), tree));
      }
      if (has_captions_) {
        SHARDINE_RETURN_IF_ERROR(Write("annotations/captions_" + name + ".json",
                                       Document(split, split.captions, false),
                                       tree));
      }
    }
    return Status();
  }

 private:
  // The source's ids, if all are integers; else numbers from 1.
  void NumberCategories() {
    for (const Category& category : manifest().categories) {
      const auto id = ParseSigned(category.id);
      if (id) category_ids_.push_back(*id);
    }
    if (category_ids_.size() != manifest().categories.size()) {
      category_ids_.clear();
    }
  }

  std::int64_t CategoryId(std::int64_t label) const {
    const auto number = static_cast<std::uint64_t>(label);
    return number < category_ids_.size() ? category_ids_[number] : label + 1;
  }

  std::string Categories() const {
    json list = json::array();
    const CategoryMap& named = manifest().categories;
    for (const std::int64_t label : CategoryLabels()) {
      const auto number = static_cast<std::uint64_t>(label);
      json category = json::object();
      if (number < named.size()) {
        category = json::parse(named[number].source, nullptr, false);
      }
      if (!category.is_object()) category = json::object();
      category["id"] = CategoryId(label);
      category["name"] = CategoryName(label);
      list.push_back(std::move(category));
    }
    return list.dump();
  }

  std::string Document(const CocoSplit& split, const CocoItems& annotations,
                       bool has_categories) const {
    const std::vector<std::int64_t> image_ids = IdsOf(split.images);
    const std::vector<std::int64_t> ids = IdsOf(annotations);
    std::string text = R"({"info":{},"licenses":[],"images":[)";
    for (std::size_t i = 0; i < image_ids.size(); ++i) {
      text += i == 0 ? "\n" : ",\n";
      text += WithMember("id", image_ids[i], split.images[i].text);
    }
    text += "],\n\"annotations\":[";
    for (std::size_t i = 0; i < ids.size(); ++i) {
      text += i == 0 ? "\n" : ",\n";
      text += WithMember("id", ids[i],
                         WithMember("image_id", image_ids[annotations[i].image],
                                    annotations[i].text));
    }
    text += ']';
    if (has_categories) text += ",\n\"categories\":" + Categories();
    return text + "}\n";
  }

  std::map<std::string, CocoSplit> splits_;
  std::vector<std::int64_t> category_ids_;
  bool has_boxes_ = false;
  bool has_captions_ = false;
};

}  // namespace

std::unique_ptr<AnnotationWriter> MakeCocoWriter(const Manifest& manifest,
                                                 const std::string& directory) {
  return std::make_unique<CocoWriter>(manifest, directory);
}

}  // namespace shardine
