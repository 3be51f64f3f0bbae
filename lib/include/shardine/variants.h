// The sizes at which a dataset is made, beside or in place of the images as
// they are.
#ifndef SHARDINE_VARIANTS_H_
#define SHARDINE_VARIANTS_H_

#include <cstdint>
#include <vector>

#include "shardine/image.h"

namespace shardine {

// The sizes that are made of each image, by one read and one decode.
struct VariantOptions {
  bool original = true;  // the bytes as they are, in OUT itself
  // Pixels, ascending; of each comes a dataset OUT/sz/<pixels> with the same
  // ids, keys, labels, order and shards. REQUIRES: not empty without original.
  std::vector<std::uint32_t> short_sides;
  ImageOptions image;  // of the images at these sizes
};

}  // namespace shardine

#endif  // SHARDINE_VARIANTS_H_
