#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/status_macros.h"
#include "base/xml_reader.h"
#include "shardine/escape.h"
#include "source/annotation_reader.h"
#include "source/source_file.h"

namespace shardine {
namespace {

constexpr std::uint64_t kMaxVocFile = std::uint64_t{16} << 20;
constexpr std::size_t kMaxVocFolders = 32;  // below each other

struct VocObject {
  AnnotatedObject object;
  std::string name;
  std::string fault;
};

struct VocFile {
  std::string text;
  std::vector<VocObject> objects;
  std::string image;  // <filename>
  double width = 0;   // 0: not known
  double height = 0;
};

// The elements of one file, as they end.
class VocWalk {
 public:
  explicit VocWalk(VocFile& file) : file_(file) {}

  void Take(const XmlPath& path, const std::string& text) {
    is_voc_ = is_voc_ && path.front() == "annotation";
    const std::string& name = path.back();
    const std::size_t depth = path.size();
    if (depth == 2 && name == "filename") file_.image = WithoutBlanks(text);
    if (depth == 2 && name == "object") EndObject();
    if (depth == 3 && path[1] == "size") TakeSize(name, text);
    if (depth == 3 && path[1] == "object") TakeMember(name, text);
    if (depth == 4 && path[1] == "object" && path[2] == "bndbox") {
      TakeSide(name, text);
    }
  }
  bool is_voc() const { return is_voc_; }

 private:
  void Fail(std::string fault) {
    if (at_work_.fault.empty()) at_work_.fault = std::move(fault);
  }

  void TakeSize(const std::string& name, const std::string& text) {
    if (name == "width") file_.width = ParseFinite(text).value_or(0);
    if (name == "height") file_.height = ParseFinite(text).value_or(0);
  }

  void TakeMember(const std::string& name, const std::string& text) {
    if (name == "name") at_work_.name = WithoutBlanks(text);
    if (name == "difficult") {
      TakeFlag(name, text, at_work_.object.is_difficult);
    }
    if (name == "truncated") {
      TakeFlag(name, text, at_work_.object.is_truncated);
    }
  }

  void TakeFlag(const std::string& name, const std::string& text, bool& flag) {
    const std::string_view value = WithoutBlanks(text);
    flag = value == "1";
    if (value == "0" || value == "1" || value.empty()) return;
    Fail("a value of <" + name +
         "> that is neither 0 nor 1: " + EscapeBytes(value));
  }

  void TakeSide(const std::string& name, const std::string& text) {
    constexpr std::string_view kSides[] = {"xmin", "ymin", "xmax", "ymax"};
    const auto side = std::ranges::find(kSides, name);
    if (side == std::end(kSides)) return;
    const auto number = static_cast<std::size_t>(side - kSides);
    const auto value = ParseFinite(text);
    if (!value) {
      return Fail("a value of <" + name +
                  "> that is no number: " + EscapeBytes(WithoutBlanks(text)));
    }
    sides_ |= 1U << number;
    // The first pixel is 1, and the last belongs to the box.
    at_work_.object.box[number] = number < 2 ? *value - 1 : *value;
  }

  void EndObject() {
    if (sides_ != 15) Fail("an object without a whole <bndbox>");
    if (at_work_.name.empty()) Fail("an object without a <name>");
    Fail(BoxFault(at_work_.object.box));
    file_.objects.push_back(std::exchange(at_work_, {}));
    sides_ = 0;
  }

  VocFile& file_;
  VocObject at_work_;
  unsigned sides_ = 0;  // a bit for each
  bool is_voc_ = true;
};

class VocReader : public AnnotationReader {
 public:
  explicit VocReader(std::string path) : path_(std::move(path)) {}

  Status Open(ReadableStorage& storage) {
    std::string folder = JoinPath(path_, "Annotations");
    const auto info = storage.Stat(folder);
    if (!info.ok() || info->kind != FileKind::kDirectory) folder = path_;
    SHARDINE_RETURN_IF_ERROR(AddFolder(storage, folder, "", 0));
    if (files_.empty()) {
      return Status(Code::kInvalidArgument, "VOC: no .xml file below it")
          .At({.path = folder});
    }
    NumberCategories();
    parts_.boxes = true;
    parts_.flags = true;
    beyond_.AddNote(path_, "; pixels of VOC are counted from 1", notes_);
    return Status();
  }

  Status Read(std::size_t image, ImageAnnotations& to) override {
    for (const VocObject& object : files_[image].objects) {
      to.objects.push_back(object.object);
      const auto category = std::ranges::lower_bound(categories_, object.name,
                                                     {}, &Category::name);
      to.objects.back().category = category->label;
    }
    to.source = files_[image].text;
    return Status();
  }

 private:
  Status AddFolder(ReadableStorage& storage, const std::string& folder,
                   const std::string& below, std::size_t depth) {
    if (depth == kMaxVocFolders) {
      return Status(Code::kUnsupported, "VOC: folders more than 32 deep")
          .At({.path = folder});
    }
    SHARDINE_ASSIGN_OR_RETURN(auto entries, storage.List(folder));
    std::ranges::sort(entries, {}, &DirEntry::name);
    for (const DirEntry& entry : entries) {
      const std::string path = JoinPath(folder, entry.name);
      const std::string key =
          below.empty() ? entry.name : JoinPath(below, entry.name);
      if (entry.name.starts_with('.')) continue;
      if (entry.kind == FileKind::kDirectory) {
        SHARDINE_RETURN_IF_ERROR(AddFolder(storage, path, key, depth + 1));
      } else if (entry.name.ends_with(".xml")) {
        SHARDINE_RETURN_IF_ERROR(AddFile(storage, path, key));
      }
    }
    return Status();
  }

  Status AddFile(ReadableStorage& storage, const std::string& path,
                 const std::string& key) {
    VocFile file;
    SHARDINE_ASSIGN_OR_RETURN(file.text,
                              ReadSmallFile(storage, path, kMaxVocFile));
    VocWalk walk(file);
    SHARDINE_RETURN_IF_ERROR(ReadXml(file.text, [&](const XmlPath& elements,
                                                    const std::string& text) {
                               walk.Take(elements, text);
                             }).At({.path = path}));
    if (!walk.is_voc()) {
      return Status(Code::kUnsupported,
                    "is no annotation of VOC; datumaro or panlabel converts "
                    "other XML to COCO first")
          .At({.path = path});
    }
    const std::string stem(StemOf(key));
    std::uint64_t number = 0;
    std::erase_if(file.objects, [&](const VocObject& object) {
      ++number;
      if (object.fault.empty()) return false;
      faults_.push_back({.image = stem,
                         .reason = object.fault,
                         .path = path,
                         .number = number});
      return true;
    });
    for (const VocObject& object : file.objects) {
      beyond_.Look(object.object, file.width, file.height, stem);
    }
    images_.push_back(
        {.name = stem, .other_name = file.image, .is_stem = true});
    files_.push_back(std::move(file));
    return Status();
  }

  void NumberCategories() {
    std::set<std::string> names;
    for (const VocFile& file : files_) {
      for (const VocObject& object : file.objects) names.insert(object.name);
    }
    for (const std::string& name : names) {
      categories_.push_back(
          {.label = static_cast<std::int64_t>(categories_.size()),
           .id = name,
           .name = name});
    }
  }

  const std::string path_;
  std::vector<VocFile> files_;  // as images_
  BoxesBeyond beyond_;
};

}  // namespace

Result<std::unique_ptr<AnnotationReader>> OpenVoc(ReadableStorage& storage,
                                                  const std::string& path) {
  auto reader = std::make_unique<VocReader>(path);
  SHARDINE_RETURN_IF_ERROR(reader->Open(storage));
  return std::unique_ptr<AnnotationReader>(std::move(reader));
}

}  // namespace shardine
