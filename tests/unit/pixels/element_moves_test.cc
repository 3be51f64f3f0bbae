// Elements are moved as the pixels of images are.
#include "pixels/element_moves.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/draws.h"

namespace shardine::element_moves_test {
namespace {

std::string Random(Draws& draws, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += static_cast<char>(draws.Below(256));
  return text;
}

TEST_CASE("Elements of any size are taken from their sources",
          "[element_moves]") {
  Draws draws(1);
  for (const std::size_t element : {1U, 2U, 3U, 4U, 5U, 8U, 12U, 16U}) {
    const PixelSize size{7, 5};
    const std::string from = Random(draws, element * 35);
    const std::string fill = Random(draws, element);
    for (const bool is_run : {false, true}) {
      std::vector<std::uint32_t> across;
      std::vector<std::uint32_t> down;
      for (std::uint32_t i = 0; i < 6; ++i) {
        const auto one = static_cast<std::uint32_t>(draws.Below(8));
        // A border before a run counts on from it.
        across.push_back(is_run ? i - 1 : one == 7 ? kNoSource : one);
        const auto other = static_cast<std::uint32_t>(draws.Below(6));
        down.push_back(other == 5 ? kNoSource : other);
      }
      std::string out(36 * element, '\0');
      TakeElements({AsBytes(from).data(), size, element, 7 * element}, across,
                   down, AsBytes(fill),
                   reinterpret_cast<std::byte*>(out.data()));
      for (std::size_t i = 0; i < 36; ++i) {
        const std::uint32_t x = across[i % 6];
        const std::uint32_t y = down[i / 6];
        const std::string expected =
            x == kNoSource || y == kNoSource
                ? fill
                : from.substr((std::size_t{y} * 7 + x) * element, element);
        REQUIRE(out.substr(i * element, element) == expected);
      }
    }
  }
}

TEST_CASE("Elements are turned as the pixels of an image", "[element_moves]") {
  Draws draws(2);
  AffineSampler pixels;
  ElementSampler elements;
  for (int i = 0; i < 200; ++i) {
    const PixelSize size{static_cast<std::uint32_t>(1 + draws.Below(40)),
                         static_cast<std::uint32_t>(1 + draws.Below(40))};
    AffineMatrix matrix;
    for (double& each : matrix) {
      each = (static_cast<double>(draws.Below(4001)) - 2000) / 1000;
    }
    std::string image =
        Random(draws, std::size_t{size.width} * size.height * 3);
    std::string mask = image;
    pixels({reinterpret_cast<std::uint8_t*>(image.data()), size}, matrix,
           Interpolation::kNearest, std::array<std::uint8_t, 3>{1, 2, 3});
    elements(reinterpret_cast<std::byte*>(mask.data()), size, matrix,
             AsBytes(std::string("\1\2\3")));
    REQUIRE(image == mask);
  }
}

}  // namespace
}  // namespace shardine::element_moves_test
