// Categories of annotated objects: the numbers in the fields of labels of
// boxes, and the names and ids that the annotations have for them.
#ifndef SHARDINE_SOURCE_CATEGORY_H_
#define SHARDINE_SOURCE_CATEGORY_H_

#include <cstdint>
#include <string>
#include <vector>

namespace shardine {

struct Category {
  std::int64_t label = 0;   // from 0, without gaps
  std::string id;           // the source's own: "18"; a name where it has none
  std::string name;         // UTF-8
  std::string source = {};  // the source's own form as text: a JSON object

  friend bool operator==(const Category&, const Category&) = default;
};

// By ascending label. Empty: no annotations with categories.
using CategoryMap = std::vector<Category>;

}  // namespace shardine

#endif  // SHARDINE_SOURCE_CATEGORY_H_
