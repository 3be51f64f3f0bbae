// RecordCropper: ImageRecordCrop on one image after another, as record_plan.h
// plans it: decodes a region and makes the batch's pixels from it.
#ifndef SHARDINE_LOAD_RECORD_CROPPER_H_
#define SHARDINE_LOAD_RECORD_CROPPER_H_

#include "image/image_decoder.h"
#include "load/record_plan.h"
#include "load/sample_draws.h"
#include "pixels/pixels.h"
#include "shardine/image_record_operations.h"
#include "shardine/status.h"

namespace shardine {

// Keeps its memory. Thread-compatible.
class RecordCropper {
 public:
  // The crop must outlive it. REQUIRES: CheckRecordCrop is ok.
  explicit RecordCropper(const ImageRecordCrop& crop) : crop_(crop) {}

  // The region that is to be decoded. Errors as PlanRecordCrop().
  Result<Region> Plan(PixelSize image, const SampleDraws& draws);
  // Where that region goes, pixel by pixel.
  RegionTarget Target();
  // Once it is there. REQUIRES: an image of the crop's size.
  void Make(RgbPixels out);

 private:
  PixelView MakePart(const PixelView& image);

  const ImageRecordCrop& crop_;
  RecordPlan plan_;
  PixelBuffer decoded_;
  PixelBuffer resized_;
  PixelBuffer part_;
  PixelBuffer grown_[2];
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_RECORD_CROPPER_H_
