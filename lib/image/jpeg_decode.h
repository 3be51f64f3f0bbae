// Whole-image JPEG decoding by libjpeg-turbo with its defaults: accurate
// integer IDCT, fancy upsampling. What it warns about comes back as values.
#ifndef SHARDINE_IMAGE_JPEG_DECODE_H_
#define SHARDINE_IMAGE_JPEG_DECODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

// All are checked before, not after, memory or time is spent. Markers need no
// limit: none is kept, and walking them takes time linear in the bytes.
struct DecodeLimits {
  std::uint64_t max_pixels = std::uint64_t{1} << 28;  // width * height
  std::uint32_t max_scans = 500;
  // Bytes libjpeg may take for itself, mostly the coefficients of progressive
  // images; rounded down to what a long holds.
  std::uint64_t max_memory = std::uint64_t{1} << 30;
};

// Something libjpeg put up with: "Premature end of JPEG file".
struct DecodeWarning {
  std::string text;         // the first of its kind, parameters filled in
  std::uint64_t count = 0;  // how often that kind was seen

  friend bool operator==(const DecodeWarning&, const DecodeWarning&) = default;
};

struct DecodeReport {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint8_t components = 0;          // of the decoded pixels
  std::vector<DecodeWarning> warnings;  // in order of appearance, kinds unique
};

struct DecodedImage {
  DecodeReport report;
  // Rows from the top, components interleaved, no padding: width * height *
  // components bytes. Gray stays gray, YCbCr becomes RGB, YCCK becomes CMYK
  // (as stored, hence inverted in Adobe's files); orientation is not applied.
  std::vector<std::uint8_t> pixels;
};

// Decodes every row and keeps none. kCorrupt with libjpeg's words if the data
// cannot be decoded, kUnsupported if they can but exceed a limit.
Result<DecodeReport> CheckJpegDecode(ByteView jpeg,
                                     const DecodeLimits& limits = {});

// The same, with the pixels.
Result<DecodedImage> DecodeJpeg(ByteView jpeg, const DecodeLimits& limits = {});

}  // namespace shardine

#endif  // SHARDINE_IMAGE_JPEG_DECODE_H_
