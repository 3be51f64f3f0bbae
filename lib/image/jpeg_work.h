// How much work a JPEG makes of how few bytes. jpeglib.h, so for lib/image/*.cc
// only.
#ifndef SHARDINE_IMAGE_JPEG_WORK_H_
#define SHARDINE_IMAGE_JPEG_WORK_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

#include "image/decode_limits.h"

namespace shardine {

// Counts the steps of decoding and returns false once there are more than
// `limits` grant. Plain data, so that libjpeg may jump over it.
class JpegWork {
 public:
  explicit JpegWork(const DecodeLimits& limits);

  // 128 steps for every block of the frame, against all bytes of the file.
  // REQUIRES: the header is read.
  bool AllowsFrame(const jpeg_decompress_struct& info, std::size_t bytes) const;

  // 8 steps for every block of every scan and, where the scan refines, one more
  // for each coefficient it looks at, against the bytes read so far. To be
  // called for every row of MCUs; may be called in between.
  bool AddScanRow(const jpeg_decompress_struct& info, std::size_t bytes_read);

 private:
  std::uint64_t Allowed(std::size_t bytes) const {
    return steps_ + steps_per_byte_ * bytes;
  }

  std::uint64_t steps_;
  std::uint64_t steps_per_byte_;
  std::uint64_t done_ = 0;
  int scan_ = 0;  // where the last row was seen
  JDIMENSION row_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_JPEG_WORK_H_
