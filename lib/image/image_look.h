// ImageLook: the properties of an image by which CleanVision calls it odd,
// from as little of a decode as they take.
#ifndef SHARDINE_IMAGE_IMAGE_LOOK_H_
#define SHARDINE_IMAGE_IMAGE_LOOK_H_

#include "base/bytes.h"
#include "pixels/pixels.h"
#include "pixels/resampler.h"
#include "shardine/status.h"

namespace shardine {

// Brightness of a pixel is sqrt(0.241 R^2 + 0.691 G^2 + 0.068 B^2) / 255, of a
// gray one its level / 255.
struct ImageLook {
  PixelSize size;               // as stored
  bool is_gray = false;         // has one channel of up to 8 bits
  double dark_percentile = 0;   // the 5th percentile of brightness, 0 to 1
  double light_percentile = 0;  // the 99th
  double entropy = 0;           // bits, of the levels of all channels together
  // The standard deviations of Pillow's FIND_EDGES and of the counts of the 256
  // levels, in gray, at a long side of 64 at most.
  double edges = 0;
  double tones = 0;
};

// Used for one image after another. Thread-compatible.
class ImageLooks {
 public:
  // Percentiles and entropy of a JPEG are those of the least of its eight sizes
  // whose short side has 64 pixels. As stored, without a turn by EXIF. Errors
  // as of DecodeImage(); a fault that libjpeg tolerates is no failure.
  Status Measure(ByteView image, ImageLook& look);
  // The same of pixels. REQUIRES: one or three channels, no empty side.
  void MeasurePixels(const PixelView& pixels, ImageLook& look);

 private:
  Status DecodeJpeg(ByteView image, bool& is_made);
  void MeasureEdges(const PixelView& pixels, ImageLook& look);

  Resampler resampler_;
  PixelBuffer pixels_;
  PixelBuffer tiny_;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_IMAGE_LOOK_H_
