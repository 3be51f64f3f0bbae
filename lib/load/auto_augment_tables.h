// The tables of AutoAugment (Cubuk et al. 2019), as torchvision's
// transforms/v2/_auto_augment.py has them.
#ifndef SHARDINE_LOAD_AUTO_AUGMENT_TABLES_H_
#define SHARDINE_LOAD_AUTO_AUGMENT_TABLES_H_

#include <array>
#include <cstdint>
#include <span>

#include "shardine/augmentation_policies.h"

namespace shardine {

struct LearnedAugmentation {
  AugmentationKind kind;
  double probability;
  std::uint32_t magnitude;  // its number of 10; 0 where the kind has none
};

// One after the other.
using LearnedPair = std::array<LearnedAugmentation, 2>;

// 25 of them.
std::span<const LearnedPair> PairsOf(AutoAugmentTable table);

}  // namespace shardine

#endif  // SHARDINE_LOAD_AUTO_AUGMENT_TABLES_H_
