#include "image/image_decoder.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "image/image_checker.h"
#include "image/png_encode.h"
#include "pixels/buffer_sink.h"
#include "pixels/resampler.h"
#include "support/jpeg_maker.h"
#include "support/picture_maker.h"
#include "support/region_oracle.h"

namespace shardine::image_decoder_test {
namespace {

PixelBuffer Decode(const std::string& image,
                   const ImageDecodeOptions& options = {}) {
  PixelBuffer pixels;
  REQUIRE(DecodeImage(AsBytes(image), options, pixels).ok());
  return pixels;
}

PixelBuffer DecodeRegion(ImageDecoder& decoder, const Region& region) {
  PixelBuffer part;
  BufferSink sink(part);
  REQUIRE(decoder.DecodeRegion(region, sink).ok());
  return part;
}

std::string EntryPointsOf(const std::string& jpeg) {
  return ImageChecker({.find_entry_points = true})
      .Check(AsBytes(jpeg))
      .entry_points;
}

TEST_CASE("regions of every kind of image are parts of the whole") {
  JpegSpec spec{.width = 150, .height = 117};
  std::vector<std::string> images = {MakeJpeg(spec)};
  spec.progressive = true;
  images.push_back(MakeJpeg(spec));
  spec.progressive = false;
  for (const JpegColor color :
       {JpegColor::kGray, JpegColor::kRgb, JpegColor::kCmyk}) {
    spec.color = color;
    images.push_back(MakeJpeg(spec));
  }
  const PixelBuffer picture = MakePicture({150, 117}, 3);
  ByteBuffer png;
  REQUIRE(EncodePng(picture.view(), {}, png).ok());
  images.emplace_back(AsText(png.view()));
  ImageDecoder decoder;
  for (const std::string& image : images) {
    for (const ColorMode color :
         {ColorMode::kKeep, ColorMode::kColor, ColorMode::kGray}) {
      const PixelBuffer whole = Decode(image, {.color = color});
      REQUIRE(decoder.Open(AsBytes(image), {.color = color}).ok());
      CHECK(decoder.size() == PixelSize{150, 117});
      for (const Region& region :
           {Region{0, 0, 150, 117}, Region{31, 17, 100, 60},
            Region{149, 116, 1, 1}, Region{0, 116, 150, 1}}) {
        CHECK(IsPartOf(whole, region, DecodeRegion(decoder, region)));
      }
    }
  }
}

TEST_CASE("a region of a turned image is one of what people see") {
  const std::string jpeg = MakeJpeg({.width = 90, .height = 61});
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string turned =
        InsertAfterSoi(jpeg, ExifSegment(orientation, true));
    const ImageDecodeOptions options{.apply_exif = true};
    const PixelBuffer whole = Decode(turned, options);
    ImageDecoder decoder;
    REQUIRE(decoder.Open(AsBytes(turned), options).ok());
    CHECK(decoder.size() == whole.size());
    const Region region{7, 20, 33, 41};
    CHECK(IsPartOf(whole, region, DecodeRegion(decoder, region)));
  }
}

TEST_CASE("a resampled region is the resampled crop") {
  const std::string jpeg = MakeJpeg({.width = 201, .height = 155});
  const std::string points = EntryPointsOf(jpeg);
  REQUIRE(!points.empty());
  const PixelBuffer whole = Decode(jpeg);
  const Region region{21, 30, 150, 97};
  for (const bool flip : {false, true}) {
    PixelBuffer expected;
    expected.Reset({64, 48}, 3);
    Resampler resampler;
    resampler.Begin(
        {.in = {region.width, region.height}, .out = {64, 48}, .flip = flip},
        expected.data(), expected.stride());
    resampler.Push(whole.view().row(region.y) + region.x * 3, whole.stride(),
                   region.height);
    ImageDecoder decoder;
    for (const std::string& with : {std::string(), points}) {
      PixelBuffer made;
      made.Reset({64, 48}, 3);
      REQUIRE(decoder.Open(AsBytes(jpeg), {}, AsBytes(with)).ok());
      REQUIRE(decoder
                  .Resample(region, {.size = {64, 48}, .flip = flip},
                            made.data(), made.stride())
                  .ok());
      CHECK((AsText(made.bytes()) == AsText(expected.bytes())));
    }
  }
}

constexpr ImageDecodeOptions kUpright{.color = ColorMode::kColor,
                                      .apply_exif = true};

// Images of 201 x 155 as they are stored, and their entry points: by our
// decoder without and with them, by libjpeg-turbo, and turned.
std::vector<std::pair<std::string, std::string>> EachWayToDecode() {
  JpegSpec progressive{.width = 201, .height = 155};
  progressive.progressive = true;
  const std::string plain = MakeJpeg({.width = 201, .height = 155});
  return {{plain, ""},
          {plain, EntryPointsOf(plain)},
          {MakeJpeg(progressive), ""},
          {InsertAfterSoi(plain, ExifSegment(6, true)), ""}};
}

TEST_CASE("regions that are resampled together are those resampled alone") {
  // Regions in each other, overlapping, apart; some in one decode, some not.
  const std::vector<Region> regions{{10, 20, 120, 100}, {30, 40, 50, 50},
                                    {100, 60, 55, 90},  {0, 0, 20, 20},
                                    {140, 130, 15, 25}, {10, 20, 120, 100}};
  ImageDecoder decoder;
  for (const auto& [image, with] : EachWayToDecode()) {
    std::vector<PixelBuffer> together(regions.size());
    std::vector<RegionTarget> targets;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const auto side = static_cast<std::uint32_t>(20 + 13 * i);
      together[i].Reset({side, side + 5}, 3);
      targets.push_back({regions[i],
                         {.size = {side, side + 5}, .flip = i % 2 == 1},
                         together[i].data(),
                         together[i].stride()});
    }
    REQUIRE(decoder.Open(AsBytes(image), kUpright, AsBytes(with)).ok());
    const auto warnings = decoder.Resample(targets);
    REQUIRE(warnings.status().ToString() == "OK");
    CHECK(warnings->empty());
    for (std::size_t i = 0; i < regions.size(); ++i) {
      PixelBuffer alone;
      alone.Reset(targets[i].target.size, 3);
      REQUIRE(decoder.Open(AsBytes(image), kUpright, AsBytes(with)).ok());
      REQUIRE(decoder
                  .Resample(regions[i], targets[i].target, alone.data(),
                            alone.stride())
                  .ok());
      CHECK((AsText(together[i].bytes()) == AsText(alone.bytes())));
    }
    // One that is not in the image spoils them all.
    targets[2].region.x = 500;
    REQUIRE(decoder.Open(AsBytes(image), kUpright, AsBytes(with)).ok());
    CHECK(decoder.Resample(targets).status().code() == Code::kInvalidArgument);
  }
}

TEST_CASE("a part of a resampled region is that part of the whole one") {
  ImageDecoder decoder;
  for (const auto& [image, with] : EachWayToDecode()) {
    for (const bool flip : {false, true}) {
      for (const PixelSize& size :
           {PixelSize{90, 61}, PixelSize{300, 400}, PixelSize{111, 100}}) {
        const Region region{11, 20, 111, 100};
        ResampleTarget target{.size = size, .flip = flip};
        PixelBuffer whole;
        whole.Reset(size, 3);
        REQUIRE(decoder.Open(AsBytes(image), kUpright, AsBytes(with)).ok());
        REQUIRE(decoder.Resample(region, target, whole.data(), whole.stride())
                    .ok());
        target.part = {size.width / 4, size.height / 3, size.width / 2,
                       size.height / 2};
        PixelBuffer part;
        part.Reset({target.part.width, target.part.height}, 3);
        REQUIRE(decoder.Open(AsBytes(image), kUpright, AsBytes(with)).ok());
        REQUIRE(
            decoder.Resample(region, target, part.data(), part.stride()).ok());
        CHECK(IsPartOf(whole, target.part, part));
      }
    }
  }
}

TEST_CASE("a region that is not in the image is refused") {
  const std::string jpeg = MakeJpeg({.width = 40, .height = 30});
  ImageDecoder decoder;
  REQUIRE(decoder.Open(AsBytes(jpeg), {}).ok());
  PixelBuffer part;
  BufferSink sink(part);
  for (const Region& region :
       {Region{0, 0, 41, 1}, Region{0, 0, 0, 5}, Region{40, 0, 1, 1},
        Region{39, 29, 1, 2}, Region{0xFFFFFFFF, 0, 2, 1}}) {
    CHECK(decoder.DecodeRegion(region, sink).status().code() ==
          Code::kInvalidArgument);
  }
}

TEST_CASE("another image's entry points change no pixel") {
  const std::string jpeg = MakeJpeg({.width = 400, .height = 300, .seed = 1});
  const std::string other = EntryPointsOf(
      MakeJpeg({.width = 400, .height = 300, .seed = 2, .noise = 90}));
  const std::string larger =
      EntryPointsOf(MakeJpeg({.width = 500, .height = 300}));
  const PixelBuffer whole = Decode(jpeg);
  ImageDecoder decoder;
  for (const std::string& points : {other, larger, other.substr(0, 9)}) {
    REQUIRE(decoder.Open(AsBytes(jpeg), {}, AsBytes(points)).ok());
    for (const Region& region :
         {Region{0, 0, 400, 300}, Region{150, 200, 130, 60}}) {
      CHECK(IsPartOf(whole, region, DecodeRegion(decoder, region)));
    }
  }
}

TEST_CASE("a damaged image has libjpeg's pixels and warnings") {
  std::string jpeg = MakeJpeg({.width = 300, .height = 200, .noise = 80});
  jpeg.resize(jpeg.size() * 2 / 3);
  ImageDecoder decoder;
  PixelBuffer whole;
  BufferSink sink(whole);
  REQUIRE(decoder.Open(AsBytes(jpeg), {}).ok());
  const auto warnings = decoder.Decode(sink);
  REQUIRE(warnings.ok());
  REQUIRE(!warnings->empty());
  CHECK(warnings->front().text == "Premature end of JPEG file");
  // The part before the damage is whole.
  const Region top{10, 10, 200, 40};
  PixelBuffer part;
  BufferSink part_rows(part);
  const auto decoded = decoder.DecodeRegion(top, part_rows);
  REQUIRE(decoded.ok());
  CHECK(decoded->empty());
  CHECK(IsPartOf(whole, top, part));
}

}  // namespace
}  // namespace shardine::image_decoder_test
