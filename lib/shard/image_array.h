// Fields that hold an image as its pixels: NumPy arrays of height x width, or
// height x width and 1, 3 or 4 channels in any order.
#ifndef SHARDINE_SHARD_IMAGE_ARRAY_H_
#define SHARDINE_SHARD_IMAGE_ARRAY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/geometry.h"
#include "shardine/array_layout.h"
#include "shardine/sample.h"
#include "shardine/status.h"

namespace shardine {

// The elements of an array of pixels.
enum class PixelElement : std::uint8_t {
  kByte,         // |u1
  kBool,         // |b1: 0 is black, all else white
  kLittle16,     // <u2
  kBigEndian16,  // >u2
};

struct ImageArray {
  PixelSize size;
  std::uint8_t channels = 0;  // 1, 3 or 4
  ArrayLayout layout = ArrayLayout::kHwc;
  PixelElement element = PixelElement::kByte;

  // Bits of a sample that ArrangePixels() gives.
  std::uint8_t bits() const {
    return element == PixelElement::kLittle16 ||
                   element == PixelElement::kBigEndian16
               ? 16
               : 8;
  }

  friend bool operator==(const ImageArray&, const ImageArray&) = default;
};

// An array |u1 of that shape as an image; nullopt: none, as it has another
// type, a side of 0, other channels than the layout's axis may have, or more
// pixels than decoders make of a file.
std::optional<ImageArray> ImageArrayOf(std::string_view dtype,
                                       std::span<const std::uint64_t> shape,
                                       ArrayLayout layout = ArrayLayout::kHwc);

// The same, with elements of any PixelElement.
std::optional<ImageArray> DeepArrayOf(std::string_view dtype,
                                      std::span<const std::uint64_t> shape,
                                      ArrayLayout layout);

// The pixels with channels interleaved, red first, rows without gaps; samples
// of 16 bits have the low byte first. REQUIRES: `bytes` has the length of the
// array.
void ArrangePixels(const ImageArray& array, ByteView bytes, ByteBuffer& pixels);

// Whether the first axis and the last of three can both be channels.
bool HasTwoLayouts(std::span<const std::uint64_t> shape);

// The end of messages about arrays whose layout is not the right one.
inline constexpr char kLayoutHelp[] =
    "image layouts hwc, chw, bgr and bgr-planes say the order of the axes";

// kUnsupported: no encoded image holds such an array.
Status CheckEncodable(const FieldView& field, ArrayLayout layout);

// kUnsupported: names the field's type and shape, and the ones of images.
Status NotAnImage(const FieldView& field,
                  ArrayLayout layout = ArrayLayout::kHwc);

}  // namespace shardine

#endif  // SHARDINE_SHARD_IMAGE_ARRAY_H_
