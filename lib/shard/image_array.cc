#include "shard/image_array.h"

#include <string>

#include "image/decode_limits.h"
#include "shard/dtype.h"
#include "shardine/escape.h"

namespace shardine {

std::optional<ImageArray> ImageArrayOf(std::string_view dtype,
                                       std::span<const std::uint64_t> shape) {
  if (dtype != "|u1" || (shape.size() != 2 && shape.size() != 3)) {
    return std::nullopt;
  }
  const std::uint64_t channels = shape.size() == 3 ? shape[2] : 1;
  if (channels != 1 && channels != 3 && channels != 4) return std::nullopt;
  // The bound for files holds for arrays, too: the same code treats both later,
  // with the same room in its numbers.
  const std::uint64_t most = DecodeLimits().max_pixels;
  const std::uint64_t height = shape[0];
  const std::uint64_t width = shape[1];
  if (height == 0 || width == 0 || width > most / height) return std::nullopt;
  return ImageArray{
      {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)},
      static_cast<std::uint8_t>(channels)};
}

Status NotAnImage(const FieldView& field) {
  return Status(Code::kUnsupported,
                "the field \"" + EscapeBytes(field.name) + "\" is " +
                    DescribeType(field.dtype, field.shape) +
                    ", and no image: those are encoded, or |u1 of height x "
                    "width, or of height x width x 1, 3 or 4");
}

}  // namespace shardine
