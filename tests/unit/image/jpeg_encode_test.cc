#include "image/jpeg_encode.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "image/icc_profile.h"
#include "image/image_decode.h"
#include "image/probe.h"
#include "support/jpeg_maker.h"
#include "support/picture_maker.h"

namespace shardine::jpeg_encode_test {
namespace {

std::string Encode(const PixelView& pixels,
                   const JpegEncodeOptions& options = {}) {
  ByteBuffer out;
  REQUIRE(EncodeJpeg(pixels, options, out).ok());
  return std::string(AsText(out.view()));
}

std::string Decode(std::string_view jpeg) {
  PixelBuffer pixels;
  auto warnings = DecodeImage(AsBytes(jpeg), {}, pixels);
  REQUIRE(warnings.ok());
  CHECK(warnings->empty());
  return std::string(AsText(pixels.bytes()));
}

// A profile as far as anyone here looks at it.
std::string Profile(std::string_view colors, std::size_t size = 200) {
  std::string icc(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    icc[i] = static_cast<char>(i * 7 >> 3);
  }
  return icc.replace(16, 4, colors);
}

TEST_CASE("EncodeJpeg writes a baseline JFIF file that the probe accepts",
          "[jpeg][encode]") {
  for (const std::uint8_t channels : {std::uint8_t{1}, std::uint8_t{3}}) {
    const PixelBuffer pixels = MakePicture({37, 21}, channels);
    const std::string jpeg = Encode(pixels.view());
    const ProbeResult probe = ProbeImage(AsBytes(jpeg));
    CHECK(probe.problem == ImageProblem::kNone);
    CHECK(probe.facts.coding == ImageCoding::kBaseline);
    CHECK(probe.facts.width == 37);
    CHECK(probe.facts.height == 21);
    CHECK(probe.facts.components == channels);
    CHECK(jpeg.substr(6, 4) == "JFIF");
    CHECK(jpeg.ends_with("\xFF\xD9"));
  }
}

TEST_CASE("EncodeJpeg at quality 100 and 4:4:4 keeps pixels within rounding",
          "[jpeg][encode]") {
  for (const std::uint8_t channels : {std::uint8_t{1}, std::uint8_t{3}}) {
    const PixelBuffer pixels = MakePicture({65, 40}, channels, 2, 0);
    const std::string jpeg = Encode(
        pixels.view(), {.quality = 100, .subsampling = Subsampling::k444});
    const std::string image = Decode(jpeg);
    REQUIRE(image.size() == pixels.bytes().size());
    int worst = 0;
    for (std::size_t i = 0; i < image.size(); ++i) {
      const int before = std::to_integer<int>(pixels.bytes()[i]);
      worst = std::max(worst,
                       std::abs(before - static_cast<std::uint8_t>(image[i])));
    }
    CHECK(worst <= 4);
  }
}

TEST_CASE("EncodeJpeg takes rows with padding between them", "[jpeg][encode]") {
  const PixelBuffer wide = MakePicture({64, 30}, 3);
  PixelView left = wide.view();
  left.size.width = 33;
  PixelBuffer copy;
  copy.Reset(left.size, 3);
  for (std::uint32_t y = 0; y < 30; ++y) {
    std::copy_n(left.row(y), 33 * 3, copy.row(y));
  }
  CHECK(Encode(left) == Encode(copy.view()));
}

TEST_CASE("EncodeJpeg samples chroma as it is told", "[jpeg][encode]") {
  const PixelBuffer pixels = MakePicture({40, 40}, 3);
  const auto luma_sampling = [&](Subsampling subsampling) {
    const std::string jpeg =
        Encode(pixels.view(), {.subsampling = subsampling});
    return int{jpeg[FindJpegFrame(jpeg).offset + 11]};
  };
  CHECK(luma_sampling(Subsampling::k420) == 0x22);
  CHECK(luma_sampling(Subsampling::k444) == 0x11);
}

TEST_CASE("EncodeJpeg makes larger files of higher qualities",
          "[jpeg][encode]") {
  const PixelBuffer pixels = MakePicture({100, 80}, 3);
  std::size_t previous = 0;
  for (const std::uint32_t quality : {1U, 30U, 60U, 90U, 95U, 100U}) {
    const std::size_t size = Encode(pixels.view(), {.quality = quality}).size();
    CHECK(size > previous);
    previous = size;
  }
}

TEST_CASE("EncodeJpeg with its own Huffman tables changes size, not pixels",
          "[jpeg][encode]") {
  const PixelBuffer pixels = MakePicture({100, 80}, 3);
  const std::string standard = Encode(pixels.view());
  const std::string own = Encode(pixels.view(), {.optimize = true});
  CHECK(own.size() < standard.size());
  CHECK(Decode(own) == Decode(standard));
}

TEST_CASE("EncodeJpeg gives the same bytes each time and appends them",
          "[jpeg][encode]") {
  const PixelBuffer pixels = MakePicture({300, 200}, 3, 5, 255);
  const std::string once = Encode(pixels.view(), {.quality = 100});
  ByteBuffer out;
  out.Append(AsBytes("before"));
  for (int i = 0; i < 2; ++i) {
    REQUIRE(EncodeJpeg(pixels.view(), {.quality = 100}, out).ok());
  }
  CHECK(AsText(out.view()) == "before" + once + once);
}

TEST_CASE("EncodeJpeg writes more than was guessed where pixels are noise",
          "[jpeg][encode]") {
  const PixelBuffer pixels = MakePicture({500, 400}, 1, 5, 255);
  const std::string jpeg = Encode(pixels.view(), {.quality = 100});
  CHECK(jpeg.size() > 500 * 400 / 4 + 4096);
  CHECK(Decode(jpeg).size() == 500 * 400);
}

TEST_CASE("EncodeJpeg refuses sides that no JPEG has, and appends nothing",
          "[jpeg][encode]") {
  const PixelBuffer pixels = MakePicture({65501, 1}, 1);
  ByteBuffer out;
  out.Append(AsBytes("before"));
  const Status status = EncodeJpeg(pixels.view(), {}, out);
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() == "no JPEG can be 65501 x 1 pixels");
  CHECK(EncodeJpeg({}, {}, out).code() == Code::kUnsupported);
  CHECK(AsText(out.view()) == "before");
  const PixelBuffer largest = MakePicture({1, 65500}, 1);
  CHECK(EncodeJpeg(largest.view(), {}, out).ok());
}

TEST_CASE("EncodeJpeg keeps a profile in as many segments as it needs",
          "[jpeg][encode][icc]") {
  const PixelBuffer pixels = MakePicture({20, 20}, 3);
  for (const std::size_t size : {128U, 65519U, 65520U, 200000U}) {
    const std::string icc = Profile("RGB ", size);
    const std::string jpeg = Encode(pixels.view(), {.icc = AsBytes(icc)});
    CHECK(AsText(ReadIccProfile(AsBytes(jpeg)).view()) == icc);
  }
}

TEST_CASE("EncodeJpeg leaves out a profile of other colors",
          "[jpeg][encode][icc]") {
  const PixelBuffer gray = MakePicture({20, 20}, 1);
  const PixelBuffer rgb = MakePicture({20, 20}, 3);
  const std::string gray_icc = Profile("GRAY");
  const std::string cmyk_icc = Profile("CMYK");
  CHECK(Encode(gray.view(), {.icc = AsBytes(gray_icc)}) != Encode(gray.view()));
  CHECK(Encode(rgb.view(), {.icc = AsBytes(gray_icc)}) == Encode(rgb.view()));
  CHECK(Encode(rgb.view(), {.icc = AsBytes(cmyk_icc)}) == Encode(rgb.view()));
}

}  // namespace
}  // namespace shardine::jpeg_encode_test
