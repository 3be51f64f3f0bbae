#include <algorithm>
#include <map>
#include <utility>

#include "base/html_text.h"
#include "base/number.h"
#include "base/status_macros.h"
#include "extract/annotation_writer.h"
#include "extract/stem_names.h"
#include "io/output_names.h"

namespace shardine {
namespace {

std::string Element(const char* name, const std::string& text) {
  return "<" + std::string(name) + ">" + HtmlText(text) + "</" + name + ">";
}

// Pixels are counted from 1, and the last belongs to the box.
std::string BoxElement(const std::array<double, 4>& box) {
  return "<bndbox>" + Element("xmin", NumberText(box[0] + 1)) +
         Element("ymin", NumberText(box[1] + 1)) +
         Element("xmax", NumberText(box[2])) +
         Element("ymax", NumberText(box[3])) + "</bndbox>";
}

constexpr std::string_view kVocFields[] = {"annotations", "bbox",
                                           "bbox_crowd",  "bbox_difficult",
                                           "bbox_label",  "bbox_truncated"};

class VocWriter : public AnnotationWriter {
 public:
  VocWriter(const Manifest& manifest, const std::string& directory)
      : AnnotationWriter(manifest, directory, kVocFields),
        images_(JoinPath(directory, "JPEGImages")) {}

  std::string ImageFolder(const std::string&) const override { return images_; }

  Status Add(const ExtractedImage& image, TreeWriter& tree) override {
    SHARDINE_ASSIGN_OR_RETURN(const ImageAnnotations annotations, Read(image));
    SHARDINE_ASSIGN_OR_RETURN(const std::string stem,
                              stems_.Add("", image.name));
    lists_[image.split] += stem + "\n";
    for (const AnnotatedObject& object : annotations.objects) {
      crowds_ += object.is_crowd ? 1 : 0;
    }
    return Write("Annotations/" + stem + ".xml", Document(image, annotations),
                 tree);
  }

  Status Finish(TreeWriter& tree) override {
    for (const auto& [split, names] : lists_) {
      SHARDINE_RETURN_IF_ERROR(
          Write("ImageSets/Main/" + split + ".txt", names, tree));
    }
    NoteObjects(crowds_, "VOC does not tell crowds from others");
    return Status();
  }

 private:
  // The source's own document stays where it is of this file.
  std::string Document(const ExtractedImage& image,
                       const ImageAnnotations& annotations) const {
    const std::string& own = annotations.source;
    const std::string file = Element("filename", FileNameOf(image.name));
    const std::string size = Element("width", Side(image.facts.width));
    if (own.find(file) != own.npos && own.find(size) != own.npos) return own;
    std::string text = "<annotation>\n  " + file + "\n  <size>" + size +
                       Element("height", Side(image.facts.height)) +
                       Element("depth", Side(image.facts.components)) +
                       "</size>\n";
    for (const AnnotatedObject& object : annotations.objects) {
      text += "  <object>" + Element("name", CategoryName(object.category)) +
              Element("truncated", object.is_truncated ? "1" : "0") +
              Element("difficult", object.is_difficult ? "1" : "0") +
              BoxElement(object.box) + "</object>\n";
    }
    return text + "</annotation>\n";
  }

  static std::string Side(std::uint32_t pixels) {
    return std::to_string(pixels);
  }

  const std::string images_;
  StemNames stems_;
  std::map<std::string, std::string> lists_;
  std::uint64_t crowds_ = 0;
};

}  // namespace

std::unique_ptr<AnnotationWriter> MakeVocWriter(const Manifest& manifest,
                                                const std::string& directory) {
  return std::make_unique<VocWriter>(manifest, directory);
}

}  // namespace shardine
