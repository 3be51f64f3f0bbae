// ArrayResampler: regions of images that need no decoding, resampled: the
// counterpart of ImageDecoder::Resample for arrays, with the same pixels.
#ifndef SHARDINE_IMAGE_ARRAY_RESAMPLER_H_
#define SHARDINE_IMAGE_ARRAY_RESAMPLER_H_

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "image/image_decoder.h"
#include "pixels/pixels.h"
#include "pixels/resampler.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible; used for one image after another: memory and tables are
// kept.
class ArrayResampler {
 public:
  // `pixels` of 1, 3 or 4 channels. Writes RGB, rows `stride` bytes apart: gray
  // is spread, a fourth channel left out, as Pillow's convert("RGB") does
  // before crop(region).resize(size). No channel changes its place.
  // kInvalidArgument: the region is empty or not in the image.
  // REQUIRES: target.part lies in target.size.
  Status Resample(const PixelView& pixels, const Region& region,
                  const ResampleTarget& target, std::uint8_t* out,
                  std::size_t stride);

 private:
  void PushConverted(const PixelView& pixels, const Region& needed);

  Resampler resampler_;
  ByteBuffer rgb_;  // a few rows
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_ARRAY_RESAMPLER_H_
