#include "load/mask_source.h"

#include <utility>

#include "base/status_macros.h"
#include "image/image_decode.h"
#include "image/image_kind.h"
#include "image/probe.h"
#include "shard/dtype.h"
#include "shard/field_numbers.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

std::string Named(const FieldView& field) {
  return "the field \"" + EscapeBytes(field.name) + "\" ";
}

Status Unfit(const FieldView& field, const std::string& why) {
  return Status(Code::kUnsupported, Named(field) + why);
}

// The same failure, with the field's name before it.
Status InField(const FieldView& field, const Status& status) {
  return Status(status.code(),
                Named(field) + "is no mask: " + status.message());
}

Result<MaskType> TypeOfArray(const FieldView& field) {
  const bool has_axes = field.shape.size() == 2 || field.shape.size() == 3;
  if (!has_axes || !AreNumbers(field.dtype) || field.shape[0] > UINT32_MAX ||
      field.shape[1] > UINT32_MAX) {
    return Unfit(field, "is " + DescribeType(field.dtype, field.shape) +
                            "; a mask is height x width, or height x width x "
                            "channels, of numbers, or an encoded image");
  }
  MaskType type{std::string(field.dtype),
                {},
                {static_cast<std::uint32_t>(field.shape[1]),
                 static_cast<std::uint32_t>(field.shape[0])}};
  if (field.shape.size() == 3) type.channels = field.shape[2];
  return type;
}

MaskType TypeOfPixels(PixelSize size, std::uint8_t channels,
                      const char* dtype) {
  MaskType type{dtype, {}, size};
  if (channels > 1) type.channels = channels;
  return type;
}

std::string WordsOfType(const MaskType& type) {
  const std::uint64_t channels = type.channels.value_or(1);
  return std::to_string(channels) + " of " + type.dtype + " a pixel";
}

std::string WordsOfSize(PixelSize size) {
  return std::to_string(size.height) + " x " + std::to_string(size.width);
}

}  // namespace

std::size_t MaskType::element() const {
  return static_cast<std::size_t>(*DtypeBytes(dtype) * channels.value_or(1));
}

Result<MaskType> MaskTypeOf(const FieldView& field) {
  if (field.dtype != kBytesDtype) return TypeOfArray(field);
  const ImageKind kind = DetectImageKind(field.bytes);
  if (kind == ImageKind::kPng) {
    const auto png = ReadPngSampleType(field.bytes);
    if (!png.ok()) return InField(field, png.status());
    return TypeOfPixels(png->size, png->channels,
                        png->bytes == 2 ? "<u2" : "|u1");
  }
  if (kind == ImageKind::kJpeg) {
    const ImageFacts facts = ProbeImage(field.bytes).facts;
    return TypeOfPixels(
        {facts.width, facts.height},
        static_cast<std::uint8_t>(facts.components == 1 ? 1 : 3), "|u1");
  }
  return Unfit(field, "is no mask: neither an array nor a PNG or JPEG");
}

Result<ElementView> MaskSource::Open(const FieldView& field,
                                     const MaskType& type,
                                     std::uint32_t row_end) {
  SHARDINE_ASSIGN_OR_RETURN(const MaskType own, MaskTypeOf(field));
  if (own.size != type.size) {
    return Unfit(field, "is a mask of " + WordsOfSize(own.size) +
                            " pixels, its image has " + WordsOfSize(type.size));
  }
  if (own.dtype != type.dtype || own.channels != type.channels) {
    return Unfit(field, "is a mask with " + WordsOfType(own) +
                            "; the first sample's has " + WordsOfType(type));
  }
  ElementView view{field.bytes.data(), own.size, own.element(), 0};
  view.stride = own.size.width * view.element;
  if (field.dtype != kBytesDtype) {
    SHARDINE_RETURN_IF_ERROR(CheckFieldType(field.name, field.dtype,
                                            field.shape, field.bytes.size()));
    return view;
  }
  if (DetectImageKind(field.bytes) == ImageKind::kPng) {
    const Status status = png_.Decode(field.bytes, {}, row_end);
    if (!status.ok()) return InField(field, status);
    view.data = png_.row(0);
    view.stride = png_.stride();
    return view;
  }
  const auto decoded = DecodeImage(field.bytes, {}, jpeg_);
  if (!decoded.ok()) return InField(field, decoded.status());
  if (jpeg_.channels() != view.element || jpeg_.size() != own.size) {
    return Unfit(field, "is a JPEG that is decoded as another one");
  }
  view.data = jpeg_.bytes().data();
  return view;
}

}  // namespace shardine
