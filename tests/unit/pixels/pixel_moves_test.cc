#include "pixels/pixel_moves.h"

#include <catch2/catch.hpp>
#include <cstdint>

#include "unit/pixels/drawn_pixels.h"

namespace shardine::pixel_moves_test {
namespace {

TEST_CASE("Flips put each pixel on the other side", "[pixel_moves]") {
  for (const PixelSize size :
       {PixelSize{1, 1}, PixelSize{2, 3}, PixelSize{5, 4}, PixelSize{64, 1}}) {
    const DrawnPixels before(size);
    DrawnPixels across = before;
    FlipHorizontally(across.view());
    DrawnPixels down = before;
    FlipVertically(down.view());
    for (std::uint32_t y = 0; y < size.height; ++y) {
      for (std::uint32_t x = 0; x < size.width; ++x) {
        for (std::size_t c = 0; c < 3; ++c) {
          const int value = before.at(x, y, c);
          REQUIRE(across.at(size.width - 1 - x, y, c) == value);
          REQUIRE(down.at(x, size.height - 1 - y, c) == value);
        }
      }
    }
  }
}

TEST_CASE("Paint changes the pixels of its region and no others",
          "[pixel_moves]") {
  const DrawnPixels before({7, 6});
  for (const Region& region : {Region{0, 0, 7, 6}, Region{2, 1, 3, 4},
                               Region{6, 5, 1, 1}, Region{7, 6, 0, 0}}) {
    DrawnPixels image = before;
    Paint(image.view(), region, {11, 22, 33});
    for (std::uint32_t y = 0; y < 6; ++y) {
      for (std::uint32_t x = 0; x < 7; ++x) {
        const bool inside = x >= region.x && x < region.x + region.width &&
                            y >= region.y && y < region.y + region.height;
        for (std::size_t c = 0; c < 3; ++c) {
          const int painted = 11 * (static_cast<int>(c) + 1);
          REQUIRE(image.at(x, y, c) == (inside ? painted : before.at(x, y, c)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace shardine::pixel_moves_test
