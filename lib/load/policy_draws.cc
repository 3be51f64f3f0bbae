#include "load/policy_draws.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

#include "load/auto_augment_tables.h"
#include "load/operation_check.h"

namespace shardine {
namespace {

using Kind = AugmentationKind;

// How many kinds there are before kInvert.
constexpr std::uint32_t kDrawnKinds = 14;
static_assert(static_cast<std::uint32_t>(Kind::kInvert) == kDrawnKinds);

constexpr std::uint32_t kLearnedBins = 10;

// The most of each magnitude.
struct Reach {
  double shear;
  double across;
  double down;
  double rotate;
  double color;
  double posterize;
};

Reach WideReach() { return {0.99, 32, 32, 135, 0.99, 6}; }

Reach ReachOf(PixelSize image) {
  return {
      0.3, 150.0 / 331.0 * image.width, 150.0 / 331.0 * image.height, 30, 0.9,
      4};
}

// Value `number` of torch.linspace(start, end, bins).
double Along(double start, double end, std::uint32_t number,
             std::uint32_t bins) {
  const auto first = static_cast<float>(start);
  const auto last = static_cast<float>(end);
  const float step = (last - first) / static_cast<float>(bins - 1);
  return number < bins / 2
             ? first + step * static_cast<float>(number)
             : last - step * static_cast<float>(bins - 1 - number);
}

double Bits(double most, std::uint32_t number, std::uint32_t bins) {
  const auto step = static_cast<float>((bins - 1) / most);
  // nearbyint rounds by the environment's mode, which no code here changes.
  return std::nearbyint(8.0F - static_cast<float>(number) / step);
}

// Magnitude `number` of `bins`; negative if it can be and is to be.
Augmentation WithMagnitude(Kind kind, const Reach& reach, std::uint32_t number,
                           std::uint32_t bins, bool negative) {
  const auto either_way = [&](double most) {
    const double magnitude = Along(0, most, number, bins);
    return Augmentation{kind, negative ? -magnitude : magnitude};
  };
  switch (kind) {
    case Kind::kShearX:
    case Kind::kShearY:
      return either_way(reach.shear);
    case Kind::kTranslateX:
      return either_way(reach.across);
    case Kind::kTranslateY:
      return either_way(reach.down);
    case Kind::kRotate:
      return either_way(reach.rotate);
    case Kind::kBrightness:
    case Kind::kColor:
    case Kind::kContrast:
    case Kind::kSharpness:
      return either_way(reach.color);
    case Kind::kPosterize:
      return {kind, Bits(reach.posterize, number, bins)};
    case Kind::kSolarize:
      return {kind, Along(1, 0, number, bins)};
    case Kind::kIdentity:
    case Kind::kAutoContrast:
    case Kind::kEqualize:
    case Kind::kInvert:
      break;
  }
  return {kind, 0};
}

Kind DrawKind(const Draw& draw) {
  return static_cast<Kind>(draw.Below(0, kDrawnKinds));
}

bool DrawSign(const Draw& draw) { return draw.Uniform(2) < 0.5; }

}  // namespace

std::vector<Augmentation> DrawAugmentations(const TrivialAugmentWide& policy,
                                            PixelSize /*image*/,
                                            const OperationDraws& draws) {
  const Draw draw = draws(1);
  const std::uint32_t bins = policy.num_magnitude_bins;
  return {WithMagnitude(DrawKind(draw), WideReach(), draw.Below(1, bins), bins,
                        DrawSign(draw))};
}

std::vector<Augmentation> DrawAugmentations(const RandAugment& policy,
                                            PixelSize image,
                                            const OperationDraws& draws) {
  std::vector<Augmentation> drawn;
  for (std::uint32_t i = 0; i < policy.num_ops; ++i) {
    const Draw draw = draws(1 + i);
    drawn.push_back(WithMagnitude(DrawKind(draw), ReachOf(image),
                                  policy.magnitude, policy.num_magnitude_bins,
                                  DrawSign(draw)));
  }
  return drawn;
}

std::vector<Augmentation> DrawAugmentations(const AutoAugment& policy,
                                            PixelSize image,
                                            const OperationDraws& draws) {
  const auto pairs = PairsOf(policy.policy);
  const auto count = static_cast<std::uint32_t>(pairs.size());
  std::vector<Augmentation> drawn;
  std::uint32_t number = 2;
  for (const auto& [kind, probability, magnitude] :
       pairs[draws(1).Below(0, count)]) {
    const Draw draw = draws(number++);
    if (!(draw.Uniform(0) < probability)) continue;
    drawn.push_back(WithMagnitude(kind, ReachOf(image), magnitude, kLearnedBins,
                                  DrawSign(draw)));
  }
  return drawn;
}

Result<std::vector<Augmentation>> DrawnAugmentations(
    const AugmentationPolicy& policy, const AugmentedSample& sample) {
  Status status =
      std::visit([](const auto& each) { return CheckOperation(each); }, policy);
  if (!status.ok()) return status;
  const SampleDraws draws(sample.seed, sample.id, sample.epoch, 0,
                          sample.repetition);
  const OperationDraws own(draws, sample.operation);
  const PixelSize image{sample.width, sample.height};
  return std::visit(
      [&](const auto& each) { return DrawAugmentations(each, image, own); },
      policy);
}

}  // namespace shardine
