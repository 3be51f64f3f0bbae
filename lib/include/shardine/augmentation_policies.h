// Operations that choose others for each sample: torchvision's policies,
// with its tables. Draws are as in shardine/pixel_operations.h; pixels are as
// from the operations there and in shardine/affine_operations.h.
#ifndef SHARDINE_AUGMENTATION_POLICIES_H_
#define SHARDINE_AUGMENTATION_POLICIES_H_

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "shardine/affine_operations.h"
#include "shardine/status.h"

namespace shardine {

// The operations of torchvision's _apply_image_or_video_transform, m the
// magnitude.
enum class AugmentationKind : std::uint8_t {
  kIdentity,
  kShearX,      // Affine with shear[0] atan m, around the upper left corner
  kShearY,      // shear[1]
  kTranslateX,  // Affine with translate[0] m, cut to an integer
  kTranslateY,  // translate[1]
  kRotate,      // RandomRotation by m degrees
  kBrightness,  // ColorJitter with the factor 1 + m
  kColor,       // its saturation
  kContrast,
  kSharpness,  // RandomAdjustSharpness with the factor 1 + m
  kPosterize,  // to m bits
  kSolarize,   // with the threshold 255 m
  kAutoContrast,
  kEqualize,
  kInvert,
};

struct Augmentation {
  AugmentationKind kind = AugmentationKind::kIdentity;
  double magnitude = 0;  // 0 where the kind has none
};

// Magnitude number i of n: i / (n - 1) of the way from 0 to the most below; of
// kSolarize from 1 to 0, of kPosterize 8 bits less that, rounded, halves to
// even. In floats: start + i step up to the middle, end - (n - 1 - i) step from
// there, each product and sum rounded; torch's may be an ulp off, by its
// processor. Magnitudes of geometry and color become negative where a sign is
// drawn, if U(t, 2) < 0.5.
//               shear  translate         rotate  color  posterize
//   Trivial...  0.99   32                135     0.99   6
//   others      0.3    150 / 331 (side)  30      0.9    4

// One of the 14 kinds before kInvert, N(1, 0, 14), its magnitude number
// N(1, 1, num_magnitude_bins); the sign by t = 1.
struct TrivialAugmentWide {
  std::uint32_t num_magnitude_bins = 31;  // 2 to 65,535
  Interpolation interpolation = Interpolation::kNearest;
  OutsideColor fill = std::nullopt;
};

// Operation i of num_ops: one of the 14 kinds before kInvert, N(1 + i, 0, 14);
// the sign by t = 1 + i.
struct RandAugment {
  std::uint32_t num_ops = 2;              // 0 to 255
  std::uint32_t magnitude = 9;            // less than num_magnitude_bins
  std::uint32_t num_magnitude_bins = 31;  // 2 to 65,535
  Interpolation interpolation = Interpolation::kNearest;
  OutsideColor fill = std::nullopt;
};

enum class AutoAugmentTable : std::uint8_t { kImagenet, kCifar10, kSvhn };

// Pair N(1, 0, 25) of the table. Its operation i, 0 or 1, is done if
// U(2 + i, 0) < the table's probability; the sign by t = 2 + i; n is 10.
struct AutoAugment {
  AutoAugmentTable policy = AutoAugmentTable::kImagenet;
  Interpolation interpolation = Interpolation::kNearest;
  OutsideColor fill = std::nullopt;
};

using AugmentationPolicy =
    std::variant<TrivialAugmentWide, RandAugment, AutoAugment>;

// A sample in an epoch of a loader with that seed.
struct AugmentedSample {
  std::uint64_t seed = 0;
  std::uint64_t id = 0;
  std::uint64_t epoch = 0;
  std::uint32_t width = 224;  // of the geometry's image
  std::uint32_t height = 224;
  std::uint32_t operation = 0;   // the policy's number among the operations
  std::uint64_t repetition = 0;  // Batch::repetitions
};

// The augmentations of a sample by a policy, in order, without skipped ones.
// kInvalidArgument: a parameter of the policy.
Result<std::vector<Augmentation>> DrawnAugmentations(
    const AugmentationPolicy& policy, const AugmentedSample& sample);

}  // namespace shardine

#endif  // SHARDINE_AUGMENTATION_POLICIES_H_
