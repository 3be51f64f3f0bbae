// CropPlan: the steps of a geometry for one image, from its size and the
// sample's draws alone: which region is decoded, to which size it is resampled,
// and which part of that is kept. Boxes are pinned by tests and never change.
#ifndef SHARDINE_LOAD_CROP_PLAN_H_
#define SHARDINE_LOAD_CROP_PLAN_H_

#include <array>
#include <cstdint>

#include "image/image_decoder.h"
#include "load/sample_draws.h"
#include "pixels/pixels.h"
#include "shardine/status.h"
#include "shardine/transform.h"

namespace shardine {

struct CropPlan {
  Region box;         // of the image; never empty, never beyond its borders
  PixelSize resized;  // the size of the resampled box
  // The part of `resized` that the batch gets. Beyond its borders, where x or y
  // are below 0 or the end lies after it: `fill`.
  std::int64_t x = 0;
  std::int64_t y = 0;
  PixelSize size;
  bool flip = false;
  std::array<std::uint8_t, 3> fill = {0, 0, 0};

  // The pixels of `resized` that the batch gets, and that are to be made.
  Region kept() const;
  // Where that lies in the batch's image; `fill` beside it.
  std::uint32_t left() const { return x < 0 ? Distance(x) : 0; }
  std::uint32_t top() const { return y < 0 ? Distance(y) : 0; }
  bool has_border() const {
    return kept().width < size.width || kept().height < size.height;
  }

  friend bool operator==(const CropPlan&, const CropPlan&) = default;

 private:
  static std::uint32_t Distance(std::int64_t below) {
    return static_cast<std::uint32_t>(-below);
  }
};

// kInvalidArgument: an option that no image can be cut by, named as it
// is in transform.h: a side of 0 or above 65,535 (CenterCrop's `resize` may be
// 0), a padding that is not less than the crop's side, a scale outside 0 to
// 1e6, a ratio outside 1e-6 to 1e6, a minimum above its maximum, a probability
// that is none; for ImageRecordCrop as CheckRecordCrop.
Status CheckGeometry(const Geometry& geometry);

// Plans a geometry for one image after the other. Immutable, so thread-safe.
//
// RandomResizedCrop draws as torchvision's (transforms/v2/_geometry.py): ten
// times an area and an aspect ratio (its logarithm uniform), sides
// round(sqrt(area * ratio)), round(sqrt(area / ratio)), the first that fits;
// else the middle, the ratio clamped, but no side below 1. Draw i (0..9) has
// area, ratio, x, y in its words; the flip is word 0 of draw 10: below the
// probability.
//
// CenterCrop (functional/_geometry.py: resize, center_crop): short side to
// `resize`, the other one to int(resize * long / short); then the corner
// int(round((side - crop) / 2.0)), halves to even, or, where the crop is
// larger, (crop - side) // 2 of black before it. Without resampling, nothing is
// decoded outside of the crop: there the box is the kept part.
//
// RandomCrop (transforms/v2/_geometry.py): with pad_if_needed, a padded side
// that is shorter than the crop gets the missing pixels at each of its ends.
// The corner, in the padded image, is words 2 (x) and 3 (y) of draw 0, of as
// many places as there are. The box is the part of the image in the crop.
//
// In buckets the crop is of the batch's size, for the first three:
// RandomResizedCrop's ratios are relative to the bucket's, so that a box is
// distorted as much as one for a square; CenterCrop is the middle of the image
// in the least size that covers the bucket, one side its own and the other one
// int(side * image / image side); Resize is the whole image.
class CropPlanner {
 public:
  // REQUIRES: CheckGeometry(geometry) is ok.
  explicit CropPlanner(const Geometry& geometry, bool in_buckets = false);

  // `target`: the size of the batch's images, TargetSize() but in buckets and
  // under SampleOrder::kRatio, where CenterCrop cuts to RectTarget(). kCorrupt:
  // the image has no pixels. kUnsupported: FixedCrop's box is not in it; it is
  // too small for RandomCrop; or its short side's new size would make the other
  // one longer than 2^26. REQUIRES: the geometry is no ImageRecordCrop, which
  // has plans of its own (record_plan.h).
  Result<CropPlan> operator()(PixelSize image, const SampleDraws& draws,
                              PixelSize target) const;

 private:
  Geometry geometry_;
  bool in_buckets_;
  // For RandomResizedCrop: logarithms of its ratios.
  double low_ratio_ = 0;
  double high_ratio_ = 0;
};

// The pixels of an image in the batch, where the batch has no say.
PixelSize TargetSize(const Geometry& geometry);

}  // namespace shardine

#endif  // SHARDINE_LOAD_CROP_PLAN_H_
