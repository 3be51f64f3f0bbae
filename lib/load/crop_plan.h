// What a transform does to one image, from its size and the sample's draws
// alone: which region is decoded, to which size it is resampled, and which part
// of that is kept.
#ifndef SHARDINE_LOAD_CROP_PLAN_H_
#define SHARDINE_LOAD_CROP_PLAN_H_

#include "image/image_decoder.h"
#include "image/pixels.h"
#include "load/sample_draws.h"
#include "shardine/loader.h"
#include "shardine/status.h"

namespace shardine {

struct CropPlan {
  Region box;         // of the image
  PixelSize resized;  // what the box becomes
  // Of `resized`, what the batch gets. Beyond its borders, where x or y are
  // below 0 or the end lies behind it: black.
  std::int64_t x = 0;
  std::int64_t y = 0;
  PixelSize size;
  bool flip = false;

  bool keeps_all() const { return x == 0 && y == 0 && size == resized; }
};

// `target`: what RectVal found for the batch; of others ignored.
// kInvalidArgument: FixedCrop's box is not in the image.
// RandomResizedCrop draws as torchvision's: ten times an area and an aspect
// ratio (its logarithm uniform), the first that fits; else the middle, the
// ratio clamped. Draw i (0..9) has area, ratio, x, y in its words; the flip is
// word 0 of draw 10. sqrt aside no function of libm is used: the boxes are the
// same on any machine.
Result<CropPlan> PlanCrop(const Transform& transform, PixelSize image,
                          const SampleDraws& draws, PixelSize target);

// The pixels of an image in the batch, but for RectVal, whose size depends on
// the batch: 0 x 0.
PixelSize TargetSize(const Transform& transform);

// RectVal's size for a batch whose images have this mean of width / height:
// height floor8(size / ratio) where ratio < 1, else width floor8(size * ratio),
// the other side `size` (imagenet18, training/dataloader.py).
PixelSize RectTarget(std::uint32_t size, double mean_ratio);

}  // namespace shardine

#endif  // SHARDINE_LOAD_CROP_PLAN_H_
