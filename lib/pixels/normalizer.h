// Normalizer: from the RGB pixels of an image, 8 bits each, to where and how a
// batch has them: planes or pixels, bytes, floats or halves.
#ifndef SHARDINE_PIXELS_NORMALIZER_H_
#define SHARDINE_PIXELS_NORMALIZER_H_

#include <cstddef>
#include <memory>

#include "pixels/pixels.h"
#include "shardine/status.h"
#include "shardine/transform.h"

namespace shardine {

// The Normalize of the transform; without one, values stay as they are.
Normalize NormalizeOf(const Transform& transform);

// kInvalidArgument: a mean that is not finite, a std that is not positive,
// finite and normal. For bytes both are ignored.
Status CheckNormalize(const PixelFormat& format, const Normalize& normalize);

// Refuses numbers that can be calculated with but cannot be meant.
// kInvalidArgument: a mean or std for bytes, which stay as they are; or one for
// values from 0 to 1, where these are 0 to 255: then the message has the
// numbers that fit.
Status CheckMeanAndStd(const PixelFormat& format, const Normalize& normalize);

// True if a batch has pixels just as they are decoded: they can be decoded
// straight into it.
bool KeepsPixels(const PixelFormat& format);

std::size_t BytesPerValue(PixelType type);  // 1, 4, 2

// Values are those of float arithmetic, (value - mean) / std, each of the two
// steps rounded; halves are rounded once more (half_float.h). They are the same
// at every SimdLevel.
//
// Immutable, so thread-safe. It keeps the CurrentSimdLevel() of its
// construction.
class Normalizer {
 public:
  // REQUIRES: CheckNormalize(format, normalize) is ok.
  explicit Normalizer(const PixelFormat& format,
                      const Normalize& normalize = {});
  ~Normalizer();

  // Writes width * height * 3 values without gaps, in the machine's byte order.
  // REQUIRES: image.channels == 3; `out` has room for them and is aligned to
  // BytesPerValue.
  void operator()(const PixelView& image, std::byte* out) const;

  class Writer;  // of one type of value

 private:
  std::unique_ptr<const Writer> writer_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_NORMALIZER_H_
