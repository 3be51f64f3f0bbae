// DrawnGeometry: where the pixels of one view of one sample come from, as it
// was drawn. The image is made by it, and fields that follow the image are.
#ifndef SHARDINE_LOAD_DRAWN_GEOMETRY_H_
#define SHARDINE_LOAD_DRAWN_GEOMETRY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.h"
#include "load/crop_plan.h"
#include "pixels/affine_sampler.h"
#include "shardine/augmentation_policies.h"

namespace shardine {

// One step of an operation that moves pixels, or of a policy.
struct DrawnStep {
  enum class Kind : std::uint8_t {
    kFlipAcross,  // left and right change places
    kFlipDown,
    kAffine,  // by `matrix`
    kValues,  // of a policy: `values`, which moves nothing
  };

  std::size_t operation = 0;  // its number in the transform
  Kind kind = Kind::kValues;
  AffineMatrix matrix = {};
  Augmentation values = {};
};

struct DrawnGeometry {
  PixelSize image;  // as it is decoded
  CropPlan crop;
  // The steps on the cut image, in order; its size stays.
  std::vector<DrawnStep> steps;

  bool Flips(DrawnStep::Kind kind) const {
    return std::ranges::count(steps, kind, &DrawnStep::kind) % 2 != 0;
  }
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_DRAWN_GEOMETRY_H_
