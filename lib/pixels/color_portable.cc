// Plain loops over blocks, which the compiler makes vectors of where it can.
#include <algorithm>

#include "pixels/color_kernels.h"

namespace shardine {
namespace {

// Pixels at a time: their floats stay in the first cache.
constexpr std::size_t kBlock = 128;

struct Block {
  float r[kBlock];
  float g[kBlock];
  float b[kBlock];
};

// The byte that `value` becomes, as a float.
float Whole(float value) { return static_cast<float>(static_cast<int>(value)); }

float Clamped(float value) {
  const float low = value < 0.0F ? 0.0F : value;
  return Whole(low > 255.0F ? 255.0F : low);
}

float GrayOf(float r, float g, float b) {
  return Whole((r * 0.2989F + g * 0.587F) + b * 0.114F);
}

void Scale(float factor, float rest, float* values) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    values[i] = Clamped(values[i] * factor + rest);
  }
}

void Look(const ByteTable& table, float* values) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    values[i] = table[static_cast<std::uint8_t>(values[i])];
  }
}

void Saturate(float factor, float rest, Block& block) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    const float gray = GrayOf(block.r[i], block.g[i], block.b[i]) * rest;
    block.r[i] = Clamped(block.r[i] * factor + gray);
    block.g[i] = Clamped(block.g[i] * factor + gray);
    block.b[i] = Clamped(block.b[i] * factor + gray);
  }
}

float Below(float most, float range, float share) {
  const float positive = share < 0.0F ? 0.0F : share;
  const float least = positive > 1.0F ? 1.0F : positive;
  return Whole((most - range * least) * (255.999F / 255.0F));
}

void Turn(float by, Block& block) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    const float r = block.r[i];
    const float g = block.g[i];
    const float b = block.b[i];
    const float upper = r > g ? r : g;
    const float lower = r < g ? r : g;
    const float most = upper > b ? upper : b;
    const float range = most - (lower < b ? lower : b);
    const float above = most == r ? g - b : most == g ? b - r : r - g;
    const float base = most == r ? 0.0F : most == g ? 2.0F : 4.0F;
    const float hue = (base + above / (range == 0.0F ? 1.0F : range)) + by;
    const float positive = hue < 0.0F ? hue + 6.0F : hue;
    const float turn = positive >= 6.0F ? positive - 6.0F : positive;
    // The shares of the header, for all channels: 0 is the greatest value, 1
    // the least, a share between is the third one's.
    block.r[i] = Below(most, range, std::min(turn - 1.0F, 5.0F - turn));
    block.g[i] = Below(most, range, std::max(1.0F - turn, turn - 3.0F));
    block.b[i] = Below(most, range, std::max(3.0F - turn, turn - 5.0F));
  }
}

void MakeGray(Block& block) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    const float gray = GrayOf(block.r[i], block.g[i], block.b[i]);
    block.r[i] = gray;
    block.g[i] = gray;
    block.b[i] = gray;
  }
}

void Apply(const ColorStep& step, Block& block) {
  switch (step.kind) {
    case ColorStep::Kind::kScale:
      Scale(step.factor, step.rest, block.r);
      Scale(step.factor, step.rest, block.g);
      return Scale(step.factor, step.rest, block.b);
    case ColorStep::Kind::kLook:
      Look(*step.table, block.r);
      Look(*step.table, block.g);
      return Look(*step.table, block.b);
    case ColorStep::Kind::kSaturate:
      return Saturate(step.factor, step.rest, block);
    case ColorStep::Kind::kTurn:
      return Turn(step.factor, block);
    case ColorStep::Kind::kGray:
      return MakeGray(block);
  }
}

std::uint64_t SumOf(const Block& block, std::size_t count) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum +=
        static_cast<std::int32_t>(GrayOf(block.r[i], block.g[i], block.b[i]));
  }
  return static_cast<std::uint64_t>(sum);
}

void TakeApart(const std::uint8_t* rgb, std::size_t count, Block& block) {
  for (std::size_t i = 0; i < count; ++i) {
    block.r[i] = rgb[3 * i];
    block.g[i] = rgb[3 * i + 1];
    block.b[i] = rgb[3 * i + 2];
  }
}

void PutTogether(const Block& block, std::size_t count, std::uint8_t* rgb) {
  for (std::size_t i = 0; i < count; ++i) {
    rgb[3 * i] = static_cast<std::uint8_t>(static_cast<int>(block.r[i]));
    rgb[3 * i + 1] = static_cast<std::uint8_t>(static_cast<int>(block.g[i]));
    rgb[3 * i + 2] = static_cast<std::uint8_t>(static_cast<int>(block.b[i]));
  }
}

std::uint64_t Adjust(std::uint8_t* rgb, std::size_t count,
                     std::span<const ColorStep> steps, bool sums) {
  std::uint64_t sum = 0;
  Block block = {};
  for (std::size_t i = 0; i < count; i += kBlock) {
    const std::size_t here = std::min(kBlock, count - i);
    TakeApart(rgb + 3 * i, here, block);
    for (const ColorStep& step : steps) Apply(step, block);
    if (!steps.empty()) PutTogether(block, here, rgb + 3 * i);
    if (sums) sum += SumOf(block, here);
  }
  return sum;
}

}  // namespace

ColorKernel PortableColorKernel() { return Adjust; }

}  // namespace shardine
