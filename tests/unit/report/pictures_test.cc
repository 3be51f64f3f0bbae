// Captions of images, and how images are drawn.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "image/image_decode.h"
#include "image/png_encode.h"
#include "report/class_table.h"
#include "report/picture_tally.h"
#include "report/thumbnails.h"
#include "support/jpeg_maker.h"
#include "support/picture_maker.h"

namespace shardine::pictures_test {
namespace {

PixelSize SizeOf(ByteView jpeg) {
  PixelBuffer pixels;
  REQUIRE(DecodeImage(jpeg, {}, pixels).ok());
  return pixels.size();
}

PixelSize ThumbnailSize(const std::string& image) {
  Thumbnails thumbnails;
  const auto made = thumbnails.Make(AsBytes(image));
  REQUIRE(made.status().ToString() == "OK");
  CHECK(made->size() <= Thumbnails::kMostBytes);
  return SizeOf(*made);
}

TEST_CASE("A thumbnail keeps the sides in proportion and never grows",
          "[report]") {
  const auto size_of = [](std::uint32_t width, std::uint32_t height) {
    JpegSpec spec;
    spec.width = width;
    spec.height = height;
    return ThumbnailSize(MakeJpeg(spec));
  };
  CHECK(size_of(400, 300) == PixelSize{96, 72});
  CHECK(size_of(30, 20) == PixelSize{30, 20});
  CHECK(size_of(3000, 4) == PixelSize{96, 1});
}

TEST_CASE("A thumbnail is upright", "[report]") {
  JpegSpec spec;
  spec.width = 200;
  spec.height = 100;
  const std::string turned =
      InsertAfterSoi(MakeJpeg(spec), ExifSegment(6, true));
  CHECK(ThumbnailSize(turned) == PixelSize{48, 96});
}

TEST_CASE("A thumbnail of noise has at most 3 kB, too", "[report]") {
  const PixelBuffer noise = MakePicture({96, 96}, 3, 5, 255);
  ByteBuffer png;
  REQUIRE(EncodePng(noise.view(), {}, png).ok());
  CHECK(ThumbnailSize(std::string(AsText(png.view()))).width <= 96);
}

TEST_CASE("Thumbnails reports images that cannot be decoded",
          "[report][damage]") {
  Thumbnails thumbnails;
  const std::string jpeg = MakeJpeg();
  CHECK_FALSE(thumbnails.Make(AsBytes("no image")).ok());
  CHECK_FALSE(thumbnails.Make({}).ok());
  CHECK_FALSE(thumbnails.Make(AsBytes(jpeg.substr(0, 20))).ok());
  CHECK(thumbnails.Make(AsBytes(jpeg)).ok());
}

TEST_CASE("JpegQualityOf finds the quality that libjpeg was given",
          "[report]") {
  for (const int quality : {10, 30, 50, 75, 85, 90, 95, 100}) {
    JpegSpec spec;
    spec.quality = quality;
    CHECK(JpegQualityOf(AsBytes(MakeJpeg(spec))) == quality);
  }
  CHECK(JpegQualityOf(AsBytes("no image")) == 0);
  CHECK(JpegQualityOf(AsBytes(MakeJpeg().substr(0, 30))) == 0);
}

ClassMap Classes() {
  return {{.name = "cat", .label = 0}, {.name = "dog", .label = 5}};
}

TEST_CASE("ClassTable tells mixed orders from sorted ones", "[report]") {
  const ClassMap classes = Classes();
  ClassTable table(classes, 2);
  const Label cat(0);
  const Label dog(5);
  for (int i = 0; i < 100; ++i) {
    table.Add(0, {i < 50 ? &cat : &dog, 1});
    table.Add(1, {i % 2 == 0 ? &cat : &dog, 1});
  }
  REQUIRE(table.mixing(0).has_value());
  CHECK(*table.mixing(0) < 0.05);
  CHECK(*table.mixing(1) > 1.9);
  CHECK(table.imbalance(0) == 1);
}

TEST_CASE("ClassTable counts classes by split", "[report]") {
  const ClassMap classes = Classes();
  ClassTable table(classes, 3);
  const std::vector<Label> both = {Label(5), Label(0), Label(5)};
  const Label dog(5);
  const Label stranger(7);
  CHECK(table.Add(0, both) == 1);
  CHECK(table.Add(0, {&dog, 1}) == 1);
  CHECK(table.Add(1, {&stranger, 1}) == 2);
  CHECK(table.Add(1, {}) == 2);
  CHECK(table.count(0, 0) == 1);
  CHECK(table.count(0, 1) == 2);
  CHECK(table.without(1) == 2);
  CHECK(table.missing(0) == 0);
  CHECK(table.missing(1) == 2);
  CHECK(table.imbalance(0) == 2);
  CHECK(table.imbalance(1) == 0);
  CHECK_FALSE(table.mixing(1).has_value());
  CHECK_FALSE(table.mixing(2).has_value());
}

TEST_CASE("PictureTally counts each image once in each histogram", "[report]") {
  PictureTally tally;
  IndexEntry entry;
  entry.fields = {{.name = "image",
                   .dtype = "|S",
                   .shape = {},
                   .extents = {{.offset = 0, .length = 3000}}}};
  entry.facts = {.kind = ImageKind::kJpeg,
                 .coding = ImageCoding::kProgressive,
                 .width = 300,
                 .height = 200,
                 .components = 3,
                 .bits = 8,
                 .orientation = 6};
  tally.Add(entry);
  entry.facts.coding = ImageCoding::kBaseline;
  entry.facts.width = 2000;
  tally.Add(entry);
  tally.Add(IndexEntry());
  CHECK(tally.images() == 2);
  std::vector<std::string> words;
  for (const Histogram& histogram : tally.histograms()) {
    for (const Histogram::Bar& bar : histogram.bars) {
      if (bar.count == 0) continue;
      words.push_back(histogram.name + ": " + bar.label + " " +
                      std::to_string(bar.count));
    }
  }
  CHECK(words ==
        std::vector<std::string>{
            "Kinds: jpeg 1", "Kinds: jpeg, progressive 1", "Channels: color 2",
            "Short side, pixels: 192 2", "Width by height: over 4:3 1",
            "Width by height: over 4:1 1", "Size of the file, KiB: 2 2",
            "Bits per pixel: below 0.25 1", "Bits per pixel: 0.25 1",
            "Traits: extreme aspect (over 4:1) 1", "Traits: turned by EXIF 2"});
}

}  // namespace
}  // namespace shardine::pictures_test
