// An operation's parameters for one sample: the draws that
// shardine/pixel_operations.h describes, apart from their use.
#ifndef SHARDINE_LOAD_OPERATION_DRAWS_H_
#define SHARDINE_LOAD_OPERATION_DRAWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/geometry.h"
#include "load/affine_matrix.h"
#include "load/sample_draws.h"
#include "pixels/color_adjuster.h"
#include "shardine/affine_operations.h"
#include "shardine/pixel_operations.h"

namespace shardine {

// Draws of one operation of a sample. `draws` must outlive it.
class OperationDraws {
 public:
  OperationDraws(const SampleDraws& draws, std::size_t number)
      : draws_(draws), first_(kEach * static_cast<std::uint32_t>(number + 1)) {}

  Draw operator()(std::uint32_t draw) const { return draws_(first_ + draw); }
  bool Happens(double probability) const {
    return (*this)(0).Uniform(0) < probability;
  }

 private:
  static constexpr std::uint32_t kEach = 256;

  const SampleDraws& draws_;
  std::uint32_t first_;
};

// Up to four adjustments in their order.
struct DrawnColors {
  std::array<ColorAdjustment, 4> adjustments;
  std::size_t count = 0;

  std::span<const ColorAdjustment> all() const {
    return std::span(adjustments).first(count);
  }
};
DrawnColors DrawColors(const ColorJitter& jitter, const OperationDraws& draws);

double DrawSigma(const GaussianBlur& blur, const OperationDraws& draws);

// From the middle on; the whole kernel's sum is 1. The last ones are left out
// if they are below 2^-30: no sum of bytes has floats fine enough to show them.
std::vector<float> GaussianWeights(std::uint32_t kernel, double sigma);

// None: nothing is erased.
std::optional<Region> DrawErased(const RandomErasing& erasing, PixelSize image,
                                 const OperationDraws& draws);

// May be empty.
Region DrawCutout(const Cutout& cutout, PixelSize image,
                  const OperationDraws& draws);

// The addend of each channel.
std::array<double, 3> DrawLighting(const Lighting& lighting,
                                   const OperationDraws& draws);

// The angle, shear, scale and move for an image of that size.
AffineParameters DrawAffine(const RandomAffine& affine, PixelSize image,
                            const OperationDraws& draws);
AffineParameters DrawRotation(const RandomRotation& rotation,
                              const OperationDraws& draws);

}  // namespace shardine

#endif  // SHARDINE_LOAD_OPERATION_DRAWS_H_
