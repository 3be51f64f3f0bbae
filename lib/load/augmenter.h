// Augmenter: one drawn Augmentation after the other on an image.
#ifndef SHARDINE_LOAD_AUGMENTER_H_
#define SHARDINE_LOAD_AUGMENTER_H_

#include "pixels/affine_sampler.h"
#include "pixels/neighbor_filters.h"
#include "pixels/pixels.h"
#include "shardine/augmentation_policies.h"

namespace shardine {

// The filters and the sampler must outlive it.
class Augmenter {
 public:
  Augmenter(RgbPixels image, NeighborFilters& filters, AffineSampler& sampler,
            Interpolation interpolation, const OutsideColor& fill)
      : image_(image),
        filters_(filters),
        sampler_(sampler),
        interpolation_(interpolation),
        fill_(fill) {}

  void operator()(const Augmentation& augmentation) const;

 private:
  // False: it is about values.
  bool Move(const Augmentation& augmentation) const;

  RgbPixels image_;
  NeighborFilters& filters_;
  AffineSampler& sampler_;
  Interpolation interpolation_;
  OutsideColor fill_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_AUGMENTER_H_
