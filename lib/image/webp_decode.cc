#include "image/webp_decode.h"

#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "image/exif.h"
#include "image/library_image.h"
#include "pixels/crop_sink.h"

namespace shardine {
namespace {

constexpr std::size_t kRiffHeader = 12;
constexpr std::size_t kChunkHeader = 8;
// Pixels around a region that its own may be interpolated from.
constexpr std::uint32_t kMargin = 4;

const std::uint8_t* WebpBytes(ByteView bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

// Bytes that the RIFF header states.
std::uint64_t RiffSize(ByteView webp) {
  const auto stated = LoadLe<std::uint32_t>(webp.data() + 4);
  return std::uint64_t{stated} + kChunkHeader;
}

std::uint8_t OrientationIn(ByteView webp) {
  ByteView exif = FindWebpChunk(webp, "EXIF");
  // Some programs write the mark that EXIF has in a JPEG.
  if (AsText(exif).starts_with(std::string_view("Exif\0\0", 6))) {
    exif = exif.subspan(6);
  }
  return ExifOrientation(exif);
}

Status WebpStatus(VP8StatusCode code) {
  switch (code) {
    case VP8_STATUS_OK:
      return {};
    case VP8_STATUS_OUT_OF_MEMORY:
      return Status(Code::kUnsupported, "WebP: not enough memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return Status(Code::kUnsupported, "a form of WebP that is not decoded");
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return Status(Code::kCorrupt, "WebP: the data end too early");
    default:
      return Status(Code::kCorrupt, "WebP: damaged data");
  }
}

// Decodes still data into rows of RGB. An empty crop is all of it.
Status DecodeStill(ByteView webp, const Region& crop, std::uint8_t* out,
                   std::size_t stride, std::uint32_t rows) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) {
    return Status(Code::kUnsupported, "another version of libwebp");
  }
  if (crop.width > 0) {
    config.options.use_cropping = 1;
    config.options.crop_left = static_cast<int>(crop.x);
    config.options.crop_top = static_cast<int>(crop.y);
    config.options.crop_width = static_cast<int>(crop.width);
    config.options.crop_height = static_cast<int>(crop.height);
  }
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = out;
  config.output.u.RGBA.stride = static_cast<int>(stride);
  config.output.u.RGBA.size = stride * rows;
  return WebpStatus(WebPDecode(WebpBytes(webp), webp.size(), &config));
}

// The region with a margin, at even coordinates, where libwebp crops.
Region WithMargin(const Region& region, PixelSize size) {
  const std::uint32_t left =
      (region.x - std::min(region.x, kMargin)) & ~std::uint32_t{1};
  const std::uint32_t top =
      (region.y - std::min(region.y, kMargin)) & ~std::uint32_t{1};
  const std::uint32_t right =
      std::min(region.x + region.width + kMargin, size.width);
  const std::uint32_t bottom =
      std::min(region.y + region.height + kMargin, size.height);
  return {left, top, right - left, bottom - top};
}

struct DemuxerDelete {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};

Status DecodeFirstFrame(ByteView webp, PixelBuffer& canvas) {
  const WebPData data = {WebpBytes(webp), webp.size()};
  const std::unique_ptr<WebPDemuxer, DemuxerDelete> demuxer(WebPDemux(&data));
  WebPIterator frame{};
  if (demuxer == nullptr || WebPDemuxGetFrame(demuxer.get(), 1, &frame) == 0) {
    return Status(Code::kCorrupt, "WebP: no first frame");
  }
  const PixelSize size = canvas.size();
  const bool fits = frame.x_offset >= 0 && frame.y_offset >= 0 &&
                    frame.width > 0 && frame.height > 0 &&
                    std::int64_t{frame.x_offset} + frame.width <= size.width &&
                    std::int64_t{frame.y_offset} + frame.height <= size.height;
  Status decoded(Code::kCorrupt, "WebP: a frame outside of the canvas");
  if (fits) {
    std::memset(canvas.data(), 0, canvas.stride() * size.height);
    std::uint8_t* const first =
        canvas.row(static_cast<std::uint32_t>(frame.y_offset)) +
        std::size_t{3} * static_cast<std::size_t>(frame.x_offset);
    const ByteView fragment =
        std::as_bytes(std::span(frame.fragment.bytes, frame.fragment.size));
    // The last row ends before the canvas's stride does.
    WebPBitstreamFeatures features;
    decoded = WebpStatus(
        WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &features));
    if (decoded.ok() &&
        (features.width != frame.width || features.height != frame.height)) {
      decoded = Status(Code::kCorrupt, "WebP: a frame of another size");
    }
    if (decoded.ok()) {
      decoded =
          DecodeStill(fragment, {}, first, canvas.stride(),
                      size.height - static_cast<std::uint32_t>(frame.y_offset));
    }
  }
  WebPDemuxReleaseIterator(&frame);
  return decoded;
}

PixelView ViewOf(const PixelBuffer& memory, const Region& part) {
  PixelView view = memory.view();
  view.data += view.stride * part.y + std::size_t{part.x} * 3;
  view.size = {part.width, part.height};
  return view;
}

}  // namespace

ByteView FindWebpChunk(ByteView webp, std::string_view name) {
  std::size_t at = kRiffHeader;
  while (at + kChunkHeader <= webp.size()) {
    const std::size_t size = LoadLe<std::uint32_t>(webp.data() + at + 4);
    const std::size_t room = webp.size() - at - kChunkHeader;
    if (size > room) return {};
    if (AsText(webp.subspan(at, 4)) == name) {
      return webp.subspan(at + kChunkHeader, size);
    }
    at += kChunkHeader + size + size % 2;
  }
  return {};
}

ProbeResult ProbeWebp(ByteView webp) {
  ProbeResult result;
  ImageFacts& facts = result.facts;
  facts.kind = ImageKind::kWebp;
  facts.bits = 8;
  WebPBitstreamFeatures features;
  const VP8StatusCode code =
      WebPGetFeatures(WebpBytes(webp), webp.size(), &features);
  if (code != VP8_STATUS_OK) {
    const bool cut = code == VP8_STATUS_NOT_ENOUGH_DATA;
    result.problem =
        cut ? ImageProblem::kNoEndMarker : ImageProblem::kBadHeader;
    result.detail = cut ? "ends inside its header" : "a damaged header of WebP";
    return result;
  }
  facts.width = static_cast<std::uint32_t>(features.width);
  facts.height = static_cast<std::uint32_t>(features.height);
  facts.components = features.has_alpha != 0 ? 4 : 3;
  facts.orientation = OrientationIn(webp);
  result.icc = !FindWebpChunk(webp, "ICCP").empty();
  const std::uint64_t size = RiffSize(webp);
  if (size > webp.size()) {
    result.problem = ImageProblem::kNoEndMarker;
    result.detail =
        std::to_string(webp.size()) + " bytes of " + std::to_string(size);
    result.offset = webp.size();
    return result;
  }
  result.end_marker = true;
  return result;
}

Result<PixelView> DecodeWebp(ByteView webp, const Region& region,
                             const DecodeLimits& limits, PixelBuffer& memory) {
  WebPBitstreamFeatures features;
  SHARDINE_RETURN_IF_ERROR(
      WebpStatus(WebPGetFeatures(WebpBytes(webp), webp.size(), &features)));
  const PixelSize size = {static_cast<std::uint32_t>(features.width),
                          static_cast<std::uint32_t>(features.height)};
  SHARDINE_RETURN_IF_ERROR(CheckRegion(region, size));
  // The library has four bytes of each pixel of a lossless image.
  SHARDINE_RETURN_IF_ERROR(
      CheckPixelCost(size, {.memory_bytes = 7}, webp.size(), limits));
  if (features.has_animation != 0) {
    memory.Reset(size, 3);
    SHARDINE_RETURN_IF_ERROR(DecodeFirstFrame(webp, memory));
    return ViewOf(memory, region);
  }
  const Region crop = WithMargin(region, size);
  memory.Reset({crop.width, crop.height}, 3);
  const bool whole = PixelSize{crop.width, crop.height} == size;
  SHARDINE_RETURN_IF_ERROR(DecodeStill(webp, whole ? Region() : crop,
                                       memory.data(), memory.stride(),
                                       crop.height));
  return ViewOf(memory, {region.x - crop.x, region.y - crop.y, region.width,
                         region.height});
}

}  // namespace shardine
