#include "load/record_draws.h"

#include <utility>

#include "load/portable_math.h"

namespace shardine {
namespace {

constexpr DrawnRange kUnchanged = {1, 1};

std::int32_t DrawShift(const WholeRange& range, float first, float second) {
  // Two uniform numbers of unequal weight, so that extremes are rare.
  const float uniform = (first + 4 * second) / 5;
  return static_cast<std::int32_t>(FloatBetween(
      {static_cast<double>(range[0]), static_cast<double>(range[1])}, uniform));
}

}  // namespace

float FloatBetween(const DrawnRange& range, float uniform) {
  const auto low = static_cast<float>(range[0]);
  const auto high = static_cast<float>(range[1]);
  return uniform * (high - low) + low;
}

RecordColors DrawRecordColors(const ImageRecordJitter& jitter,
                              const OperationDraws& draws) {
  using Kind = RecordColor::Kind;
  const std::array<std::pair<Kind, const DrawnRange*>, 3> choices = {
      std::pair(Kind::kBrightness, &jitter.brightness),
      {Kind::kContrast, &jitter.contrast},
      {Kind::kSaturation, &jitter.saturation}};
  std::array<std::size_t, 3> order = {0, 1, 2};
  const Draw shuffle = draws(2);
  for (std::uint32_t i = 2; i > 0; --i) {
    std::swap(order[i], order[shuffle.Below(2 - i, i + 1)]);
  }
  const Draw factors = draws(1);
  RecordColors drawn;
  for (const std::size_t at : order) {
    const auto& [kind, range] = choices[at];
    if (*range == kUnchanged) continue;
    drawn.colors[drawn.count++] = {
        kind, FloatBetween(*range, DrawFloat(factors, at))};
  }
  return drawn;
}

HlsShift DrawHls(const RandomHls& hls, const OperationDraws& draws) {
  const Draw first = draws(1);
  const Draw second = draws(2);
  const auto shift = [&](const WholeRange& range, std::size_t word) {
    return DrawShift(range, DrawFloat(first, word), DrawFloat(second, word));
  };
  return {.h = shift(hls.h, 0), .l = shift(hls.l, 2), .s = shift(hls.s, 1)};
}

std::array<float, 3> DrawPcaNoise(const PcaNoise& noise,
                                  const OperationDraws& draws) {
  constexpr float kVectors[3][3] = {
      {55.46f * -0.5675f, 4.794f * 0.7192f, 1.148f * 0.4009f},
      {55.46f * -0.5808f, 4.794f * -0.0045f, 1.148f * -0.8140f},
      {55.46f * -0.5836f, 4.794f * -0.6948f, 1.148f * 0.4203f}};
  const Draw draw = draws(1);
  std::array<float, 3> along{};
  for (std::size_t i = 0; i < 3; ++i) {
    along[i] = static_cast<float>(
        noise.deviation *
        PortableNormalQuantile(draw.Uniform(i) + 0.5 * 0x1p-32));
  }
  std::array<float, 3> color{};
  for (std::size_t c = 0; c < 3; ++c) {
    const float* const vector = kVectors[c];
    color[c] =
        vector[0] * along[0] + vector[1] * along[1] + vector[2] * along[2];
  }
  return color;
}

RecordScale DrawRecordScale(const ImageRecordNormalize& normalize,
                            const OperationDraws& draws) {
  const Draw draw = draws(1);
  const auto around = [&](std::size_t word, float most) {
    return DrawFloat(draw, word) * most * 2 - most;
  };
  RecordScale scale;
  scale.contrast = (around(0, normalize.max_contrast) + 1) * normalize.scale;
  scale.illumination = around(1, normalize.max_illumination) * normalize.scale;
  return scale;
}

}  // namespace shardine
