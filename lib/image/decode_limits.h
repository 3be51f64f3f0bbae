// DecodeLimits: the resources that a decoder may spend. DecodeWarning: a fault
// that it tolerated.
#ifndef SHARDINE_IMAGE_DECODE_LIMITS_H_
#define SHARDINE_IMAGE_DECODE_LIMITS_H_

#include <cstdint>
#include <string>

namespace shardine {

// All are checked before, not after, memory or time is spent. Markers need no
// limit: none is kept, and walking them takes time linear in the bytes.
//
// Besides absolute limits there is work in proportion to the bytes read, so
// that a small file cannot take long. No real photo comes near, at any quality.
struct DecodeLimits {
  std::uint64_t max_pixels = std::uint64_t{1} << 28;  // width * height
  std::uint32_t max_scans = 500;
  // Bytes libjpeg may take for itself, mostly the coefficients of progressive
  // images (rounded down to the range of a long), and bytes that may be taken
  // for rows on their way.
  std::uint64_t max_memory = std::uint64_t{1} << 30;
  // JPEG: steps as jpeg_work.h counts them, some 0.6 ns each, that any image
  // may take, and the steps that each byte adds. Even a blank page is within
  // it, in one scan of one bit for each block as in the ten that libjpeg makes
  // by default.
  std::uint64_t jpeg_steps = std::uint64_t{1} << 24;
  std::uint64_t jpeg_steps_per_byte = 1024;
  // PNG: the same of inflated bytes. Deflate makes up to 1032 of one byte, and
  // does of a large blank page, which is refused.
  std::uint64_t png_bytes = std::uint64_t{1} << 25;
  std::uint64_t png_bytes_per_byte = 512;
};

// A fault that libjpeg tolerated: "Premature end of JPEG file".
struct DecodeWarning {
  std::string text;         // the first of its kind, parameters filled in
  std::uint64_t count = 0;  // how often that kind was seen

  friend bool operator==(const DecodeWarning&, const DecodeWarning&) = default;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_DECODE_LIMITS_H_
