#include "image/png_unpack.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::png_unpack_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes Unpacked(PngColor color, std::uint8_t bits, const Bytes& from,
               std::size_t pixels, const std::string& palette = "") {
  const PngUnpacker unpacker({.width = 1, .bits = bits, .color = color},
                             AsBytes(palette));
  Bytes to(pixels * unpacker.channels(), 0xEE);
  unpacker.Unpack(from.data(), to.data(), pixels);
  return to;
}

TEST_CASE("PngUnpacker spreads gray of few bits over all levels",
          "[png][unpack]") {
  CHECK(Unpacked(PngColor::kGray, 1, {0b10100000, 0b01000000}, 10) ==
        Bytes{255, 0, 255, 0, 0, 0, 0, 0, 0, 255});
  CHECK(Unpacked(PngColor::kGray, 2, {0b00011011, 0b11000000}, 5) ==
        Bytes{0, 85, 170, 255, 255});
  CHECK(Unpacked(PngColor::kGray, 4, {0x0F, 0x70}, 3) == Bytes{0, 255, 119});
}

TEST_CASE("PngUnpacker clips 16-bit gray and takes high bytes of all else",
          "[png][unpack]") {
  CHECK(Unpacked(PngColor::kGray, 16, {0, 0, 0, 254, 0, 255, 1, 0, 255, 255},
                 5) == Bytes{0, 254, 255, 255, 255});
  CHECK(Unpacked(PngColor::kGrayAlpha, 16, {1, 2, 3, 4, 5, 6, 7, 8}, 2) ==
        Bytes{1, 5});
  CHECK(Unpacked(PngColor::kRgb, 16, {1, 2, 3, 4, 5, 6}, 1) == Bytes{1, 3, 5});
  CHECK(Unpacked(PngColor::kRgba, 16, {1, 2, 3, 4, 5, 6, 7, 8}, 1) ==
        Bytes{1, 3, 5});
}

TEST_CASE("PngUnpacker takes the high byte of 16-bit gray by OpenCV's rule",
          "[png][unpack]") {
  const PngUnpacker unpacker({.width = 1, .bits = 16, .color = PngColor::kGray},
                             {}, ColorRule::kOpenCv);
  const Bytes from = {0, 0, 0, 254, 1, 0, 127, 255, 255, 255};
  Bytes to(5);
  unpacker.Unpack(from.data(), to.data(), 5);
  CHECK(to == Bytes{0, 0, 1, 127, 255});
}

TEST_CASE("PngUnpacker drops alpha", "[png][unpack]") {
  CHECK(Unpacked(PngColor::kGrayAlpha, 8, {1, 0, 2, 255}, 2) == Bytes{1, 2});
  CHECK(Unpacked(PngColor::kRgba, 8, {1, 2, 3, 0, 4, 5, 6, 7}, 2) ==
        Bytes{1, 2, 3, 4, 5, 6});
}

TEST_CASE("PngUnpacker looks colors up, black where there is none",
          "[png][unpack]") {
  const std::string palette = "abcdef";
  CHECK(Unpacked(PngColor::kPalette, 1, {0b01000000}, 2, palette) ==
        Bytes{'a', 'b', 'c', 'd', 'e', 'f'});
  CHECK(Unpacked(PngColor::kPalette, 4, {0x12}, 2, palette) ==
        Bytes{'d', 'e', 'f', 0, 0, 0});
  CHECK(Unpacked(PngColor::kPalette, 8, {255, 1}, 2, palette) ==
        Bytes{0, 0, 0, 'd', 'e', 'f'});
}

}  // namespace
}  // namespace shardine::png_unpack_test
