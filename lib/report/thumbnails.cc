#include "report/thumbnails.h"

#include <algorithm>

#include "base/status_macros.h"
#include "image/jpeg_encode.h"

namespace shardine {
namespace {

// At 8 pixels even noise is far below the bound.
constexpr std::uint32_t kSides[] = {Thumbnails::kMostSide, 64, 32, 8};
constexpr std::uint32_t kQualities[] = {75, 55, 35};

std::uint32_t ScaledSide(std::uint32_t side, std::uint32_t to,
                         std::uint32_t longest) {
  const std::uint64_t scaled = std::uint64_t{side} * to / longest;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(scaled, 1));
}

}  // namespace

Result<ByteView> Thumbnails::Make(ByteView image) {
  ImageDecodeOptions options;
  options.color = ColorMode::kColor;
  options.apply_exif = true;
  for (const std::uint32_t side : kSides) {
    SHARDINE_RETURN_IF_ERROR(decoder_.Open(image, options));
    SHARDINE_RETURN_IF_ERROR(Shrink(side));
    for (const std::uint32_t quality : kQualities) {
      jpeg_.Resize(0);
      SHARDINE_RETURN_IF_ERROR(EncodeJpeg(
          pixels_.view(), {.quality = quality, .optimize = true}, jpeg_));
      if (jpeg_.size() <= kMostBytes) return jpeg_.view();
    }
  }
  return Status(Code::kUnsupported, "no thumbnail of it is small enough");
}

Status Thumbnails::Shrink(std::uint32_t side) {
  const PixelSize size = decoder_.size();
  const std::uint32_t longest = std::max(size.width, size.height);
  if (size.width == 0 || size.height == 0) {
    return Status(Code::kCorrupt, "the header of the image says no size");
  }
  const std::uint32_t to = std::min(side, longest);
  pixels_.Reset({ScaledSide(size.width, to, longest),
                 ScaledSide(size.height, to, longest)},
                3);
  return decoder_
      .Resample({.x = 0, .y = 0, .width = size.width, .height = size.height},
                {.size = pixels_.size()}, pixels_.data(), pixels_.stride())
      .status();
}

}  // namespace shardine
