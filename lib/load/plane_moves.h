// Boxes and points by the geometry of their image, in doubles.
#ifndef SHARDINE_LOAD_PLANE_MOVES_H_
#define SHARDINE_LOAD_PLANE_MOVES_H_

#include <cstdint>
#include <vector>

#include "load/drawn_geometry.h"

namespace shardine {

struct MovedBox {
  double x0 = 0;
  double y0 = 0;
  double x1 = 0;
  double y1 = 0;
  std::uint32_t row = 0;  // among those of the sample
  double visible = 1;     // as in FollowOptions::min_visible

  bool empty() const { return !(x0 < x1 && y0 < y1); }
};

struct MovedPoint {
  double x = 0;
  double y = 0;
  bool inside = true;  // of the view, and of the image at each step
};

// In the order of torchvision's transforms: cut, scaled, flipped, then each
// operation, clipped where pixels are lost. A box that is turned becomes the
// smallest that holds its corners.
void MoveBoxes(const DrawnGeometry& drawn, std::vector<MovedBox>& boxes);
void MovePoints(const DrawnGeometry& drawn, std::vector<MovedPoint>& points);

}  // namespace shardine

#endif  // SHARDINE_LOAD_PLANE_MOVES_H_
