// SmallImages: images at 64 x 64 in gray, from as little of a decode as that
// takes, to tell whether two look alike.
#ifndef SHARDINE_IMAGE_SMALL_IMAGE_H_
#define SHARDINE_IMAGE_SMALL_IMAGE_H_

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "image/decode_limits.h"
#include "image/image_decoder.h"
#include "pixels/pdq_hash.h"
#include "pixels/pixels.h"
#include "pixels/resampler.h"
#include "shardine/status.h"

namespace shardine {

using SmallImage = std::array<std::uint8_t, kPdqPixels>;

// Used for one image after another. Thread-compatible.
class SmallImages {
 public:
  // As stored, without a turn by EXIF. A fault that libjpeg tolerates is no
  // failure. Errors as of DecodeImage().
  Status Make(ByteView image, SmallImage& small);
  // The same of pixels.
  void Shrink(const PixelView& pixels, SmallImage& small);

 private:
  Status MakeOfJpeg(ByteView image, SmallImage& small, bool& is_made);

  ImageDecoder decoder_;
  Resampler resampler_;
  PixelBuffer pixels_;
};

// The likeness of two, 1 at most: normalised cross-correlation of their common
// part where one is moved by up to 2 pixels; the best of all such moves.
double LikenessOf(const SmallImage& a, const SmallImage& b);
// The same where the one is cut by some 2 to 5 % at each side, moved by up to 1
// pixel.
double CutLikenessOf(const SmallImage& a, const SmallImage& b);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_SMALL_IMAGE_H_
