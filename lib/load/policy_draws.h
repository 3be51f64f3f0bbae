// An augmentation policy's steps for one sample: the draws that
// shardine/augmentation_policies.h describes.
#ifndef SHARDINE_LOAD_POLICY_DRAWS_H_
#define SHARDINE_LOAD_POLICY_DRAWS_H_

#include <vector>

#include "base/geometry.h"
#include "load/operation_draws.h"
#include "shardine/augmentation_policies.h"

namespace shardine {

// REQUIRES: CheckOperation of them is ok.
std::vector<Augmentation> DrawAugmentations(const TrivialAugmentWide& policy,
                                            PixelSize image,
                                            const OperationDraws& draws);
std::vector<Augmentation> DrawAugmentations(const RandAugment& policy,
                                            PixelSize image,
                                            const OperationDraws& draws);
std::vector<Augmentation> DrawAugmentations(const AutoAugment& policy,
                                            PixelSize image,
                                            const OperationDraws& draws);

}  // namespace shardine

#endif  // SHARDINE_LOAD_POLICY_DRAWS_H_
