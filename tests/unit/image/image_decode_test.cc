#include "image/image_decode.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "image/png_encode.h"
#include "pixels/orientation.h"
#include "support/jpeg_maker.h"
#include "support/picture_maker.h"
#include "support/png_maker.h"
#include "support/row_collector.h"

namespace shardine::image_decode_test {
namespace {

PixelBuffer Decode(std::string_view image,
                   const ImageDecodeOptions& options = {}) {
  PixelBuffer pixels;
  const auto warnings = DecodeImage(AsBytes(image), options, pixels);
  CAPTURE(warnings.status().message());
  REQUIRE(warnings.ok());
  return pixels;
}

Status Failure(std::string_view image, const ImageDecodeOptions& options = {}) {
  PixelBuffer pixels;
  return DecodeImage(AsBytes(image), options, pixels).status();
}

std::string Png(const PixelView& pixels) {
  ByteBuffer out;
  REQUIRE(EncodePng(pixels, {}, out).ok());
  return std::string(AsText(out.view()));
}

TEST_CASE("DecodeImage gives rows to a sink as it gives them into memory",
          "[decode]") {
  PngSpec interlaced;
  interlaced.interlaced = true;
  const PixelBuffer large = MakePicture({301, 203}, 3);
  for (const std::string& image :
       {MakeJpeg(), MakePng(), MakePng(interlaced), Png(large.view()),
        InsertAfterSoi(MakeJpeg(), ExifSegment(6, true))}) {
    for (const bool apply_exif : {false, true}) {
      for (const ColorMode color :
           {ColorMode::kKeep, ColorMode::kColor, ColorMode::kGray}) {
        const ImageDecodeOptions options = {.color = color,
                                            .apply_exif = apply_exif};
        RowCollector rows;
        REQUIRE(DecodeImage(AsBytes(image), options, rows).ok());
        const PixelBuffer pixels = Decode(image, options);
        CHECK(rows.size == pixels.size());
        CHECK(rows.channels == pixels.channels());
        CHECK(rows.channels == (color == ColorMode::kGray ? 1 : 3));
        CHECK(rows.rows == pixels.size().height);
        CHECK(AsText(std::as_bytes(std::span(rows.pixels))) ==
              AsText(pixels.bytes()));
      }
    }
  }
}

TEST_CASE("DecodeImage gives back what EncodePng was given", "[decode][png]") {
  for (const std::uint8_t channels : {std::uint8_t{1}, std::uint8_t{3}}) {
    for (const PixelSize size :
         {PixelSize{1, 1}, PixelSize{301, 203}, PixelSize{30001, 2}}) {
      const PixelBuffer pixels = MakePicture(size, channels);
      const PixelBuffer back = Decode(Png(pixels.view()));
      CHECK(back.size() == size);
      CHECK(back.channels() == channels);
      CHECK(AsText(back.bytes()) == AsText(pixels.bytes()));
    }
  }
}

TEST_CASE("DecodeImage turns pixels only if it is told to", "[decode][exif]") {
  const std::string plain = MakeJpeg();
  const PixelBuffer stored = Decode(plain);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string jpeg =
        InsertAfterSoi(plain, ExifSegment(orientation, false));
    CHECK(AsText(Decode(jpeg).bytes()) == AsText(stored.bytes()));
    const PixelBuffer turned = Decode(jpeg, {.apply_exif = true});
    PixelBuffer expected;
    ApplyOrientation(stored.view(), static_cast<std::uint8_t>(orientation),
                     expected);
    CHECK(turned.size() == expected.size());
    CHECK(AsText(turned.bytes()) == AsText(expected.bytes()));
  }
}

TEST_CASE("DecodeImage turns a PNG by its eXIf chunk", "[decode][exif][png]") {
  const std::string png = MakePng();
  const std::string turned = std::string(png).insert(
      33, MakePngChunk("eXIf", TiffWithOrientation(6, true)));
  PixelBuffer expected;
  ApplyOrientation(Decode(png).view(), 6, expected);
  CHECK(AsText(Decode(turned, {.apply_exif = true}).bytes()) ==
        AsText(expected.bytes()));
}

TEST_CASE("DecodeImage refuses other kinds of images by their name",
          "[decode]") {
  CHECK(Failure("\xFF\x0A...").code() == Code::kUnsupported);
  CHECK(Failure("\xFF\x0A...").message() ==
        "jxl images are not decoded: make jpeg or png images of them first");
  CHECK(Failure("").message() == "no bytes");
  CHECK(Failure("<html>").message() == "an HTML page");
}

TEST_CASE("DecodeImage returns the warnings of libjpeg", "[decode]") {
  std::string jpeg = MakeJpeg();
  jpeg.resize(jpeg.size() - 2);
  PixelBuffer pixels;
  auto warnings = DecodeImage(AsBytes(jpeg), {}, pixels);
  REQUIRE(warnings.ok());
  REQUIRE(warnings->size() == 1);
  CHECK(warnings->front().text == "Premature end of JPEG file");
}

TEST_CASE("DecodeImage says where in a PNG the damage is",
          "[decode][png][corruption]") {
  std::string png = MakePng();
  const std::size_t data = png.find("IDAT");
  png[data + 20] = static_cast<char>(png[data + 20] ^ 1);
  const Status status = Failure(png);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.message() == "IDAT fails its CRC-32");
  CHECK(status.where().offset == data - 4);
}

TEST_CASE("DecodeImage keeps to its limits before it takes memory",
          "[decode][limits]") {
  ImageDecodeOptions options;
  options.limits.max_pixels = 19 * 13 - 1;
  CHECK(Failure(MakePng(), options).code() == Code::kUnsupported);
  options.limits.max_pixels += 1;
  CHECK(Failure(MakePng(), options).ok());

  PngSpec wide;
  wide.width = 1 << 20;
  wide.height = 1;
  const std::string png = MakePng(wide);
  options.limits = {.max_memory = 1 << 20};
  CHECK(Failure(png, options).message() ==
        "decoding needs more than 1048576 bytes");
  wide = {.width = 1000, .height = 1000, .interlaced = true};
  CHECK(Failure(MakePng(wide), options).code() == Code::kUnsupported);
  wide.interlaced = false;
  CHECK(Failure(MakePng(wide), options).ok());

  const std::string turned = InsertAfterSoi(
      MakeJpeg({.width = 600, .height = 600}), ExifSegment(3, true));
  CHECK(Failure(turned, options).ok());
  options.apply_exif = true;
  CHECK(Failure(turned, options).message() ==
        "turning needs more than 1048576 bytes");
}

TEST_CASE("DecodeImage survives random flips all over a small PNG",
          "[decode][png][corruption]") {
  for (const int type : {0, 2, 3, 4, 6}) {
    const std::string png = MakePng(
        {.color_type = static_cast<std::uint8_t>(type), .interlaced = true});
    std::uint32_t state = 99;
    for (int round = 0; round < 400; ++round) {
      std::string damaged = png;
      state = state * 1664525U + 1013904223U;
      char& byte = damaged[(state >> 8) % damaged.size()];
      byte = static_cast<char>(byte ^ 1 << (state >> 28) % 8);
      ImageDecodeOptions options;
      options.limits = {.max_pixels = 1 << 16, .max_memory = 1 << 22};
      const Status status = Failure(damaged, options);
      if (!status.ok() && status.message().empty()) FAIL("round " << round);
    }
  }
}

}  // namespace
}  // namespace shardine::image_decode_test
