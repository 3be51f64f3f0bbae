#include "shard/image_array.h"

#include <cstddef>
#include <string>

#include "image/decode_limits.h"
#include "shard/dtype.h"
#include "shardine/array_layout_words.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

std::optional<PixelElement> ElementOf(std::string_view dtype) {
  if (dtype == "|u1") return PixelElement::kByte;
  if (dtype == "|b1") return PixelElement::kBool;
  if (dtype == "<u2") return PixelElement::kLittle16;
  if (dtype == ">u2") return PixelElement::kBigEndian16;
  return std::nullopt;
}

bool CanBeChannels(std::uint64_t axis) {
  return axis == 1 || axis == 3 || axis == 4;
}

bool IsPlanar(ArrayLayout layout) {
  return layout == ArrayLayout::kChw || layout == ArrayLayout::kBgrPlanes;
}

bool IsBlueFirst(ArrayLayout layout) {
  return layout == ArrayLayout::kBgr || layout == ArrayLayout::kBgrPlanes;
}

// Writes one sample; returns the place after it.
std::uint8_t* PutSample(PixelElement element, const std::uint8_t* from,
                        std::uint8_t* to) {
  switch (element) {
    case PixelElement::kByte:
      *to++ = *from;
      break;
    case PixelElement::kBool:
      *to++ = *from != 0 ? 255 : 0;
      break;
    case PixelElement::kLittle16:
      *to++ = from[0];
      *to++ = from[1];
      break;
    case PixelElement::kBigEndian16:
      *to++ = from[1];
      *to++ = from[0];
      break;
  }
  return to;
}

}  // namespace

std::optional<ImageArray> DeepArrayOf(std::string_view dtype,
                                      std::span<const std::uint64_t> shape,
                                      ArrayLayout layout) {
  const auto element = ElementOf(dtype);
  if (!element || (shape.size() != 2 && shape.size() != 3)) {
    return std::nullopt;
  }
  const bool planes = shape.size() == 3 && IsPlanar(layout);
  const std::uint64_t channels = shape.size() == 2 ? 1 : shape[planes ? 0 : 2];
  if (!CanBeChannels(channels)) return std::nullopt;
  // The bound for files holds for arrays, too: the same code treats both later,
  // with the same room in its numbers.
  const std::uint64_t most = DecodeLimits().max_pixels;
  const std::uint64_t height = shape[planes ? 1 : 0];
  const std::uint64_t width = shape[planes ? 2 : 1];
  if (height == 0 || width == 0 || width > most / height) return std::nullopt;
  return ImageArray{
      {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)},
      static_cast<std::uint8_t>(channels),
      layout,
      *element};
}

std::optional<ImageArray> ImageArrayOf(std::string_view dtype,
                                       std::span<const std::uint64_t> shape,
                                       ArrayLayout layout) {
  auto array = DeepArrayOf(dtype, shape, layout);
  return array && array->element == PixelElement::kByte ? array : std::nullopt;
}

void ArrangePixels(const ImageArray& array, ByteView bytes,
                   ByteBuffer& pixels) {
  const std::size_t channels = array.channels;
  const std::size_t width = array.size.width;
  const std::size_t count = width * array.size.height;
  const std::size_t sample = array.bits() / 8U;
  const bool planar = IsPlanar(array.layout);
  // Samples from one pixel to the next, and from one channel to the next.
  const std::size_t step = planar ? 1 : channels;
  const std::size_t next = planar ? count : 1;
  pixels.Resize(count * channels * sample);
  const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
  auto* to = reinterpret_cast<std::uint8_t*>(pixels.data());
  // Alpha stays the last.
  const std::size_t colors = channels < 3 ? 0 : 3;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < channels; ++c) {
      const bool turned = IsBlueFirst(array.layout) && c < colors;
      const std::size_t channel = turned ? colors - 1 - c : c;
      to = PutSample(array.element, from + sample * (i * step + channel * next),
                     to);
    }
  }
}

bool HasTwoLayouts(std::span<const std::uint64_t> shape) {
  return shape.size() == 3 && CanBeChannels(shape[0]) &&
         CanBeChannels(shape[2]);
}

Status CheckEncodable(const FieldView& field, ArrayLayout layout) {
  const auto array = DeepArrayOf(field.dtype, field.shape, layout);
  if (array && array->channels == 4) {
    return Status(Code::kUnsupported,
                  "the image is an array of 4 channels, and what the fourth "
                  "means is not known: those of 1 and 3 are encoded");
  }
  return array ? Status() : NotAnImage(field, layout);
}

Status NotAnImage(const FieldView& field, ArrayLayout layout) {
  const std::string text = "the field \"" + EscapeBytes(field.name) + "\" is " +
                           DescribeType(field.dtype, field.shape) +
                           ", and no image";
  if (layout != ArrayLayout::kHwc) {
    return Status(Code::kUnsupported,
                  text + " of image layout " + WordOf(layout));
  }
  return Status(Code::kUnsupported,
                text +
                    ": those are encoded, or |u1 of height x "
                    "width, or of height x width x 1, 3 or 4; " +
                    kLayoutHelp);
}

}  // namespace shardine
