#include "load/operation_draws.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "load/portable_math.h"

namespace shardine {
namespace {

constexpr std::uint32_t kErasingTries = 10;  // torchvision's, of RandomErasing

// Principal components of RGB, in 0 to 1, from fb.resnet.torch's
// datasets/imagenet.lua.
constexpr std::array<double, 3> kPrincipalValues = {0.2175, 0.0188, 0.0045};
constexpr double kPrincipalVectors[3][3] = {{-0.5675, 0.7192, 0.4009},
                                            {-0.5808, -0.0045, -0.8140},
                                            {-0.5836, -0.6948, 0.4203}};

double Between(const DrawnRange& range, double uniform) {
  return range[0] + uniform * (range[1] - range[0]);
}

// Whole pixels to either side.
double DrawTranslation(double share, std::uint32_t side, double uniform) {
  const double away = (2 * uniform - 1) * (share * side);
  const auto pixels = static_cast<double>(RoundHalfEven(std::abs(away)));
  return away < 0 ? -pixels : pixels;
}

}  // namespace

DrawnColors DrawColors(const ColorJitter& jitter, const OperationDraws& draws) {
  using Kind = ColorAdjustment::Kind;
  struct Choice {
    Kind kind;
    const DrawnRange& range;
    double nothing;  // the factor that changes no pixel
  };
  const std::array<Choice, 4> choices = {
      Choice{Kind::kBrightness, jitter.brightness, 1},
      {Kind::kContrast, jitter.contrast, 1},
      {Kind::kSaturation, jitter.saturation, 1},
      {Kind::kHue, jitter.hue, 0}};
  std::array<std::size_t, 4> order = {0, 1, 2, 3};
  const Draw shuffle = draws(2);
  for (std::uint32_t i = 3; i > 0; --i) {
    std::swap(order[i], order[shuffle.Below(3 - i, i + 1)]);
  }
  const Draw factors = draws(1);
  DrawnColors drawn;
  for (const std::size_t at : order) {
    const auto& [kind, range, nothing] = choices[at];
    if (range[0] == nothing && range[1] == nothing) continue;
    drawn.adjustments[drawn.count++] = {kind,
                                        Between(range, factors.Uniform(at))};
  }
  return drawn;
}

double DrawSigma(const GaussianBlur& blur, const OperationDraws& draws) {
  return Between(blur.sigma, draws(0).Uniform(1));
}

std::vector<float> GaussianWeights(std::uint32_t kernel, double sigma) {
  std::vector<double> exact(kernel / 2 + 1);
  double sum = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double away = static_cast<double>(i) / sigma;
    // Below e^-700 a weight is nothing beside the middle's.
    exact[i] = PortableExp(std::max(-away * away / 2, -700.0));
    sum += i == 0 ? exact[i] : 2 * exact[i];
  }
  constexpr double kUnseen = 0x1p-30;
  while (exact.back() < kUnseen * sum) exact.pop_back();
  std::vector<float> weights;
  weights.reserve(exact.size());
  for (const double weight : exact) {
    weights.push_back(static_cast<float>(weight / sum));
  }
  return weights;
}

std::optional<Region> DrawErased(const RandomErasing& erasing, PixelSize image,
                                 const OperationDraws& draws) {
  const double area = static_cast<double>(image.width) * image.height;
  const DrawnRange logarithms = {PortableLog(erasing.ratio[0]),
                                 PortableLog(erasing.ratio[1])};
  for (std::uint32_t i = 0; i < kErasingTries; ++i) {
    const Draw draw = draws(1 + i);
    const double box = area * Between(erasing.scale, draw.Uniform(0));
    const double ratio = PortableExp(Between(logarithms, draw.Uniform(1)));
    const std::int64_t height = RoundHalfEven(std::sqrt(box * ratio));
    const std::int64_t width = RoundHalfEven(std::sqrt(box / ratio));
    if (height >= image.height || width >= image.width) continue;
    Region region{0, 0, static_cast<std::uint32_t>(width),
                  static_cast<std::uint32_t>(height)};
    region.y = draw.Below(2, image.height - region.height + 1);
    region.x = draw.Below(3, image.width - region.width + 1);
    return region;
  }
  return std::nullopt;
}

Region DrawCutout(const Cutout& cutout, PixelSize image,
                  const OperationDraws& draws) {
  const Draw draw = draws(1);
  const std::uint32_t half = cutout.side / 2;
  const auto part = [half](std::uint32_t middle, std::uint32_t side) {
    const std::uint32_t begin = middle - std::min(middle, half);
    return std::pair(begin, std::min(middle + half, side) - begin);
  };
  const auto [x, width] = part(draw.Below(0, image.width), image.width);
  const auto [y, height] = part(draw.Below(1, image.height), image.height);
  return {x, y, width, height};
}

std::array<double, 3> DrawLighting(const Lighting& lighting,
                                   const OperationDraws& draws) {
  const Draw draw = draws(1);
  std::array<double, 3> color = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const double normal =
        PortableNormalQuantile(draw.Uniform(i) + 0.5 * 0x1p-32);
    const double along = lighting.deviation * normal * kPrincipalValues[i];
    for (std::size_t c = 0; c < 3; ++c) {
      color[c] += 255 * (kPrincipalVectors[c][i] * along);
    }
  }
  return color;
}

AffineParameters DrawAffine(const RandomAffine& affine, PixelSize image,
                            const OperationDraws& draws) {
  const Draw first = draws(1);
  const Draw shears = draws(2);
  return {.angle = Between(affine.degrees, first.Uniform(0)),
          .translation = {DrawTranslation(affine.translate[0], image.width,
                                          first.Uniform(1)),
                          DrawTranslation(affine.translate[1], image.height,
                                          first.Uniform(2))},
          .scale = Between(affine.scale, first.Uniform(3)),
          .shear = {Between(affine.shear_x, shears.Uniform(0)),
                    Between(affine.shear_y, shears.Uniform(1))}};
}

AffineParameters DrawRotation(const RandomRotation& rotation,
                              const OperationDraws& draws) {
  return {.angle = -Between(rotation.degrees, draws(1).Uniform(0))};
}

}  // namespace shardine
