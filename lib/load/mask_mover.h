// MaskMover: a mask by the geometry of its image.
#ifndef SHARDINE_LOAD_MASK_MOVER_H_
#define SHARDINE_LOAD_MASK_MOVER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "load/drawn_geometry.h"
#include "pixels/element_moves.h"
#include "shardine/follow.h"

namespace shardine {

// Has the room that it needs. Thread-compatible.
class MaskMover {
 public:
  // `mask` has the image's size; rows outside of the crop's box are not looked
  // at. `fill` is one element; `out` has those of the view.
  // REQUIRES: `kind` is kNearest or kNearestExact.
  void operator()(const ElementView& mask, const DrawnGeometry& drawn,
                  FollowKind kind, ByteView fill, std::byte* out);

 private:
  std::vector<std::uint32_t> across_;
  std::vector<std::uint32_t> down_;
  ElementSampler sampler_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_MASK_MOVER_H_
