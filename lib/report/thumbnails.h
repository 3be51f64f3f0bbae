// Thumbnails: small JPEGs of images, none larger than 3 kB.
#ifndef SHARDINE_REPORT_THUMBNAILS_H_
#define SHARDINE_REPORT_THUMBNAILS_H_

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "image/image_decoder.h"
#include "pixels/pixels.h"
#include "shardine/status.h"

namespace shardine {

// Used for one image after another: memory is kept. Thread-compatible.
class Thumbnails {
 public:
  static constexpr std::size_t kMostBytes = 3000;
  static constexpr std::uint32_t kMostSide = 96;  // pixels

  // A JPEG of the image, upright, its sides in proportion and no larger than
  // they were. Valid until the next call. Failures as of DecodeImage().
  Result<ByteView> Make(ByteView image);

 private:
  Status Shrink(std::uint32_t side);

  ImageDecoder decoder_;
  PixelBuffer pixels_;
  ByteBuffer jpeg_;
};

}  // namespace shardine

#endif  // SHARDINE_REPORT_THUMBNAILS_H_
