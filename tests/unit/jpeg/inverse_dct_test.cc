#include "jpeg/inverse_dct.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "support/jpeg_coefficients.h"
#include "support/jpeg_maker.h"
#include "support/simd_levels.h"

namespace shardine::inverse_dct_test {
namespace {

constexpr std::uint8_t kUntouched = 0xA5;

// InverseDct of a plane: rows of blocks_across * 8 samples.
std::vector<std::uint8_t> Samples(SimdLevel level,
                                  const CoefficientPlane& plane) {
  const bool natural = CoefficientOrderAt(level) == CoefficientOrder::kNatural;
  std::array<std::uint16_t, kBlockSize> zigzag_steps;
  for (std::size_t k = 0; k < kBlockSize; ++k) {
    zigzag_steps[k] = plane.steps[kNaturalOrder[k]];
  }
  const DctSteps steps = StepsAt(level, zigzag_steps);
  const std::size_t stride = std::size_t{plane.blocks_across} * kBlockSide;
  std::vector<std::uint8_t> samples(stride * plane.blocks_down * kBlockSide);
  AlignedCoefficients coefficients(plane.blocks.size());
  std::vector<DctBlock> blocks;
  for (std::size_t i = 0; i < plane.blocks.size(); ++i) {
    for (std::size_t k = 0; k < kBlockSize; ++k) {
      const std::size_t n = kNaturalOrder[k];
      coefficients[i].values[natural ? n : k] = plane.blocks[i][n];
    }
    coefficients[i].values[0] = 12345;  // is not used
    const std::size_t x = i % plane.blocks_across * kBlockSide;
    const std::size_t y = i / plane.blocks_across * kBlockSide;
    blocks.push_back({coefficients[i].values.data(), &steps,
                      samples.data() + y * stride + x,
                      static_cast<std::uint32_t>(stride), plane.blocks[i][0]});
  }
  InverseDct(level, blocks);
  return samples;
}

// The pixels of a gray JPEG are its samples.
void CheckGray(const std::string& jpeg) {
  const CoefficientPlanes planes = ReadCoefficients(jpeg);
  REQUIRE(planes.size() == 1);
  const DecodedJpeg expected = DecodeByLibjpeg(jpeg);
  const std::size_t stride = std::size_t{planes[0].blocks_across} * kBlockSide;
  for (const SimdLevel level : SimdLevels()) {
    const std::vector<std::uint8_t> samples = Samples(level, planes[0]);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < expected.pixels.size(); ++i) {
      const std::size_t at = i / expected.width * stride + i % expected.width;
      if (samples[at] != expected.pixels[i]) ++differ;
    }
    INFO(ToString(level));
    CHECK(differ == 0);
  }
}

JpegSpec GraySpec(std::uint32_t width, std::uint32_t height) {
  JpegSpec spec;
  spec.color = JpegColor::kGray;
  spec.width = width;
  spec.height = height;
  return spec;
}

using Random = std::mt19937;

std::uint32_t Below(Random& random, std::uint32_t end) {
  return static_cast<std::uint32_t>(random() % end);
}

std::int16_t Value(Random& random, int limit) {
  const auto span = static_cast<std::uint32_t>(2 * limit + 1);
  return static_cast<std::int16_t>(static_cast<int>(Below(random, span)) -
                                   limit);
}

// Places of a block that values go to.
enum class Places { kAny, kFirstRow, kFirstColumn, kDc, kUpperLeft };

std::size_t Place(Random& random, Places places) {
  switch (places) {
    case Places::kAny:
      return Below(random, kBlockSize);
    case Places::kFirstRow:
      return Below(random, kBlockSide);
    case Places::kFirstColumn:
      return Below(random, kBlockSide) * kBlockSide;
    case Places::kUpperLeft:
      return Below(random, 4) * kBlockSide + Below(random, 4);
    case Places::kDc:
      break;
  }
  return 0;
}

void FillBlocks(Random& random, int limit, CoefficientPlane& plane) {
  for (auto& block : plane.blocks) {
    block.fill(0);
    const auto places = static_cast<Places>(Below(random, 5));
    const std::size_t count = Below(random, 65);
    const bool largest = Below(random, 3) == 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = Place(random, places);
      block[place] = Value(random, limit);
      if (largest) {
        block[place] =
            static_cast<std::int16_t>(Below(random, 2) ? limit : -limit);
      }
    }
    block[0] = Value(random, limit);
  }
}

// Coefficients of all sizes, times steps below `steps`.
void CheckRandomPlanes(std::uint32_t seed, int limit, std::uint32_t steps) {
  Random random(seed);
  const std::string picture = MakeJpeg(GraySpec(1 + Below(random, 200), 64));
  CoefficientPlanes planes = ReadCoefficients(picture);
  for (auto& step : planes[0].steps) {
    step = static_cast<std::uint16_t>(1 + Below(random, steps));
    // Products that are zero, though the coefficient is not.
    if (steps > 32768 && Below(random, 4) == 0) step = 32768;
  }
  FillBlocks(random, limit, planes[0]);
  CheckGray(ReplaceCoefficients(picture, planes));
}

TEST_CASE("pictures of all qualities have libjpeg's samples", "[inverse_dct]") {
  for (int quality = 1; quality <= 100; quality += 3) {
    JpegSpec spec = GraySpec(67, 41);
    spec.quality = quality;
    spec.seed = static_cast<std::uint32_t>(quality);
    spec.noise = static_cast<std::uint32_t>(quality * 37 % 256);
    CheckGray(MakeJpeg(spec));
  }
}

TEST_CASE("planes of any number of blocks are made whole", "[inverse_dct]") {
  for (std::uint32_t width = 1; width < 600; width += 7 + width / 8) {
    CheckGray(MakeJpeg(GraySpec(width, 9)));
  }
}

TEST_CASE(
    "coefficients as of photos, wherever they stand, have libjpeg's "
    "samples",
    "[inverse_dct]") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CheckRandomPlanes(seed, 40, 30);
  }
}

TEST_CASE("coefficients at the limits of the format have libjpeg's samples",
          "[inverse_dct]") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    CheckRandomPlanes(seed, 1023, 1 + seed % 255);
  }
}

TEST_CASE("products beyond 16 bits wrap as libjpeg's do", "[inverse_dct]") {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    CheckRandomPlanes(seed, 1023, 65535);
    CheckRandomPlanes(seed, 20, 65535);
    CheckRandomPlanes(seed, 1, 65535);
  }
}

TEST_CASE("nothing beside the blocks is written", "[inverse_dct]") {
  for (const SimdLevel level : SimdLevels()) {
    std::array<std::uint16_t, kBlockSize> ones;
    ones.fill(1);
    const DctSteps steps = StepsAt(level, ones);
    AlignedCoefficients coefficients(5);
    constexpr std::size_t kStride = 101;
    std::vector<std::uint8_t> samples(kStride * 8 + 64, kUntouched);
    std::vector<DctBlock> blocks;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      for (std::size_t k = 0; k < kBlockSize; ++k) {
        coefficients[i].values[k] = static_cast<std::int16_t>(i * k % 7);
      }
      blocks.push_back({coefficients[i].values.data(), &steps,
                        samples.data() + 3 + i * 17, kStride, 0});
    }
    InverseDct(level, blocks);
    INFO(ToString(level));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::size_t x = i % kStride;
      const bool inside = i < kStride * 8 && x >= 3 && (x - 3) % 17 < 8 &&
                          (x - 3) / 17 < coefficients.size();
      if (!inside) REQUIRE(samples[i] == kUntouched);
      if (inside) REQUIRE(samples[i] != kUntouched);
    }
  }
}

}  // namespace
}  // namespace shardine::inverse_dct_test
