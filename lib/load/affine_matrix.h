// The matrix of torchvision's affine (transforms/v2/functional/_geometry.py,
// _get_inverse_affine_matrix), in its order of operations.
#ifndef SHARDINE_LOAD_AFFINE_MATRIX_H_
#define SHARDINE_LOAD_AFFINE_MATRIX_H_

#include <array>

#include "pixels/affine_sampler.h"

namespace shardine {

// Sheared, turned and scaled around the centre, then moved.
struct AffineParameters {
  double angle = 0;                            // degrees, clockwise
  std::array<double, 2> translation = {0, 0};  // pixels, right and down
  double scale = 1;
  std::array<double, 2> shear = {0, 0};   // degrees, of x and of y
  std::array<double, 2> center = {0, 0};  // from the image's middle
};

AffineMatrix InverseAffineMatrix(const AffineParameters& parameters);

}  // namespace shardine

#endif  // SHARDINE_LOAD_AFFINE_MATRIX_H_
