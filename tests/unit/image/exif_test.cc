#include "image/exif.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/jpeg_maker.h"

namespace shardine::exif_test {
namespace {

using namespace std::string_literals;

int Orientation(const std::string& tiff) {
  return ExifOrientation(AsBytes(tiff));
}

TEST_CASE("ExifOrientation reads 1 to 8 in both byte orders", "[exif]") {
  for (const bool big_endian : {false, true}) {
    for (int value = 1; value <= 8; ++value) {
      CAPTURE(big_endian, value);
      CHECK(Orientation(TiffWithOrientation(value, big_endian)) == value);
    }
  }
}

TEST_CASE("ExifOrientation takes values that mean nothing as not stated",
          "[exif]") {
  for (const int value : {0, 9, 255}) {
    CHECK(Orientation(TiffWithOrientation(value, false)) == 0);
    CHECK(Orientation(TiffWithOrientation(value, true)) == 0);
  }
  std::string wide = TiffWithOrientation(6, false);
  wide[19] = 1;  // 0x0106
  CHECK(Orientation(wide) == 0);
}

TEST_CASE("ExifOrientation reads BYTE and LONG values, too", "[exif]") {
  std::string tiff = TiffWithOrientation(6, false);
  tiff[12] = 4;
  CHECK(Orientation(tiff) == 6);
  tiff[12] = 1;
  CHECK(Orientation(tiff) == 6);
  tiff[12] = 2;  // ASCII
  CHECK(Orientation(tiff) == 0);
}

TEST_CASE("ExifOrientation finds the tag behind others", "[exif]") {
  const std::string entry = TiffWithOrientation(7, false).substr(10, 12);
  const std::string other = "\x0F\x01\x02\0\x01\0\0\0A\0\0\0"s;
  const std::string tiff =
      "II*\0\x08\0\0\0"s + "\x03\0"s + other + other + entry;
  CHECK(Orientation(tiff) == 7);
}

TEST_CASE("ExifOrientation takes a count other than one as not stated",
          "[exif]") {
  std::string tiff = TiffWithOrientation(3, false);
  tiff[14] = 2;
  CHECK(Orientation(tiff) == 0);
}

TEST_CASE("ExifOrientation is 0 for a structure cut at any length that matters",
          "[exif][corruption]") {
  for (const bool big_endian : {false, true}) {
    const std::string tiff = TiffWithOrientation(5, big_endian);
    for (std::size_t size = 0; size < 22; ++size) {
      CAPTURE(big_endian, size);
      // A copy of its own, so that a sanitizer sees a read past the end.
      CHECK(Orientation(std::string(tiff.substr(0, size))) == 0);
    }
    CHECK(Orientation(tiff.substr(0, 22)) == 5);
  }
}

TEST_CASE("ExifOrientation stays inside when offset and count are too large",
          "[exif][corruption]") {
  std::string tiff = TiffWithOrientation(5, false);
  for (const char offset : {'\x19', '\x1A', '\x7F', '\xFF'}) {
    std::string moved = tiff;
    moved[4] = offset;
    CHECK(Orientation(moved) == 0);
    moved[7] = offset;
    CHECK(Orientation(moved) == 0);
  }
  std::string many = tiff;
  many[8] = '\xFF';
  many[9] = '\xFF';
  CHECK(Orientation(many) == 5);
  many[10] = '\x13';  // another tag: the count must not lead past the end
  CHECK(Orientation(many) == 0);
}

TEST_CASE("ExifOrientation wants the byte order and the number 42",
          "[exif][corruption]") {
  const std::string tiff = TiffWithOrientation(5, false);
  CHECK(Orientation("IM" + tiff.substr(2)) == 0);
  CHECK(Orientation("MM" + tiff.substr(2)) == 0);
  CHECK(Orientation(tiff.substr(0, 2) + "+" + tiff.substr(3)) == 0);
}

TEST_CASE("ExifOrientation follows no loop of directories", "[exif]") {
  // A directory of one other entry that names itself as the next one.
  using namespace std::string_literals;
  const std::string looped =
      "II*\0\x08\0\0\0\x01\0\x0F\x01\x03\0\x01\0\0\0\x06\0\0\0\x08\0\0\0"s;
  CHECK(ExifOrientation(AsBytes(looped)) == 0);
}

}  // namespace
}  // namespace shardine::exif_test
