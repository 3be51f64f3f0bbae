// One drawn Augmentation: its change to the values of an image, or its movement
// of the pixels.
#ifndef SHARDINE_LOAD_AUGMENTER_H_
#define SHARDINE_LOAD_AUGMENTER_H_

#include <optional>

#include "base/geometry.h"
#include "load/affine_matrix.h"
#include "pixels/neighbor_filters.h"
#include "pixels/pixels.h"
#include "shardine/augmentation_policies.h"

namespace shardine {

// None: the kind is about values.
std::optional<AffineParameters> MovementOf(const Augmentation& augmentation,
                                           PixelSize size);

// Changes nothing where the kind moves pixels.
void AugmentValues(RgbPixels image, const Augmentation& augmentation,
                   NeighborFilters& filters);

}  // namespace shardine

#endif  // SHARDINE_LOAD_AUGMENTER_H_
