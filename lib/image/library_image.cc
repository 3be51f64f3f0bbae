#include "image/library_image.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/status_macros.h"
#include "image/bmp_decode.h"
#include "image/gif_decode.h"
#include "image/tiff_decode.h"
#include "image/webp_decode.h"
#include "pixels/crop_sink.h"
#include "pixels/row_emitter.h"

namespace shardine {
namespace {

constexpr std::uint32_t kEmittedRows = 16;

Status EmitRows(const PixelView& pixels, const LibraryDecode& what,
                RowSink& sink) {
  RowEmitter emitter(sink, what.color);
  const StoredColor stored =
      pixels.channels == 1 ? StoredColor::kGray : StoredColor::kRgb;
  SHARDINE_RETURN_IF_ERROR(
      emitter.Begin(pixels.size, stored, kEmittedRows, what.limits.max_memory));
  for (std::uint32_t y = 0; y < pixels.size.height; y += kEmittedRows) {
    const std::uint32_t count = std::min(kEmittedRows, pixels.size.height - y);
    std::uint8_t* const room = emitter.Room(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::memcpy(room + emitter.stride() * i, pixels.row(y + i),
                  emitter.stride());
    }
    emitter.Emit(count);
  }
  return {};
}

// The region of a whole image.
PixelView PartOf(const PixelBuffer& whole, const Region& region) {
  PixelView part = whole.view();
  part.data += part.stride * region.y + std::size_t{region.x} * part.channels;
  part.size = {region.width, region.height};
  return part;
}

Status DecodeWhole(ByteView image, const LibraryDecode& what,
                   PixelBuffer& pixels) {
  switch (what.kind) {
    case ImageKind::kGif:
      return DecodeGif(image, what.limits, pixels);
    case ImageKind::kBmp:
      return DecodeBmp(image, what.limits, pixels);
    default:
      return DecodeTiff(image, what.limits, pixels);
  }
}

}  // namespace

bool IsLibraryKind(ImageKind kind) {
  return kind == ImageKind::kWebp || kind == ImageKind::kGif ||
         kind == ImageKind::kBmp || kind == ImageKind::kTiff;
}

ProbeResult ProbeLibraryImage(ByteView image, ImageKind kind) {
  switch (kind) {
    case ImageKind::kWebp:
      return ProbeWebp(image);
    case ImageKind::kGif:
      return ProbeGif(image);
    case ImageKind::kBmp:
      return ProbeBmp(image);
    default:
      return ProbeTiff(image);
  }
}

Status CheckPixelCost(PixelSize size, const PixelCost& cost,
                      std::size_t file_bytes, const DecodeLimits& limits) {
  const std::uint64_t pixels = std::uint64_t{size.width} * size.height;
  const std::string words =
      std::to_string(size.width) + " x " + std::to_string(size.height);
  if (pixels > limits.max_pixels) {
    return Status(Code::kUnsupported,
                  words + " pixels are more than the limit of " +
                      std::to_string(limits.max_pixels));
  }
  if (pixels * cost.memory_bytes > limits.max_memory) {
    return Status(Code::kUnsupported, "decoding needs more than " +
                                          std::to_string(limits.max_memory) +
                                          " bytes");
  }
  if (pixels * cost.pixel_bytes >
      limits.png_bytes + limits.png_bytes_per_byte * file_bytes) {
    return Status(Code::kUnsupported, words + " pixels are too many for " +
                                          std::to_string(file_bytes) +
                                          " bytes");
  }
  return {};
}

Status DecodeLibraryImage(ByteView image, const LibraryDecode& what,
                          PixelBuffer& memory, RowSink& sink) {
  PixelView pixels;
  if (what.kind == ImageKind::kWebp) {
    SHARDINE_ASSIGN_OR_RETURN(
        pixels, DecodeWebp(image, what.region, what.limits, memory));
  } else {
    SHARDINE_RETURN_IF_ERROR(DecodeWhole(image, what, memory));
    SHARDINE_RETURN_IF_ERROR(CheckRegion(what.region, memory.size()));
    pixels = PartOf(memory, what.region);
  }
  return EmitRows(pixels, what, sink);
}

}  // namespace shardine
