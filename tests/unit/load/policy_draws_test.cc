#include "load/policy_draws.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "load/auto_augment_tables.h"

namespace shardine::policy_draws_test {
namespace {

using Kind = AugmentationKind;

constexpr std::uint64_t kSamples = 80'000;
constexpr PixelSize kImage = {331, 662};

// Five deviations of a share of the samples.
bool Even(std::uint64_t count, double share) {
  const double n = static_cast<double>(kSamples) * share;
  return std::abs(static_cast<double>(count) - n) <
         5 * std::sqrt(n * (1 - share));
}

template <typename Policy, typename F>
void ForSamples(const Policy& policy, F use) {
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    const SampleDraws draws(7, id, 3);
    use(DrawAugmentations(policy, kImage, OperationDraws(draws, 2)));
  }
}

TEST_CASE("TrivialAugmentWide's kinds, magnitudes and signs are even",
          "[policy_draws]") {
  std::map<Kind, std::uint64_t> kinds;
  std::map<double, std::uint64_t> angles;
  ForSamples(TrivialAugmentWide{}, [&](const std::vector<Augmentation>& drawn) {
    REQUIRE(drawn.size() == 1);
    ++kinds[drawn[0].kind];
    if (drawn[0].kind == Kind::kRotate) ++angles[drawn[0].magnitude];
  });
  REQUIRE(kinds.size() == 14);
  for (const auto& [kind, count] : kinds) CHECK(Even(count, 1.0 / 14));
  REQUIRE(angles.size() == 61);  // 0 and -0 are one
  for (const auto& [angle, count] : angles) {
    CHECK(std::abs(angle / 4.5 - std::round(angle / 4.5)) < 1e-5);
    CHECK(Even(count, (angle == 0 ? 2.0 : 1.0) / (14 * 62)));
  }
}

TEST_CASE("RandAugment's operations know nothing of each other",
          "[policy_draws]") {
  std::map<std::array<Kind, 2>, std::uint64_t> pairs;
  std::map<std::array<bool, 2>, std::uint64_t> signs;
  std::uint64_t signed_pairs = 0;
  ForSamples(RandAugment{.magnitude = 30},
             [&](const std::vector<Augmentation>& drawn) {
               REQUIRE(drawn.size() == 2);
               ++pairs[{drawn[0].kind, drawn[1].kind}];
               const auto is_signed = [](const Augmentation& each) {
                 return each.kind >= Kind::kShearX &&
                        each.kind <= Kind::kSharpness;
               };
               if (!is_signed(drawn[0]) || !is_signed(drawn[1])) return;
               ++signed_pairs;
               ++signs[{drawn[0].magnitude < 0, drawn[1].magnitude < 0}];
             });
  REQUIRE(pairs.size() == 14 * 14);
  for (const auto& [pair, count] : pairs) CHECK(Even(count, 1.0 / (14 * 14)));
  CHECK(Even(signed_pairs, 81.0 / (14 * 14)));
  REQUIRE(signs.size() == 4);
  for (const auto& [sign, count] : signs) {
    CHECK(Even(count, 81.0 / (14 * 14) / 4));
  }
}

TEST_CASE("Magnitudes end where torchvision's tables do", "[policy_draws]") {
  std::map<Kind, double> most;
  ForSamples(RandAugment{.magnitude = 30},
             [&](const std::vector<Augmentation>& drawn) {
               for (const auto& [kind, magnitude] : drawn) {
                 most[kind] = std::abs(magnitude);
               }
             });
  CHECK(most[Kind::kShearX] == 0.3F);
  CHECK(most[Kind::kTranslateX] == 150);
  CHECK(most[Kind::kTranslateY] == 300);
  CHECK(most[Kind::kRotate] == 30);
  CHECK(most[Kind::kSharpness] == 0.9F);
  CHECK(most[Kind::kPosterize] == 4);
  CHECK(most[Kind::kSolarize] == 0);
  CHECK(most[Kind::kEqualize] == 0);
}

TEST_CASE("TrivialAugmentWide's middle translation is 16 pixels, not 15",
          "[policy_draws]") {
  bool found = false;
  ForSamples(TrivialAugmentWide{}, [&](const std::vector<Augmentation>& drawn) {
    if (drawn[0].kind == Kind::kTranslateX) found |= drawn[0].magnitude == 16;
  });
  CHECK(found);
}

TEST_CASE("AutoAugment takes each pair as often, each half as it was learned",
          "[policy_draws]") {
  std::uint64_t halves = 0;
  ForSamples(
      AutoAugment{.policy = AutoAugmentTable::kSvhn},
      [&](const std::vector<Augmentation>& drawn) { halves += drawn.size(); });
  double expected = 0;
  for (const LearnedPair& pair : PairsOf(AutoAugmentTable::kSvhn)) {
    expected += (pair[0].probability + pair[1].probability) / 25;
  }
  CHECK(static_cast<double>(halves) / kSamples ==
        Approx(expected).epsilon(0.01));
  for (const auto table :
       {AutoAugmentTable::kImagenet, AutoAugmentTable::kCifar10,
        AutoAugmentTable::kSvhn}) {
    CHECK(PairsOf(table).size() == 25);
  }
}

TEST_CASE("DrawnAugmentations are those of the operation's draws",
          "[policy_draws]") {
  const auto drawn = DrawnAugmentations(
      RandAugment{},
      {.seed = 7, .id = 5, .epoch = 3, .operation = 2, .repetition = 9});
  REQUIRE(drawn.ok());
  const SampleDraws draws(7, 5, 3, 0, 9);
  const auto same =
      DrawAugmentations(RandAugment{}, {224, 224}, OperationDraws(draws, 2));
  REQUIRE(drawn->size() == same.size());
  for (std::size_t i = 0; i < same.size(); ++i) {
    CHECK((*drawn)[i].kind == same[i].kind);
    CHECK((*drawn)[i].magnitude == same[i].magnitude);
  }
  CHECK(
      DrawnAugmentations(TrivialAugmentWide{.num_magnitude_bins = 1}, {})
          .status()
          .message() ==
      "transform: num_magnitude_bins of TrivialAugmentWide must be 2 to 65535");
  CHECK_FALSE(DrawnAugmentations(RandAugment{.magnitude = 31}, {}).ok());
  CHECK_FALSE(DrawnAugmentations(RandAugment{.num_ops = 256}, {}).ok());
  CHECK(DrawnAugmentations(RandAugment{.num_ops = 255}, {})->size() == 255);
}

}  // namespace
}  // namespace shardine::policy_draws_test
