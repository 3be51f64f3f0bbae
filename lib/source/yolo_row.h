// One line of YOLO labels: numbers of 0 to 1 of an image's width and height.
// YOLO has three kinds of rows, and a dataset has one of them.
#ifndef SHARDINE_SOURCE_YOLO_ROW_H_
#define SHARDINE_SOURCE_YOLO_ROW_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "source/annotation_reader.h"
#include "source/yolo_yaml.h"

namespace shardine {

// An image that labels are about.
struct YoloImage {
  std::uint32_t width = 0;  // pixels, stored
  std::uint32_t height = 0;
  // EXIF, 0 to 8. YOLO's programs turn an image before they label or load it.
  std::uint8_t orientation = 0;
};

// Reads "class x y width height", "class x y x y x y ..." (a polygon, whose
// bounds are the box), or with kpt_shape the box and its points. Returns the
// fault of the line; empty: it has none.
std::string ReadYoloRow(std::string_view line, const YoloYaml& yaml,
                        const YoloImage& image, AnnotatedObject& object);

enum class YoloRows : std::uint8_t { kBoxes, kPolygons, kPoints };

// The row of an object, whose parts beyond the image's edge are cut off; empty:
// nothing is left. A polygon is the first of the object's, or its box.
// REQUIRES: the image's size is known.
std::string WriteYoloRow(const AnnotatedObject& object, const YoloImage& image,
                         YoloRows rows);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_YOLO_ROW_H_
