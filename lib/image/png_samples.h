// From a PNG to its samples as they are stored: indices of a palette, 16 bits,
// alpha. For masks, whose numbers are no colors.
#ifndef SHARDINE_IMAGE_PNG_SAMPLES_H_
#define SHARDINE_IMAGE_PNG_SAMPLES_H_

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/geometry.h"
#include "base/inflate.h"
#include "image/decode_limits.h"
#include "image/png_header.h"
#include "shardine/status.h"

namespace shardine {

// The type of an image's samples: `bytes` 1, or 2 with the low byte first.
struct PngSampleType {
  PixelSize size;
  std::uint8_t channels = 1;
  std::uint8_t bytes = 1;
};

// kCorrupt: the header cannot be read. REQUIRES: `png` starts with the
// signature.
Result<PngSampleType> ReadPngSampleType(ByteView png);

// Has the rows of one image after another; keeps its memory. Thread-compatible.
class PngSamples {
 public:
  // Samples of less than 8 bits become bytes: 1 bit 0 and 1, gray of 2 and 4
  // bits spread over 0..255 as Pillow does, indices as they are. Rows from
  // `row_end` on are not inflated, and chunks behind them not looked at, but of
  // interlaced images. Errors as ReadPng().
  Status Decode(ByteView png, const DecodeLimits& limits,
                std::uint32_t row_end);

  const PngSampleType& type() const { return type_; }
  // REQUIRES: y < row_end.
  const std::byte* row(std::uint32_t y) const {
    return first_ + std::size_t{stride_} * y;
  }
  std::size_t stride() const { return stride_; }

 private:
  class Sink;
  Status DecodeBy(Inflater::Kind inflater, ByteView png,
                  const DecodeLimits& limits, std::uint32_t row_end);
  void Interlace(const PngHeader& header);
  void Unpack(const PngHeader& header, std::uint32_t rows);

  PngSampleType type_;
  ByteBuffer stored_;    // rows with their filter types, as inflated
  ByteBuffer unpacked_;  // where samples are not bytes, or rows come in passes
  const std::byte* first_ = nullptr;
  std::size_t stride_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_SAMPLES_H_
