#include "pixels/neighbor_filters.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "unit/pixels/drawn_pixels.h"

namespace shardine::neighbor_filters_test {
namespace {

TEST_CASE("Sharpen moves inner pixels from their neighbours' rounded mean",
          "[neighbor_filters]") {
  for (const double factor : {0.0, 0.5, 1.0, 1.75, 2.0, 9.0}) {
    const DrawnPixels before({31, 9});
    DrawnPixels image = before;
    NeighborFilters().Sharpen(image.view(), factor);
    for (std::uint32_t y = 0; y < 9; ++y) {
      for (std::uint32_t x = 0; x < 31; ++x) {
        for (std::size_t c = 0; c < 3; ++c) {
          const int value = before.at(x, y, c);
          if (x == 0 || y == 0 || x == 30 || y == 8) {
            REQUIRE(image.at(x, y, c) == value);
            continue;
          }
          int sum = 4 * value;
          for (std::uint32_t v = y - 1; v <= y + 1; ++v) {
            for (std::uint32_t u = x - 1; u <= x + 1; ++u) {
              sum += before.at(u, v, c);
            }
          }
          const double soft = std::nearbyint(sum / 13.0);
          // These factors' products have no rounding.
          const double sharp = value + (1 - factor) * (soft - value);
          REQUIRE(image.at(x, y, c) ==
                  static_cast<int>(std::clamp(sharp, 0.0, 255.0)));
        }
      }
    }
  }
}

TEST_CASE("Sharpen leaves images that have no inner pixels",
          "[neighbor_filters]") {
  for (const PixelSize size :
       {PixelSize{2, 9}, PixelSize{9, 2}, PixelSize{1, 1}}) {
    const DrawnPixels before(size);
    DrawnPixels image = before;
    NeighborFilters().Sharpen(image.view(), 5);
    CHECK(image == before);
  }
}

// Reflects a place beyond the border, one step after the other.
std::int64_t Reflected(std::int64_t place, std::int64_t side) {
  if (side == 1) return 0;
  while (place < 0 || place >= side) {
    place = place < 0 ? -place : 2 * (side - 1) - place;
  }
  return place;
}

void CheckBlur(PixelSize size, const std::vector<float>& across,
               const std::vector<float>& down) {
  const DrawnPixels before(size);
  DrawnPixels image = before;
  NeighborFilters().Blur(image.view(), across, down);
  const auto reach = [](const std::vector<float>& weights) {
    return static_cast<std::int64_t>(weights.size()) - 1;
  };
  for (std::int64_t y = 0; y < size.height; ++y) {
    for (std::int64_t x = 0; x < size.width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (std::int64_t v = -reach(down); v <= reach(down); ++v) {
          for (std::int64_t u = -reach(across); u <= reach(across); ++u) {
            sum +=
                static_cast<double>(
                    down[static_cast<std::size_t>(std::abs(v))]) *
                across[static_cast<std::size_t>(std::abs(u))] *
                before.at(
                    static_cast<std::uint32_t>(Reflected(x + u, size.width)),
                    static_cast<std::uint32_t>(Reflected(y + v, size.height)),
                    c);
          }
        }
        const int value = image.at(static_cast<std::uint32_t>(x),
                                   static_cast<std::uint32_t>(y), c);
        REQUIRE(std::abs(value - sum) < 0.5001);
      }
    }
  }
}

TEST_CASE("Blur is the sum over mirrored neighbours, rounded",
          "[neighbor_filters]") {
  CheckBlur({13, 10}, {0.5F, 0.25F}, {0.4F, 0.2F, 0.1F});
  CheckBlur({13, 10}, {1}, {0.6F, 0.2F});
  CheckBlur({40, 3}, {0.2F, 0.1F, 0.1F, 0.1F, 0.1F}, {0.5F, 0.25F});
  // Mirrored more than once.
  CheckBlur({2, 3}, {0.2F, 0.1F, 0.1F, 0.1F, 0.1F}, {0.2F, 0.2F, 0.1F, 0.1F});
  CheckBlur({1, 1}, {0.5F, 0.25F}, {0.5F, 0.25F});
}

TEST_CASE("Blur leaves what is constant, white, too", "[neighbor_filters]") {
  for (const std::uint8_t value : std::vector<std::uint8_t>{0, 128, 255}) {
    DrawnPixels image({20, 20});
    std::fill(image.bytes.begin(), image.bytes.end(), value);
    const DrawnPixels before = image;
    NeighborFilters().Blur(image.view(), std::vector<float>{0.2F, 0.2F, 0.2F},
                           std::vector<float>{0.2F, 0.2F, 0.2F});
    CHECK(image == before);
  }
}

TEST_CASE("Filters give the same bytes at each SimdLevel",
          "[neighbor_filters]") {
  const std::vector<float> one = {1.0F};
  const std::vector<float> few = {0.3F, 0.2F, 0.1F, 0.05F};
  std::vector<float> many(40, 0.0123F);
  many[0] = 0.0406F;
  // Around those of vectors, of several and of blocks.
  for (const std::uint32_t width : {1U, 3U, 7U, 10U, 11U, 16U, 21U, 22U, 33U,
                                    43U, 64U, 85U, 86U, 131U, 300U}) {
    for (const auto& [across, down] :
         {std::pair(few, few), {many, one}, {one, many}, {many, few}}) {
      const DrawnPixels before({width, 12}, width);
      DrawnPixels first = before;
      REQUIRE(LimitSimd(SimdLevel::kPortable));
      NeighborFilters().Blur(first.view(), across, down);
      NeighborFilters().Sharpen(first.view(), 1.7);
      for (const SimdLevel level : kSimdLevels) {
        if (!LimitSimd(level)) continue;
        DrawnPixels image = before;
        NeighborFilters().Blur(image.view(), across, down);
        NeighborFilters().Sharpen(image.view(), 1.7);
        CHECK(image == first);
      }
    }
  }
  UnlimitSimd();
}

}  // namespace
}  // namespace shardine::neighbor_filters_test
