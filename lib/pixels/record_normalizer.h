// RecordNormalizer: ImageRecordNormalize (shardine/image_record_operations.h)
// of the RGB pixels of an image, to where and how a batch has them.
#ifndef SHARDINE_PIXELS_RECORD_NORMALIZER_H_
#define SHARDINE_PIXELS_RECORD_NORMALIZER_H_

#include <cstddef>

#include "base/geometry.h"
#include "pixels/pixels.h"
#include "shardine/image_record_operations.h"
#include "shardine/status.h"
#include "shardine/transform.h"

namespace shardine {

// The values that differ from image to image.
struct RecordScale {
  float contrast = 1;
  float illumination = 0;
  // The image was turned so; a mean image is as well.
  bool flipped = false;
  bool upside_down = false;
};

// The transform's ImageRecordNormalize; null where it has none.
const ImageRecordNormalize* RecordNormalizeOf(const Transform& transform);

// kInvalidArgument: for bytes, which stay as they are; a mean image that is not
// as large as the images are to be; a mean for values from 0 to 1.
Status CheckRecordNormalize(const PixelFormat& format,
                            const ImageRecordNormalize& normalize,
                            PixelSize images);

// The operation must outlive it. Immutable, so thread-safe.
class RecordNormalizer {
 public:
  // REQUIRES: CheckRecordNormalize is ok.
  RecordNormalizer(const PixelFormat& format,
                   const ImageRecordNormalize& normalize)
      : format_(format), normalize_(normalize) {}

  // Writes width * height * 3 floats or halves without gaps. REQUIRES: an image
  // of three channels, rows without padding, of the size that was checked;
  // `out` has room and is aligned.
  void operator()(const PixelView& image, const RecordScale& scale,
                  std::byte* out) const;

 private:
  template <typename T>
  void Write(const PixelView& image, const RecordScale& scale, T* out) const;

  const PixelFormat format_;
  const ImageRecordNormalize& normalize_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_RECORD_NORMALIZER_H_
