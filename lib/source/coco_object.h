// One annotation of a COCO file.
#ifndef SHARDINE_SOURCE_COCO_OBJECT_H_
#define SHARDINE_SOURCE_COCO_OBJECT_H_

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <string>

#include "source/annotation_reader.h"

namespace shardine {

// A category as annotations name it.
struct CocoCategory {
  std::int64_t label = 0;
  std::uint64_t points = 0;  // its keypoints
};
using CocoCategories = std::map<std::string, CocoCategory, std::less<>>;

// The text of an id: a number or a string, "18" either way. False: neither.
bool ReadCocoId(simdjson::simdjson_result<simdjson::dom::element> value,
                std::string& id);

// Reads an annotation into an object or a caption. Returns its fault; empty:
// it has none. After a fault `to` is undefined.
std::string ReadCocoObject(simdjson::dom::object value,
                           const CocoCategories& categories,
                           ImageAnnotations& to);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_COCO_OBJECT_H_
