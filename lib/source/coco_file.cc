#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/number.h"
#include "base/status_macros.h"
#include "shardine/escape.h"
#include "source/annotation_reader.h"
#include "source/coco_object.h"

namespace shardine {
namespace {

namespace dom = simdjson::dom;
namespace ondemand = simdjson::ondemand;

// The library reads a variable at its first use: here before main() begins.
[[maybe_unused]] const bool kJsonIsChosen =
    !simdjson::get_active_implementation()->name().empty();

constexpr std::uint64_t kMaxCocoFile = std::uint64_t{4000} << 20;

// The texts of the objects of the file's lists.
struct CocoLists {
  std::vector<std::string_view> images;
  std::vector<std::string_view> annotations;
  std::vector<std::string_view> categories;
  bool has_images = false;
  bool has_annotations = false;
};

// An annotation that has no fault.
struct CocoRow {
  std::size_t image = 0;
  std::string_view text;
};

class CocoReader : public AnnotationReader {
 public:
  explicit CocoReader(std::string path) : path_(std::move(path)) {}

  Status Open(ReadableStorage& storage) {
    SHARDINE_RETURN_IF_ERROR(Load(storage));
    CocoLists lists;
    SHARDINE_RETURN_IF_ERROR(Split(lists));
    SHARDINE_RETURN_IF_ERROR(AddCategories(lists.categories));
    SHARDINE_RETURN_IF_ERROR(AddImages(lists.images));
    SHARDINE_RETURN_IF_ERROR(AddAnnotations(lists.annotations));
    NoteFacts();
    return Status();
  }

  Status Read(std::size_t image, ImageAnnotations& to) override {
    to.image_json = Minified(image_jsons_[image]);
    auto row = std::ranges::lower_bound(rows_, image, {}, &CocoRow::image);
    for (; row != rows_.end() && row->image == image; ++row) {
      dom::object object;
      // All of them were read before.
      if (ParseObject(row->text, object) != simdjson::SUCCESS) continue;
      ReadCocoObject(object, by_id_, to);
      to.object_jsons.push_back(Minified(row->text));
    }
    return Status();
  }

 private:
  Status Fail(std::string message, std::string_view text = {}) const {
    Where where{.path = path_};
    if (!text.empty()) {
      where.offset = static_cast<std::uint64_t>(
          reinterpret_cast<const std::byte*>(text.data()) - bytes_.data());
    }
    return Status(Code::kCorrupt, std::move(message)).At(where);
  }

  Status Load(ReadableStorage& storage) {
    SHARDINE_ASSIGN_OR_RETURN(const auto file, storage.Open(path_));
    size_ = file->size();
    if (size_ > kMaxCocoFile) {
      return Status(Code::kUnsupported, "a COCO file of more than 4000 MiB")
          .At({.path = path_});
    }
    bytes_.Reserve(size_ + simdjson::SIMDJSON_PADDING);
    bytes_.Resize(size_ + simdjson::SIMDJSON_PADDING);
    return file->ReadExactly(0, bytes_.span().first(size_));
  }

  // Finds the objects of the lists, which may come in any order.
  Status Split(CocoLists& lists) {
    const char* const bytes = reinterpret_cast<const char*>(bytes_.data());
    ondemand::parser parser;
    ondemand::document document;
    ondemand::object root;
    simdjson::error_code error =
        parser
            .iterate(simdjson::padded_string_view(
                bytes, size_, size_ + simdjson::SIMDJSON_PADDING))
            .get(document);
    if (error == simdjson::SUCCESS) error = document.get_object().get(root);
    if (error != simdjson::SUCCESS) return NotJson(error);
    for (auto field : root) {
      std::string_view name;
      ondemand::value value;
      if ((error = field.unescaped_key().get(name)) != simdjson::SUCCESS ||
          (error = field.value().get(value)) != simdjson::SUCCESS) {
        return NotJson(error);
      }
      SHARDINE_RETURN_IF_ERROR(TakeMember(name, value, lists));
    }
    const char* rest = nullptr;
    if (document.current_location().get(rest) == simdjson::SUCCESS) {
      return Fail("JSON: text after its end");
    }
    if (lists.has_images && lists.has_annotations) return Status();
    return Fail(std::string("COCO: has no list \"") +
                (lists.has_images ? "annotations" : "images") + "\"");
  }

  Status NotJson(simdjson::error_code error) const {
    return Fail(std::string("JSON: ") + simdjson::error_message(error));
  }

  Status TakeMember(std::string_view name, ondemand::value value,
                    CocoLists& lists) const {
    if (name == "images") {
      return TakeList(name, value, lists.has_images, lists.images);
    }
    if (name == "annotations") {
      return TakeList(name, value, lists.has_annotations, lists.annotations);
    }
    bool again = !lists.categories.empty();
    if (name != "categories") return Status();
    return TakeList(name, value, again, lists.categories);
  }

  Status TakeList(std::string_view name, ondemand::value value, bool& is_there,
                  std::vector<std::string_view>& objects) const {
    const std::string list = "COCO: \"" + std::string(name) + "\" ";
    if (std::exchange(is_there, true)) return Fail(list + "occurs twice");
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) {
      return Fail(list + "is not a list");
    }
    for (auto element : array) {
      ondemand::object object;
      std::string_view text;
      simdjson::error_code error = element.get_object().get(object);
      if (error == simdjson::SUCCESS) error = object.raw_json().get(text);
      if (error == simdjson::INCORRECT_TYPE) {
        return Fail(list + "has an entry that is no object, number " +
                    std::to_string(objects.size() + 1));
      }
      if (error != simdjson::SUCCESS) return NotJson(error);
      objects.push_back(text);
    }
    return Status();
  }

  simdjson::error_code ParseObject(std::string_view text, dom::object& object) {
    // The bytes after it are those of the file, or its padding.
    return parser_
        .parse(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
               false)
        .get(object);
  }

  Status ReadObject(std::string_view text, dom::object& object) {
    const auto error = ParseObject(text, object);
    if (error == simdjson::SUCCESS) return Status();
    return Fail(std::string("JSON: ") + simdjson::error_message(error), text);
  }

  static std::string Minified(std::string_view text) {
    std::string small(text.size(), '\0');
    std::size_t size = 0;
    if (simdjson::minify(text.data(), text.size(), small.data(), size) !=
        simdjson::SUCCESS) {
      return std::string(text);
    }
    small.resize(size);
    return small;
  }

  Status AddCategories(const std::vector<std::string_view>& jsons) {
    for (const std::string_view text : jsons) {
      dom::object object;
      SHARDINE_RETURN_IF_ERROR(ReadObject(text, object));
      Category category;
      std::string_view name;
      if (!ReadCocoId(object["id"], category.id) ||
          object["name"].get(name) != simdjson::SUCCESS) {
        return Fail("COCO: a category without id or name", text);
      }
      category.name = name;
      category.source = Minified(text);
      dom::array points;
      const bool has_points =
          object["keypoints"].get(points) == simdjson::SUCCESS;
      category.label = static_cast<std::int64_t>(categories_.size());
      const CocoCategory known{category.label, has_points ? points.size() : 0};
      if (!by_id_.try_emplace(category.id, known).second) {
        return Fail("COCO: two categories have the id " +
                    EscapeBytes(category.id));
      }
      categories_.push_back(std::move(category));
    }
    return Status();
  }

  Status AddImages(const std::vector<std::string_view>& jsons) {
    for (const std::string_view text : jsons) {
      dom::object object;
      SHARDINE_RETURN_IF_ERROR(ReadObject(text, object));
      std::string id;
      if (!ReadCocoId(object["id"], id)) {
        return Fail("COCO: an image without an id", text);
      }
      std::string_view name;
      // LVIS has the address alone, whose last folder is a split's.
      if (object["file_name"].get(name) != simdjson::SUCCESS &&
          object["coco_url"].get(name) != simdjson::SUCCESS) {
        return Fail("COCO: an image without a file_name", text);
      }
      if (const auto scheme = name.find("://"); scheme != name.npos) {
        const auto folder = name.rfind('/', name.rfind('/') - 1);
        name = name.substr(std::max(folder, scheme + 2) + 1);
      }
      if (!images_by_id_.try_emplace(id, images_.size()).second) {
        return Fail("COCO: two images have the id " + EscapeBytes(id), text);
      }
      images_.push_back({.name = std::string(name)});
      image_jsons_.push_back(text);
      std::array<double, 2> size = {};
      if (object["width"].get(size[0]) != simdjson::SUCCESS ||
          object["height"].get(size[1]) != simdjson::SUCCESS) {
        size = {};
      }
      sizes_.push_back(size);
    }
    return Status();
  }

  Status AddAnnotations(const std::vector<std::string_view>& jsons) {
    std::vector<std::size_t> ids;
    ImageAnnotations read;
    for (std::size_t i = 0; i < jsons.size(); ++i) {
      read.objects.clear();
      read.captions.clear();
      std::size_t image = images_.size();
      dom::object object;
      std::string fault;
      const auto error = ParseObject(jsons[i], object);
      if (error != simdjson::SUCCESS) {
        fault = std::string("no JSON, such as NaN: ") +
                simdjson::error_message(error);
      } else if (object["segments_info"].error() == simdjson::SUCCESS) {
        return Status(Code::kUnsupported,
                      "COCO panoptic segments; datumaro or panlabel converts "
                      "them to COCO instances")
            .At({.path = path_});
      } else {
        fault = FindImage(object, image);
        if (fault.empty()) fault = ReadCocoObject(object, by_id_, read);
      }
      if (!fault.empty()) {
        faults_.push_back(
            {.image = image < images_.size() ? images_[image].name : "",
             .reason = std::move(fault),
             .path = path_,
             .number = i + 1});
        continue;
      }
      std::string id;
      if (ReadCocoId(object["id"], id)) {
        ids.push_back(std::hash<std::string>()(id));
      }
      rows_.push_back({image, jsons[i]});
      NoteParts(read, image);
    }
    std::ranges::stable_sort(rows_, {}, &CocoRow::image);
    std::ranges::sort(ids);
    again_ = static_cast<std::uint64_t>(ids.end() -
                                        std::unique(ids.begin(), ids.end()));
    return Status();
  }

  std::string FindImage(dom::object object, std::size_t& image) {
    std::string id;
    if (!ReadCocoId(object["image_id"], id)) {
      return "an annotation without an image_id";
    }
    const auto found = images_by_id_.find(id);
    if (found == images_by_id_.end()) {
      return "the unknown image_id " + EscapeBytes(id);
    }
    image = found->second;
    return "";
  }

  void NoteParts(const ImageAnnotations& read, std::size_t image) {
    parts_.captions = parts_.captions || !read.captions.empty();
    for (const AnnotatedObject& object : read.objects) {
      parts_.polygons = parts_.polygons || !object.polygons.empty();
      parts_.points =
          std::max<std::uint64_t>(parts_.points, object.points.size() / 3);
      parts_.masks = parts_.masks || object.mask.has_value();
      const auto [width, height] = sizes_[image];
      beyond_.Look(object, width, height, images_[image].name);
    }
  }

  void NoteFacts() {
    parts_.boxes = !categories_.empty();
    parts_.crowds = parts_.boxes;
    beyond_.AddNote(path_, "", notes_);
    if (again_ > 0) {
      notes_.push_back(std::to_string(again_) + " annotations of " +
                       EscapeBytes(path_) + " have an id that others have");
    }
  }

  const std::string path_;
  ByteBuffer bytes_;
  std::size_t size_ = 0;
  dom::parser parser_;
  CocoCategories by_id_;
  std::unordered_map<std::string, std::size_t> images_by_id_;
  std::vector<std::string_view> image_jsons_;
  std::vector<std::array<double, 2>> sizes_;  // width, height; 0: not known
  std::vector<CocoRow> rows_;                 // by image
  BoxesBeyond beyond_;
  std::uint64_t again_ = 0;  // annotations whose id others have
};

}  // namespace

Result<std::unique_ptr<AnnotationReader>> OpenCoco(ReadableStorage& storage,
                                                   const std::string& path) {
  auto reader = std::make_unique<CocoReader>(path);
  SHARDINE_RETURN_IF_ERROR(reader->Open(storage));
  return std::unique_ptr<AnnotationReader>(std::move(reader));
}

}  // namespace shardine
