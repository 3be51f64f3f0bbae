#include "image/image_decode.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "image/image_kind.h"
#include "image/jpeg_decode.h"
#include "image/orientation.h"
#include "image/png_decode.h"
#include "image/probe.h"

namespace shardine {
namespace {

using Warnings = std::vector<DecodeWarning>;

class BufferSink final : public RowSink {
 public:
  explicit BufferSink(PixelBuffer& pixels) : pixels_(pixels) {}

  Status Begin(PixelSize size, std::uint8_t channels) override {
    pixels_.Reset(size, channels);
    return {};
  }
  std::uint8_t* Room(std::uint32_t) override { return pixels_.row(next_); }
  void TakeRows(const std::uint8_t*, std::size_t,
                std::uint32_t count) override {
    next_ += count;
  }

 private:
  PixelBuffer& pixels_;
  std::uint32_t next_ = 0;
};

Result<Warnings> DecodeRows(ByteView image, const ImageDecodeOptions& options,
                            RowSink& sink) {
  switch (DetectImageKind(image)) {
    case ImageKind::kJpeg:
      return DecodeJpeg(image, options.limits, options.color, sink);
    case ImageKind::kPng:
      SHARDINE_RETURN_IF_ERROR(
          DecodePng(image, options.limits, options.color, sink));
      return Warnings();
    default:
      return Status(Code::kUnsupported, ProbeImage(image).detail);
  }
}

Status CheckMemory(const ImageFacts& facts, const DecodeLimits& limits) {
  const std::uint64_t pixels = std::uint64_t{facts.width} * facts.height;
  if (pixels <= limits.max_memory / 6) return {};
  return Status(Code::kUnsupported, "turning needs more than " +
                                        std::to_string(limits.max_memory) +
                                        " bytes");
}

Result<Warnings> DecodeUpright(ByteView image,
                               const ImageDecodeOptions& options,
                               const ImageFacts& facts, PixelBuffer& upright) {
  SHARDINE_RETURN_IF_ERROR(CheckMemory(facts, options.limits));
  PixelBuffer stored;
  BufferSink sink(stored);
  SHARDINE_ASSIGN_OR_RETURN(Warnings warnings,
                            DecodeRows(image, options, sink));
  ApplyOrientation(stored.view(), facts.orientation, upright);
  return warnings;
}

// What nothing need be done about: not stated, or upright.
bool IsTurned(const ImageFacts& facts) { return facts.orientation > 1; }

}  // namespace

Result<Warnings> DecodeImage(ByteView image, const ImageDecodeOptions& options,
                             RowSink& sink) {
  if (!options.apply_exif) return DecodeRows(image, options, sink);
  const ImageFacts facts = ProbeImage(image).facts;
  if (!IsTurned(facts)) return DecodeRows(image, options, sink);
  PixelBuffer upright;
  SHARDINE_ASSIGN_OR_RETURN(Warnings warnings,
                            DecodeUpright(image, options, facts, upright));
  const auto [width, height] = upright.size();
  SHARDINE_RETURN_IF_ERROR(sink.Begin({width, height}, upright.channels()));
  const std::uint8_t* rows = upright.data();
  if (std::uint8_t* room = sink.Room(height)) {
    std::memcpy(room, rows, upright.bytes().size());
    rows = room;
  }
  sink.TakeRows(rows, upright.stride(), height);
  return warnings;
}

Result<Warnings> DecodeImage(ByteView image, const ImageDecodeOptions& options,
                             PixelBuffer& pixels) {
  if (options.apply_exif) {
    const ImageFacts facts = ProbeImage(image).facts;
    if (IsTurned(facts)) return DecodeUpright(image, options, facts, pixels);
  }
  BufferSink sink(pixels);
  return DecodeRows(image, options, sink);
}

}  // namespace shardine
