// data.yaml of a YOLO dataset.
#ifndef SHARDINE_SOURCE_YOLO_YAML_H_
#define SHARDINE_SOURCE_YOLO_YAML_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardine/status.h"

namespace shardine {

struct YoloYaml {
  std::vector<std::string> names;  // of the classes, by number
  // kpt_shape: points of an object, and the numbers of each, 2 or 3; 0: none.
  std::uint64_t points = 0;
  std::uint64_t point_numbers = 0;
};

// Reads `names`, a list or a map from numbers, or else `nc`; and `kpt_shape`.
// kCorrupt: no YAML, or members that are not that.
Result<YoloYaml> ParseYoloYaml(std::string_view text);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_YOLO_YAML_H_
