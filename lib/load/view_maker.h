// ViewMaker: one view of one image after another: its region, the operations on
// its pixels, and their form in the batch.
#ifndef SHARDINE_LOAD_VIEW_MAKER_H_
#define SHARDINE_LOAD_VIEW_MAKER_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "image/image_decoder.h"
#include "load/crop_plan.h"
#include "load/drawn_geometry.h"
#include "load/pixel_pipeline.h"
#include "load/record_cropper.h"
#include "load/sample_draws.h"
#include "pixels/normalizer.h"
#include "pixels/pixels.h"
#include "pixels/record_normalizer.h"
#include "shardine/batch.h"
#include "shardine/status.h"
#include "shardine/transform.h"

namespace shardine {

// Thread-compatible; not movable.
class ViewMaker {
 public:
  // Both must outlive it. `in_buckets`: as of CropPlanner.
  ViewMaker(const Transform& transform, const PixelFormat& format,
            bool in_buckets = false);

  // Plans the view of an image, `size` as the batch has them. Errors as of
  // CropPlanner and RecordCropper.
  Result<CropBox> Plan(PixelSize image, const SampleDraws& draws,
                       PixelSize size);
  // The planned geometry.
  const DrawnGeometry& drawn() const { return drawn_; }
  // The region to be resampled for the view. `out` is its place in a batch,
  // which the operations may need as it is.
  RegionTarget Target(std::span<std::byte> out);
  // Once that is done, with the same draws: the place in the batch is as it is
  // to be. A TransformFunction alone fails.
  Status Finish(const SampleDraws& draws, std::span<std::byte> out);

  // In place of an image: value 128, or noise, the same in all places.
  void SetGray(PixelSize size, std::span<std::byte> out);
  void SetNoise(PixelSize size, std::span<std::byte> out);

 private:
  // The scale of ImageRecordNormalize, if it is among the operations.
  RecordScale ScaleFor(const SampleDraws& draws) const;
  RecordScale NoDraws() const;  // of an image that stands in for another one
  void Write(const RecordScale& scale, std::span<std::byte> out) const;

  const PixelFormat& format_;
  const Normalizer normalizer_;
  const CropPlanner planner_;
  PixelPipeline pipeline_;
  std::optional<RecordCropper> record_cropper_;  // in place of the planner
  // In place of the normalizer, the operation, which is the last.
  const ImageRecordNormalize* const record_normalize_;
  const std::size_t operations_;  // how many there are
  DrawnGeometry drawn_;
  PixelBuffer cut_;  // as it goes into the batch, but for type and layout
  std::vector<std::byte> noise_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_VIEW_MAKER_H_
