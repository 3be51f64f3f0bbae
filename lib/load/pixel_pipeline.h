// PixelPipeline: the operations of a transform on one image after another, each
// with its parameters drawn for the sample (shardine/pixel_operations.h).
#ifndef SHARDINE_LOAD_PIXEL_PIPELINE_H_
#define SHARDINE_LOAD_PIXEL_PIPELINE_H_

#include <span>
#include <vector>

#include "load/drawn_geometry.h"
#include "load/sample_draws.h"
#include "pixels/affine_sampler.h"
#include "pixels/neighbor_filters.h"
#include "pixels/pixels.h"
#include "shardine/status.h"
#include "shardine/transform.h"

namespace shardine {

// kInvalidArgument: a parameter outside of its range in pixel_operations.h,
// named as it is there; a Normalize that is not the last, or a second one; a
// flip beside a geometry that flips by itself.
Status CheckOperations(const Transform& transform);

// Thread-compatible.
class PixelPipeline {
 public:
  // The operations must outlive it. REQUIRES: CheckOperations is ok.
  explicit PixelPipeline(std::span<const PixelOperation> operations)
      : operations_(operations) {}

  // Draws all that moves pixels of an image of that size, and whole policies:
  // the steps of one sample, in order.
  void Draw(PixelSize size, const SampleDraws& draws,
            std::vector<DrawnStep>& steps) const;

  // All but Normalize and ImageRecordNormalize, in their order, by the steps
  // that Draw() had of the same draws. A TransformFunction alone fails; the
  // operations after it are then not done.
  Status operator()(RgbPixels image, const SampleDraws& draws,
                    std::span<const DrawnStep> steps);

 private:
  const std::span<const PixelOperation> operations_;
  NeighborFilters filters_;
  AffineSampler sampler_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_PIXEL_PIPELINE_H_
