// Bounding boxes from a side file, in the form that builders of ImageNet
// TFRecords keep: lines "file,xmin,ymin,xmax,ymax", each of 0 to 1 relative to
// the image. They become float fields of the sample with that path, or whose
// file has that name.
#ifndef SHARDINE_SOURCE_BOUNDING_BOXES_H_
#define SHARDINE_SOURCE_BOUNDING_BOXES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/digest.h"
#include "shardine/status.h"

namespace shardine {

struct BoundingBox {
  float xmin = 0;
  float ymin = 0;
  float xmax = 0;
  float ymax = 0;
};

// The fields of a sample with boxes, by ascending name: one `<f4` per box.
struct BoxField {
  std::string_view name;  // TensorFlow's: "image/object/bbox/xmin"
  float BoundingBox::*coordinate;
};
inline constexpr BoxField kBoxFields[] = {
    {"image/object/bbox/xmax", &BoundingBox::xmax},
    {"image/object/bbox/xmin", &BoundingBox::xmin},
    {"image/object/bbox/ymax", &BoundingBox::ymax},
    {"image/object/bbox/ymin", &BoundingBox::ymin}};

// Immutable once read, so thread-safe.
class BoundingBoxes {
 public:
  BoundingBoxes() = default;

  // kCorrupt, with path and line, for a line of another form, or a box whose
  // end comes before its begin; kNotFound.
  static Result<BoundingBoxes> Read(ReadableStorage& storage,
                                    const std::string& path);

  // Adds the boxes of one file, after any that it has. No file has the name "",
  // with which no boxes can be added, so that the whole is not empty().
  void Add(std::string_view file_name, std::span<const BoundingBox> boxes);

  bool empty() const { return boxes_.empty(); }
  // The boxes of a path, or of its file's name; in the order of the file. Empty
  // where there is neither.
  std::span<const BoundingBox> Find(std::string_view path) const;
  // The boxes of that name alone.
  std::span<const BoundingBox> FindName(std::string_view name) const;
  // Paths and file names, ascending.
  std::vector<std::string_view> names() const;
  // The first line of that name; 0: it was not read.
  std::uint64_t LineOf(std::string_view name) const;
  // XXH3-128 over (string name, u32 boxes, floats) by name.
  Digest128 digest() const;

 private:
  struct Named {
    std::vector<BoundingBox> boxes;
    std::uint64_t line = 0;
  };
  std::map<std::string, Named, std::less<>> boxes_;
};

}  // namespace shardine

#endif  // SHARDINE_SOURCE_BOUNDING_BOXES_H_
