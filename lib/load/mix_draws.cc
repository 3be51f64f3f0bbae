#include "load/mix_draws.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "load/portable_angles.h"
#include "load/portable_math.h"

namespace shardine {
namespace {

// After those of all operations that a transform may have.
constexpr std::uint32_t kFirstDraw = (1U << 24) - 256;
// The error of rounding in probabilities that were meant to be 1 together.
constexpr double kSlack = 1e-9;

Status Invalid(std::string why) {
  return Status(Code::kInvalidArgument, "mix: " + std::move(why));
}

Status CheckChoice(const char* name, double alpha, double probability) {
  if (!(alpha >= 0.001 && alpha <= 1000)) {
    return Invalid("alpha of " + std::string(name) + " must be 0.001 to 1000");
  }
  if (!(probability >= 0 && probability <= 1)) {
    return Invalid("probability of " + std::string(name) + " must be 0 to 1");
  }
  return {};
}

const char* NameOf(const MixUp& /*choice*/) { return "MixUp"; }
const char* NameOf(const CutMix& /*choice*/) { return "CutMix"; }

double ProbabilityOf(const MixChoice& choice) {
  return std::visit([](const auto& each) { return each.probability; }, choice);
}

MixFactor FactorOf(const MixUp& choice, const Draw& ratio,
                   const Draw& /*place*/, PixelSize /*image*/) {
  return {.weight = static_cast<float>(DrawBeta(choice.alpha, ratio))};
}

// A side of a box: where it begins and how long it is.
std::pair<std::uint32_t, std::uint32_t> PartOf(std::uint32_t middle,
                                               double half_share,
                                               std::uint32_t side) {
  const auto half = static_cast<std::uint32_t>(half_share * side);
  const std::uint32_t begin = middle - std::min(middle, half);
  return {begin, std::min(middle + half, side) - begin};
}

MixFactor FactorOf(const CutMix& choice, const Draw& ratio, const Draw& place,
                   PixelSize image) {
  // torchvision's is a float, too, from which it continues in doubles.
  const auto drawn = static_cast<float>(DrawBeta(choice.alpha, ratio));
  const double half_share = 0.5 * std::sqrt(1.0 - double{drawn});
  MixFactor factor;
  std::tie(factor.x, factor.width) =
      PartOf(place.Below(0, image.width), half_share, image.width);
  std::tie(factor.y, factor.height) =
      PartOf(place.Below(1, image.height), half_share, image.height);
  const double cut = static_cast<double>(factor.width) * factor.height;
  const double area = static_cast<double>(image.width) * image.height;
  factor.weight = static_cast<float>(1.0 - cut / area);
  if (!factor.is_cut()) factor = {};
  return factor;
}

}  // namespace

Status CheckMixChoices(const MixOptions& mix) {
  double sum = 0;
  for (const MixChoice& choice : mix.choices) {
    Status status = std::visit(
        [](const auto& each) {
          return CheckChoice(NameOf(each), each.alpha, each.probability);
        },
        choice);
    if (!status.ok()) return status;
    sum += ProbabilityOf(choice);
  }
  if (sum <= 1 + kSlack) return {};
  return Invalid("probabilities add up to " + std::to_string(sum) +
                 ", which is more than 1");
}

double DrawBeta(double alpha, const Draw& draw) {
  // The middle of a word's interval: it is never 0, which has no logarithm.
  const double uniform = draw.Uniform(0) + 0x1p-33;
  const double cosine = PortableCos(2 * std::numbers::pi * draw.Uniform(1));
  // Beyond e^700 the result is 0 or 1 anyway.
  const double power = std::min(-PortableLog(uniform) / alpha, 700.0);
  const double square = (PortableExp(power) - 1) * (cosine * cosine);
  const double away = std::sqrt(square / (1 + square)) / 2;
  return cosine < 0 ? 0.5 - away : 0.5 + away;
}

MixFactor DrawMix(const MixOptions& mix, const SampleDraws& draws,
                  PixelSize image) {
  const double chosen = draws(kFirstDraw).Uniform(0);
  double sum = 0;
  for (const MixChoice& choice : mix.choices) {
    sum += ProbabilityOf(choice);
    if (!(chosen < sum)) continue;
    return std::visit(
        [&](const auto& each) {
          return FactorOf(each, draws(kFirstDraw + 1), draws(kFirstDraw + 2),
                          image);
        },
        choice);
  }
  return {};
}

}  // namespace shardine
