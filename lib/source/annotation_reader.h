// The seam of annotations: a reader for each kind of file or folder, and the
// one internal form that all of them give.
#ifndef SHARDINE_SOURCE_ANNOTATION_READER_H_
#define SHARDINE_SOURCE_ANNOTATION_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/source.h"
#include "shardine/status.h"
#include "source/category.h"
#include "source/source_set.h"

namespace shardine {

// A mask as runs of pixels, column by column: the first run is of background.
struct MaskRuns {
  std::uint64_t height = 0;
  std::uint64_t width = 0;
  std::vector<std::int64_t> counts;  // their sum is height * width
};

struct AnnotatedObject {
  // xmin, ymin, xmax, ymax: corners in pixels of the stored, unturned image.
  std::array<double, 4> box = {};
  std::int64_t category = 0;  // Category::label of the reader's
  bool is_crowd = false;
  bool is_difficult = false;
  bool is_truncated = false;
  std::vector<std::vector<double>> polygons;  // x, y, x, y, ...
  std::optional<MaskRuns> mask;
  std::vector<double> points;  // x, y, visibility
};

struct ImageAnnotations {
  std::vector<AnnotatedObject> objects;
  std::vector<std::string> captions;
  // The source's own form: of one text that is the whole, or of JSON texts
  // that are an image and its annotations.
  std::string source;
  std::string image_json;
  std::vector<std::string> object_jsons;
};

// The fields that a reader has values for.
struct AnnotationParts {
  bool boxes = false;
  bool crowds = false;
  bool flags = false;  // difficult and truncated
  bool polygons = false;
  bool masks = false;
  bool captions = false;
  std::uint64_t points = 0;  // of an object at most
};

// An annotated image, as the annotations call it.
struct AnnotatedImage {
  std::string name;  // with folders or without
  // Tried where no image has the name; empty: nothing.
  std::string other_name = {};
  bool is_stem = false;  // the name has no suffix
  // The sample is known; no name is looked for.
  std::optional<std::size_t> sample = {};
};

// An annotation that cannot be.
struct AnnotationFault {
  std::string image;         // its name
  std::string reason;        // "a box without a size: 3 4 0 5"
  std::string path;          // of the file
  std::uint64_t number = 0;  // of the annotation in the file, from 1
  bool is_line = false;      // the number is of a line
};

// Thread-compatible.
class AnnotationReader {
 public:
  virtual ~AnnotationReader() = default;

  const std::vector<AnnotatedImage>& images() const { return images_; }
  const CategoryMap& categories() const { return categories_; }
  const AnnotationParts& parts() const { return parts_; }
  const std::vector<AnnotationFault>& faults() const { return faults_; }
  // Names of annotated images that are known to have no image.
  const std::vector<std::string>& strangers() const { return strangers_; }
  // Sentences for SourceSet::notes.
  const std::vector<std::string>& notes() const { return notes_; }

  // Appends the annotations of images()[image].
  virtual Status Read(std::size_t image, ImageAnnotations& to) = 0;

 protected:
  std::vector<AnnotatedImage> images_;
  CategoryMap categories_;
  AnnotationParts parts_;
  std::vector<AnnotationFault> faults_;
  std::vector<std::string> strangers_;
  std::vector<std::string> notes_;
};

// The whole of a small file. kUnsupported beyond `most` bytes.
Result<std::string> ReadSmallFile(ReadableStorage& storage,
                                  const std::string& path,
                                  std::uint64_t most = std::uint64_t{64} << 20);

// A finite number, perhaps between blanks.
std::optional<double> ParseFinite(std::string_view text);

// Why numbers are no box; empty: they are one.
std::string BoxFault(const std::array<double, 4>& box);

// Boxes that reach beyond the edge of their image, which stay.
class BoxesBeyond {
 public:
  // `image` is the image's name; sides of 0 are not known.
  void Look(const AnnotatedObject& object, double width, double height,
            std::string_view image);
  // Adds a sentence that ends with `more`, if there are any.
  void AddNote(const std::string& path, const char* more,
               std::vector<std::string>& notes) const;

 private:
  std::uint64_t count_ = 0;
  std::string first_;
};

// Each looks at all annotations and leaves out those of faults().
Result<std::unique_ptr<AnnotationReader>> OpenCoco(ReadableStorage& storage,
                                                   const std::string& path);
Result<std::unique_ptr<AnnotationReader>> OpenVoc(ReadableStorage& storage,
                                                  const std::string& path);
// `split`: of the samples whose labels are looked for; empty: all. Reads the
// headers of their images.
Result<std::unique_ptr<AnnotationReader>> OpenYolo(ReadableStorage& storage,
                                                   const std::string& path,
                                                   const std::string& split,
                                                   const SourceSet& set);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_ANNOTATION_READER_H_
