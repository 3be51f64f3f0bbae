// Fields that hold an image as its pixels: NumPy arrays |u1 of height x width,
// or height x width x 1, 3 or 4 channels.
#ifndef SHARDINE_SHARD_IMAGE_ARRAY_H_
#define SHARDINE_SHARD_IMAGE_ARRAY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/geometry.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

struct ImageArray {
  PixelSize size;
  std::uint8_t channels = 0;  // 1, 3 or 4

  friend bool operator==(const ImageArray&, const ImageArray&) = default;
};

// An array of that type and shape as an image; nullopt: none, as it has another
// type, a side of 0, or more pixels than decoders make of a file (a planar
// array is none either: its height would be taken for 3).
std::optional<ImageArray> ImageArrayOf(std::string_view dtype,
                                       std::span<const std::uint64_t> shape);

// kUnsupported: names the field's type and shape, and the ones of images.
Status NotAnImage(const FieldView& field);

}  // namespace shardine

#endif  // SHARDINE_SHARD_IMAGE_ARRAY_H_
