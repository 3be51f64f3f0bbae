#include "image/png_encode.h"

#include <catch2/catch.hpp>
#include <string>

#include "image/check_image.h"
#include "image/icc_profile.h"
#include "support/picture_maker.h"

namespace shardine::png_encode_test {
namespace {

std::string Encode(const PixelView& pixels,
                   const PngEncodeOptions& options = {}) {
  ByteBuffer out;
  REQUIRE(EncodePng(pixels, options, out).ok());
  return std::string(AsText(out.view()));
}

TEST_CASE("EncodePng writes a file that passes the full check",
          "[png][encode]") {
  for (const std::uint8_t channels : {std::uint8_t{1}, std::uint8_t{3}}) {
    const PixelBuffer pixels = MakePicture({37, 21}, channels);
    const std::string png = Encode(pixels.view());
    const ImageVerdict verdict = CheckImage(AsBytes(png), ImageCheck::kDecode);
    CAPTURE(verdict.detail);
    CHECK(verdict.good());
    CHECK(verdict.facts.width == 37);
    CHECK(verdict.facts.height == 21);
    CHECK(verdict.facts.components == channels);
    CHECK(verdict.facts.bits == 8);
  }
}

TEST_CASE("EncodePng gives the same bytes each time and appends them",
          "[png][encode]") {
  const PixelBuffer pixels = MakePicture({60, 50}, 3);
  const std::string once = Encode(pixels.view());
  ByteBuffer out;
  out.Append(AsBytes("before"));
  REQUIRE(EncodePng(pixels.view(), {}, out).ok());
  CHECK(AsText(out.view()) == "before" + once);
}

TEST_CASE("EncodePng takes a level from 1 to 9", "[png][encode]") {
  const PixelBuffer pixels = MakePicture({200, 150}, 3, 1, 4);
  const std::size_t fast = Encode(pixels.view(), {.level = 1}).size();
  const std::size_t best = Encode(pixels.view(), {.level = 9}).size();
  CHECK(best < fast);
}

TEST_CASE("EncodePng refuses a side of zero and appends nothing",
          "[png][encode]") {
  ByteBuffer out;
  CHECK(EncodePng({}, {}, out).code() == Code::kUnsupported);
  CHECK(out.size() == 0);
}

TEST_CASE("EncodePng keeps the profile for such pixels and no other",
          "[png][encode][icc]") {
  const PixelBuffer pixels = MakePicture({20, 20}, 3);
  std::string icc(70000, 'x');
  icc.replace(16, 4, "RGB ");
  const std::string png = Encode(pixels.view(), {.icc = AsBytes(icc)});
  CHECK(AsText(ReadIccProfile(AsBytes(png)).view()) == icc);
  CHECK(CheckImage(AsBytes(png), ImageCheck::kDecode).good());
  icc.replace(16, 4, "GRAY");
  CHECK(Encode(pixels.view(), {.icc = AsBytes(icc)}) == Encode(pixels.view()));
}

}  // namespace
}  // namespace shardine::png_encode_test
