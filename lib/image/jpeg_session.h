// One libjpeg decompressor with errors, warnings and limits under control.
// The only place that knows setjmp. jpeglib.h, so for lib/image/*.cc only.
#ifndef SHARDINE_IMAGE_JPEG_SESSION_H_
#define SHARDINE_IMAGE_JPEG_SESSION_H_

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "image/jpeg_work.h"
#include "pixels/pixels.h"
#include "shardine/status.h"

namespace shardine {

// Not movable: libjpeg holds pointers into it. Thread-compatible.
class JpegSession {
 public:
  // `jpeg` must outlive the session.
  JpegSession(ByteView jpeg, const DecodeLimits& limits);
  ~JpegSession();
  JpegSession(const JpegSession&) = delete;
  JpegSession& operator=(const JpegSession&) = delete;

  // Reads up to the first scan, picks the output colors and checks the limits
  // of pixels and of work. Gray, RGB and CMYK stay, YCbCr becomes RGB, YCCK
  // CMYK.
  Status ReadHeader();
  // REQUIRES of these six: ReadHeader succeeded.
  // Reduces RGB and YCbCr to the luma, as one component; other colors stay.
  // To be called before Start.
  void KeepLuma();
  // Makes the image at the least of the sizes 1/8, 2/8, ... at which no side is
  // below `side`, from fewer coefficients. To be called before Start.
  Status ShrinkTo(std::uint32_t side);
  PixelSize size() const { return {info_.output_width, info_.output_height}; }
  int components() const { return info_.output_components; }
  // Rows of one row of MCUs.
  std::uint32_t rows_at_once() const {
    return static_cast<std::uint32_t>(info_.max_v_samp_factor * DCTSIZE);
  }
  // Allocates the decoder.
  Status Start();

  // The next `count` rows, written `stride` bytes apart.
  // REQUIRES: Start succeeded; no more rows than are left, and room for them.
  Status ReadRows(std::uint8_t* rows, std::size_t stride, std::uint32_t count);
  // REQUIRES: all rows are read.
  Status Finish();

  // The faults that libjpeg tolerated; also a file that ends before all
  // coefficients came in full, which libjpeg smooths in silence.
  std::vector<DecodeWarning> warnings() const;

 private:
  static constexpr int kMaxKinds = 32;

  // Plain data: libjpeg's callbacks write to it and then jump.
  struct Warning {
    int code;
    std::uint64_t count;
    char text[JMSG_LENGTH_MAX];
  };
  struct Errors {
    jpeg_error_mgr manager;  // first, so that libjpeg's pointer is ours
    std::jmp_buf jump;
    Warning warnings[kMaxKinds];
    int kinds;
    bool too_many_scans;
    bool too_much_work;
    char text[JMSG_LENGTH_MAX];
  };
  struct Progress {
    jpeg_progress_mgr manager;  // first
    std::uint32_t max_scans;
    std::size_t bytes;
    JpegWork work;
  };

  static void OnError(j_common_ptr info);
  static void OnMessage(j_common_ptr info, int level);
  static void OnProgress(j_common_ptr info);

  template <typename Steps>
  Status Run(Steps steps);
  bool MissesScans() const;
  Status Failure() const;
  Status TooMuchWork() const;

  ByteView jpeg_;
  DecodeLimits limits_;
  jpeg_decompress_struct info_{};
  Errors errors_{};
  bool misses_scans_ = false;
  Progress progress_;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_JPEG_SESSION_H_
