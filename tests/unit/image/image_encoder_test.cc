#include "image/image_encoder.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "image/image_decode.h"
#include "image/probe.h"
#include "support/picture_maker.h"
#include "support/png_maker.h"
#include "support/still_images.h"

namespace shardine::image_encoder_test {
namespace {

PixelBuffer Pixels(ByteView image) {
  PixelBuffer pixels;
  REQUIRE(DecodeImage(image, {}, pixels).ok());
  return pixels;
}

ImageFacts FactsOf(std::string_view image) {
  return ProbeImage(AsBytes(image)).facts;
}

// Encodes an image that is a good one.
EncodedImage Encoded(std::string_view image,
                     const ImageEncoder::Options& options) {
  ImageEncoder encoder(options);
  const ImageFacts facts = FactsOf(image);
  REQUIRE(encoder.Takes(facts));
  REQUIRE(encoder.CheckBits(facts.bits).ok());
  EncodedImage made;
  const ImageVerdict verdict = encoder.Encode(AsBytes(image), facts, made);
  CAPTURE(verdict.detail);
  REQUIRE(verdict.good());
  CHECK(verdict.facts == facts);
  const ProbeResult probe = ProbeImage(made.bytes.view());
  CHECK(probe.problem == ImageProblem::kNone);
  CHECK(probe.facts == made.facts);
  return made;
}

// Sample `channel` of the pixel at (x, y) of a PNG of 16 bits.
std::uint32_t SampleAt(const PngSamples& png, std::uint32_t x, std::uint32_t y,
                       std::uint16_t channel) {
  std::uint16_t sample = 0;
  const std::size_t at = std::size_t{x} * png.type().channels + channel;
  std::memcpy(&sample, png.row(y) + 2 * at, 2);
  return sample;
}

}  // namespace

TEST_CASE("ImageEncoder makes PNGs of the pixels that loaders decode",
          "[encoder]") {
  const PixelBuffer picture = MakePicture({61, 47}, 3);
  const std::string images[] = {
      MakeWebp(picture.view()),
      MakeWebp(picture.view(), 80),
      MakeGif({.canvas = {61, 47}, .frame = {50, 40}, .transparent = 3}),
      MakeBmp(picture.view()),
      MakeTiff({.bits = 8, .samples = 4}),
      MakeTiff({.samples = 1, .photometric = 0}),
      MakeTiff({.bits = 4, .samples = 1, .photometric = 1})};
  for (const std::string& image : images) {
    const EncodedImage made = Encoded(image, {});
    CHECK(made.facts.kind == ImageKind::kPng);
    const PixelBuffer before = Pixels(AsBytes(image));
    const PixelBuffer after = Pixels(made.bytes.view());
    CHECK(after.size() == before.size());
    CHECK(after.channels() == before.channels());
    CHECK(AsText(after.bytes()) == AsText(before.bytes()));
  }
}

TEST_CASE("ImageEncoder makes JPEGs of the quality that was asked for",
          "[encoder]") {
  const PixelBuffer picture = MakePicture({61, 47}, 3);
  const std::string image = MakeBmp(picture.view());
  const auto made = [&](std::uint32_t quality) {
    return Encoded(image, {.encoding = Encoding::kJpeg, .quality = quality});
  };
  CHECK(made(50).facts.kind == ImageKind::kJpeg);
  CHECK(made(50).bytes.size() < made(95).bytes.size());
}

TEST_CASE("ImageEncoder keeps 16 bits a channel of TIFFs in PNGs",
          "[encoder]") {
  for (const TiffSpec& spec :
       {TiffSpec{.bits = 16}, TiffSpec{.bits = 16, .samples = 4},
        TiffSpec{.bits = 16, .samples = 1, .photometric = 1},
        TiffSpec{.bits = 16, .samples = 1, .photometric = 0},
        TiffSpec{.bits = 16, .planes = 2},
        TiffSpec{.bits = 16, .tile = 16, .big_endian = true}}) {
    const EncodedImage made = Encoded(MakeTiff(spec), {});
    CHECK(made.facts.bits == 16);
    PngSamples png;
    REQUIRE(png.Decode(made.bytes.view(), {}, spec.size.height).ok());
    REQUIRE(png.type().bytes == 2);
    REQUIRE(png.type().channels == (spec.samples == 1 ? 1 : 3));
    const std::uint32_t turn = spec.photometric == 0 ? 0xFFFF : 0;
    bool equal = true;
    for (std::uint32_t y = 0; y < spec.size.height; ++y) {
      for (std::uint32_t x = 0; x < spec.size.width; ++x) {
        for (std::uint16_t c = 0; c < png.type().channels; ++c) {
          equal = equal && SampleAt(png, x, y, c) ==
                               (TiffSampleAt(spec, x, y, c) ^ turn);
        }
      }
    }
    CHECK(equal);
  }
}

TEST_CASE("ImageEncoder scales 16 bits to 8 on request, of PNGs as well",
          "[encoder]") {
  ImageEncoder jpeg({.encoding = Encoding::kJpeg});
  CHECK(jpeg.CheckBits(8).ok());
  CHECK(jpeg.CheckBits(16).code() == Code::kUnsupported);
  const TiffSpec spec{.bits = 16, .samples = 1, .photometric = 1};
  const EncodedImage made = Encoded(MakeTiff(spec), {.to_8_bits = true});
  const PixelBuffer pixels = Pixels(made.bytes.view());
  CHECK(pixels.view().row(2)[5] == (TiffSampleAt(spec, 5, 2, 0) + 128) / 257);

  for (const int type : {0, 2, 4, 6}) {
    const auto color = static_cast<std::uint8_t>(type);
    const std::string png = MakePng({.bits = 16, .color_type = color});
    CHECK_FALSE(ImageEncoder({}).Takes(FactsOf(png)));
    const EncodedImage shallow = Encoded(png, {.to_8_bits = true});
    PngSamples samples;
    REQUIRE(samples.Decode(AsBytes(png), {}, 13).ok());
    const PixelBuffer scaled = Pixels(shallow.bytes.view());
    CHECK(shallow.facts.bits == 8);
    CHECK(scaled.channels() == (color == 0 || color == 4 ? 1 : 3));
    for (std::uint16_t c = 0; c < scaled.channels(); ++c) {
      CHECK(scaled.view().row(9)[4 * scaled.channels() + c] ==
            (SampleAt(samples, 4, 9, c) + 128) / 257);
    }
  }
}

TEST_CASE("ImageEncoder leaves JPEGs, PNGs and unread kinds as they are",
          "[encoder]") {
  const ImageEncoder encoder({.to_8_bits = true});
  CHECK_FALSE(encoder.Takes({.kind = ImageKind::kJpeg, .bits = 8}));
  CHECK_FALSE(encoder.Takes(FactsOf(MakePng())));
  CHECK_FALSE(encoder.Takes({.kind = ImageKind::kHeic}));
  CHECK_FALSE(encoder.Takes({.kind = ImageKind::kUnknown}));
}

TEST_CASE("ImageEncoder keeps the orientation that EXIF states", "[encoder]") {
  const PixelBuffer picture = MakePicture({61, 47}, 3);
  const std::string webp =
      WithWebpOrientation(MakeWebp(picture.view()), {61, 47}, 6);
  const std::string tiff = MakeTiff({.orientation = 8});
  for (const Encoding encoding : {Encoding::kJpeg, Encoding::kPng}) {
    CHECK(Encoded(webp, {.encoding = encoding}).facts.orientation == 6);
    CHECK(Encoded(tiff, {.encoding = encoding}).facts.orientation == 8);
  }
}

TEST_CASE("ImageEncoder takes pixels of 8 and 16 bits", "[encoder]") {
  const PixelBuffer picture = MakePicture({7, 5}, 3);
  ImageEncoder encoder({});
  EncodedImage made;
  REQUIRE(encoder.EncodePixels(picture.view(), 8, made).ok());
  CHECK(AsText(Pixels(made.bytes.view()).bytes()) == AsText(picture.bytes()));
  // The same bytes as gray of 16 bits in a row of 21 of 2 bytes.
  const PixelView deep{picture.view().data, {10, 5}, 2, 21};
  REQUIRE(encoder.EncodePixels(deep, 16, made).ok());
  CHECK(made.facts.bits == 16);
  CHECK(made.facts.components == 1);
  CHECK(encoder.EncodePixels({nullptr, {0, 5}, 1, 0}, 8, made).code() ==
        Code::kUnsupported);
}

TEST_CASE("ImageEncoder makes no PNG that inflates beyond the limits",
          "[encoder][hostile]") {
  PixelBuffer blank;
  blank.Reset({1000, 800}, 3);
  std::memset(blank.data(), 255, blank.stride() * 800);
  const std::string image = MakeBmp(blank.view());
  const DecodeLimits limits = {.png_bytes = 1000, .png_bytes_per_byte = 100};
  EncodedImage made;
  ImageEncoder png({.limits = limits});
  CHECK(png.Encode(AsBytes(image), FactsOf(image), made).reason == "too-large");
  CHECK(png.EncodePixels(blank.view(), 8, made).code() == Code::kUnsupported);
  ImageEncoder jpeg({.encoding = Encoding::kJpeg});
  CHECK(jpeg.Encode(AsBytes(image), FactsOf(image), made).good());
}

TEST_CASE("ImageEncoder judges images that are cut or damaged",
          "[encoder][hostile]") {
  const PixelBuffer picture = MakePicture({31, 17}, 3);
  const std::string images[] = {MakeWebp(picture.view(), 80), MakeGif(),
                                MakeBmp(picture.view()), MakeTiff({.bits = 16}),
                                MakePng({.bits = 16, .color_type = 0})};
  ImageEncoder encoder({.to_8_bits = true});
  EncodedImage made;
  for (const std::string& image : images) {
    const ImageFacts facts = FactsOf(image);
    for (std::size_t length = 0; length < image.size(); length += 7) {
      const std::string cut = image.substr(0, length);
      const ImageVerdict verdict = encoder.Encode(AsBytes(cut), facts, made);
      if (verdict.good()) CHECK(ProbeImage(made.bytes.view()).end_marker);
    }
    for (std::size_t i = 0; i < image.size(); i += 5) {
      std::string damaged = image;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
      const ImageVerdict verdict =
          encoder.Encode(AsBytes(damaged), facts, made);
      if (verdict.good()) CHECK(ProbeImage(made.bytes.view()).end_marker);
    }
  }
}

}  // namespace shardine::image_encoder_test
