#include "load/affine_matrix.h"

#include "load/portable_angles.h"

namespace shardine {

AffineMatrix InverseAffineMatrix(const AffineParameters& parameters) {
  const double angle = Radians(parameters.angle);
  const double shear_x = Radians(parameters.shear[0]);
  const double shear_y = Radians(parameters.shear[1]);
  const auto [center_x, center_y] = parameters.center;
  const double moved_x = center_x + parameters.translation[0];
  const double moved_y = center_y + parameters.translation[1];
  const double tangent = PortableTan(shear_x);
  const double cosine = PortableCos(shear_y);
  // The matrix without the scale, of determinant 1: [[a, b], [c, d]].
  const double a = PortableCos(angle - shear_y) / cosine;
  const double b = -(a * tangent + PortableSin(angle));
  const double c = PortableSin(angle - shear_y) / cosine;
  const double d = PortableCos(angle) - c * tangent;
  const double scale = parameters.scale;
  AffineMatrix matrix = {d / scale, -b / scale, 0, -c / scale, a / scale, 0};
  matrix[2] = center_x - matrix[0] * moved_x - matrix[1] * moved_y;
  matrix[5] = center_y - matrix[3] * moved_x - matrix[4] * moved_y;
  return matrix;
}

}  // namespace shardine
