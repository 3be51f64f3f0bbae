#include "pixels/orientation.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/picture_maker.h"

namespace shardine::orientation_test {
namespace {

// Letters as pixels of one channel, rows from the top.
std::vector<std::string> Turned(const std::vector<std::string>& rows,
                                std::uint8_t orientation) {
  PixelBuffer pixels;
  pixels.Reset({static_cast<std::uint32_t>(rows[0].size()),
                static_cast<std::uint32_t>(rows.size())},
               1);
  for (std::uint32_t y = 0; y < rows.size(); ++y) {
    std::copy(rows[y].begin(), rows[y].end(), pixels.row(y));
  }
  PixelBuffer upright;
  ApplyOrientation(pixels.view(), orientation, upright);
  std::vector<std::string> turned;
  for (std::uint32_t y = 0; y < upright.size().height; ++y) {
    turned.emplace_back(upright.row(y), upright.row(y) + upright.size().width);
  }
  return turned;
}

TEST_CASE("ApplyOrientation undoes each of the eight", "[orientation]") {
  using Rows = std::vector<std::string>;
  const Rows stored = {"abc", "def"};
  CHECK(Turned(stored, 0) == stored);
  CHECK(Turned(stored, 1) == stored);
  CHECK(Turned(stored, 2) == Rows{"cba", "fed"});
  CHECK(Turned(stored, 3) == Rows{"fed", "cba"});
  CHECK(Turned(stored, 4) == Rows{"def", "abc"});
  CHECK(Turned(stored, 5) == Rows{"ad", "be", "cf"});
  CHECK(Turned(stored, 6) == Rows{"da", "eb", "fc"});
  CHECK(Turned(stored, 7) == Rows{"fc", "eb", "da"});
  CHECK(Turned(stored, 8) == Rows{"cf", "be", "ad"});
}

TEST_CASE("SwapsSides is true for those that turn by a quarter",
          "[orientation]") {
  for (std::uint8_t orientation = 0; orientation <= 8; ++orientation) {
    CHECK(SwapsSides(orientation) == (orientation >= 5));
  }
}

TEST_CASE("ApplyOrientation keeps channels together in images of many tiles",
          "[orientation]") {
  const std::uint8_t inverse[] = {0, 1, 2, 3, 4, 5, 8, 7, 6};
  const PixelBuffer pixels = MakePicture({101, 67}, 3);
  for (std::uint8_t orientation = 1; orientation <= 8; ++orientation) {
    PixelBuffer turned;
    ApplyOrientation(pixels.view(), orientation, turned);
    PixelBuffer back;
    ApplyOrientation(turned.view(), inverse[orientation], back);
    CHECK(back.size() == pixels.size());
    CHECK(AsText(back.bytes()) == AsText(pixels.bytes()));
  }
}

TEST_CASE("ApplyOrientation reads rows with padding between them",
          "[orientation]") {
  const PixelBuffer wide = MakePicture({40, 30}, 3);
  PixelView left = wide.view();
  left.size.width = 7;
  PixelBuffer copy;
  ApplyOrientation(left, 1, copy);
  for (std::uint8_t orientation = 1; orientation <= 8; ++orientation) {
    PixelBuffer a;
    PixelBuffer b;
    ApplyOrientation(left, orientation, a);
    ApplyOrientation(copy.view(), orientation, b);
    CHECK(AsText(a.bytes()) == AsText(b.bytes()));
  }
}

}  // namespace
}  // namespace shardine::orientation_test
