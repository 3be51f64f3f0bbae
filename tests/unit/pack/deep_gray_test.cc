// What decoding would lose of 16-bit gray is said by all that look at images.
#include "image/deep_gray.h"

#include <catch2/catch.hpp>

#include "shardine/convert.h"
#include "shardine/pack.h"
#include "shardine/scan.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "support/png_maker.h"

namespace shardine::deep_gray_test {
namespace {

using Warnings = std::vector<std::string>;

const std::string kLoss =
    "): decoded as Pillow does, whatever is above 255 of 65535 is white; make "
    "8-bit gray of them first";

// Two of 16-bit gray, in different classes, beside all that comes near.
void PutDeepGray(MemoryStorage& storage) {
  const PngSpec deep = {.bits = 16, .color_type = 0};
  storage.Put("tree/a/alpha.png", MakePng({.bits = 16, .color_type = 4}));
  storage.Put("tree/a/color.png", MakePng({.bits = 16}));
  storage.Put("tree/a/gray.jpg",
              MakeJpeg({.width = 19, .height = 13, .color = JpegColor::kGray}));
  storage.Put("tree/a/gray.png", MakePng({.color_type = 0}));
  storage.Put("tree/b/deep.png", MakePng(deep));
  storage.Put(
      "tree/c/\x1b"
      "deep.png",
      MakePng(deep));
}

PackOptions InOrder(const std::string& output) {
  PackOptions options = PackOf("tree", output);
  options.shuffle = false;
  return options;
}

const Warnings kTwo = {"2 images are 16-bit gray PNGs (the first: b/deep.png" +
                       kLoss};

TEST_CASE("IsDeepGray is true of 16-bit gray without alpha alone",
          "[deep_gray]") {
  const ImageFacts deep = {
      .kind = ImageKind::kPng, .components = 1, .bits = 16};
  CHECK(IsDeepGray(deep));
  ImageFacts other = deep;
  other.bits = 8;
  CHECK_FALSE(IsDeepGray(other));
  other = deep;
  other.components = 2;
  CHECK_FALSE(IsDeepGray(other));
  other = deep;
  other.kind = ImageKind::kTiff;
  CHECK_FALSE(IsDeepGray(other));
}

TEST_CASE("DeepGrayCount names the first key, escaped", "[deep_gray]") {
  DeepGrayCount count;
  CHECK(count.Warnings().empty());
  count.Add("a\x1b/b.png");
  CHECK(count.Warnings() ==
        Warnings{"1 image is a 16-bit gray PNG (the first: a\\x1B/b.png" +
                 kLoss});
  count.Add("c.png");
  CHECK(count.Warnings() ==
        Warnings{"2 images are 16-bit gray PNGs (the first: a\\x1B/b.png" +
                 kLoss});
}

TEST_CASE("A scan warns of 16-bit gray", "[deep_gray][scan]") {
  MemoryStorage storage;
  PutDeepGray(storage);
  const auto all = Scan({.target = "tree"}, {.storage = &storage});
  REQUIRE(all.ok());
  CHECK(all->warnings == kTwo);
  const auto one = Scan({.target = "tree/a"}, {.storage = &storage});
  REQUIRE(one.ok());
  CHECK(one->warnings.empty());
}

TEST_CASE("A pack warns of 16-bit gray once, whatever it stores",
          "[deep_gray][pack]") {
  MemoryStorage storage;
  PutDeepGray(storage);
  const auto packed = Pack(InOrder("out"), {.storage = &storage});
  REQUIRE(packed.status().ToString() == "OK");
  CHECK(packed->warnings == kTwo);

  PackOptions sizes = InOrder("sizes");
  sizes.variants.original = false;
  sizes.variants.short_sides = {8, 12};
  const auto sized = Pack(sizes, {.storage = &storage});
  REQUIRE(sized.status().ToString() == "OK");
  CHECK(sized->warnings == kTwo);
}

TEST_CASE("A conversion to arrays warns of 16-bit gray, one of bytes does not",
          "[deep_gray][convert]") {
  MemoryStorage storage;
  PutDeepGray(storage);
  REQUIRE(Pack(InOrder("in"), {.storage = &storage}).ok());
  ConvertOptions options;
  options.input = "in";
  options.output = "arrays";
  options.format = "lmdb/datum";
  options.pixels = PixelOrder::kRgb;
  const auto arrays = Convert(options, {.storage = &storage});
  REQUIRE(arrays.status().ToString() == "OK");
  REQUIRE_FALSE(arrays->warnings.empty());
  CHECK(arrays->warnings.back() == kTwo[0]);
  ConvertOptions bytes;
  bytes.input = "in";
  bytes.output = "bytes";
  bytes.format = "webdataset";
  const auto same = Convert(bytes, {.storage = &storage});
  REQUIRE(same.status().ToString() == "OK");
  for (const std::string& warning : same->warnings) {
    CHECK_FALSE(warning.ends_with(kLoss));
  }
}

}  // namespace
}  // namespace shardine::deep_gray_test
