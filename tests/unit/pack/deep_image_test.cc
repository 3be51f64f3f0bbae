// All commands that look at images warn of 16 bits that decoding would lose.
#include "image/deep_image.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "shardine/convert.h"
#include "shardine/dataset_writer.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/scan.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "support/png_maker.h"

namespace shardine::deep_image_test {
namespace {

using Warnings = std::vector<std::string>;

const std::string kLoss =
    "): decoded as Pillow does, whatever is above 255 of 65535 is white; "
    "recode "
    "png with to-8-bits stores 8-bit gray";

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

const std::string kRounding = "): decoding keeps the high 8 bits of each";

// Warnings of the four that are deep.
const Warnings kFour = {
    "2 images are 16-bit gray PNGs (the first: b/deep.png" + kLoss,
    "2 images are 16-bit PNGs of several channels (the first: a/alpha.png" +
        kRounding};

TEST_CASE(
    "PNGs and TIFFs of 16 bits are deep, and gray PNGs without alpha clip",
    "[deep_image]") {
  const ImageFacts deep = {
      .kind = ImageKind::kPng, .components = 1, .bits = 16};
  CHECK(DeepImageOf(deep) == DeepImage::kGray);
  ImageFacts other = deep;
  other.bits = 8;
  CHECK(DeepImageOf(other) == DeepImage::kNone);
  for (const int components : {2, 3, 4}) {
    other = deep;
    other.components = static_cast<std::uint8_t>(components);
    CHECK(DeepImageOf(other) == DeepImage::kOther);
  }
  other = deep;
  other.kind = ImageKind::kTiff;
  CHECK(DeepImageOf(other) == DeepImage::kTiff);
  other.kind = ImageKind::kWebp;
  CHECK(DeepImageOf(other) == DeepImage::kNone);
}

TEST_CASE("DeepImageCount names the first key of each kind, escaped",
          "[deep_image]") {
  DeepImageCount count;
  count.Add(DeepImage::kNone, "8.png");
  CHECK(count.Warnings().empty());
  count.Add(DeepImage::kGray, "a\x1b/b.png");
  CHECK(count.Warnings() ==
        Warnings{"1 image is a 16-bit gray PNG (the first: a\\x1B/b.png" +
                 kLoss});
  count.Add(DeepImage::kOther, "rgb.png");
  count.Add(DeepImage::kGray, "c.png");
  CHECK(
      count.Warnings() ==
      Warnings{"2 images are 16-bit gray PNGs (the first: a\\x1B/b.png" + kLoss,
               "1 image is a 16-bit PNG of several channels (the first: "
               "rgb.png" +
                   kRounding});
}

TEST_CASE("A scan warns of 16-bit images", "[deep_image][scan]") {
  MemoryStorage storage;
  PutDeepGray(storage);
  const auto all = Scan({.target = "tree"}, {.storage = &storage});
  REQUIRE(all.ok());
  CHECK(all->warnings == kFour);
  const auto one = Scan({.target = "tree/a"}, {.storage = &storage});
  REQUIRE(one.ok());
  CHECK(one->warnings ==
        Warnings{"2 images are 16-bit PNGs of several channels (the first: "
                 "alpha.png" +
                 kRounding});
}

TEST_CASE("A pack warns of 16-bit images once, whatever it stores",
          "[deep_image][pack]") {
  MemoryStorage storage;
  PutDeepGray(storage);
  const auto packed = Pack(InOrder("out"), {.storage = &storage});
  REQUIRE(packed.status().ToString() == "OK");
  CHECK(packed->warnings == kFour);

  PackOptions sizes = InOrder("sizes");
  sizes.variants.original = false;
  sizes.variants.short_sides = {8, 12};
  const auto sized = Pack(sizes, {.storage = &storage});
  REQUIRE(sized.status().ToString() == "OK");
  CHECK(sized->warnings == kFour);
}

TEST_CASE("A conversion to arrays warns of 16 bits, one of bytes does not",
          "[deep_image][convert]") {
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
  REQUIRE(arrays->warnings.size() >= 2);
  CHECK(Warnings(arrays->warnings.end() - 2, arrays->warnings.end()) == kFour);
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

// Warnings of a writer for the images in the order of their bytes.
Warnings WarningsOfWriter(MemoryStorage& storage, unsigned threads) {
  DatasetWriterOptions options;
  options.output = "written" + std::to_string(threads);
  options.format = "webdataset";
  options.threads = threads;
  auto writer = DatasetWriter::Create(options, {.storage = &storage});
  REQUIRE(writer.status().ToString() == "OK");
  for (const char* path :
       {"a/alpha.png", "a/color.png", "a/gray.png", "b/deep.png",
        "c/\x1b"
        "deep.png"}) {
    const std::string png = *storage.Get(std::string("tree/") + path);
    const FieldView image{.name = kImageField, .bytes = AsBytes(png)};
    const Label label(1);
    REQUIRE((*writer)
                ->Append(
                    {.key = path, .labels = {&label, 1}, .fields = {&image, 1}})
                .ok());
  }
  const auto written = (*writer)->Finish();
  REQUIRE(written.status().ToString() == "OK");
  CHECK(written->contents.deep == 4);
  return written->warnings;
}

TEST_CASE("A writer warns of 16-bit images given as bytes, B12",
          "[deep_image][writer]") {
  MemoryStorage storage;
  PutDeepGray(storage);
  CHECK(WarningsOfWriter(storage, 1) == kFour);
  CHECK(WarningsOfWriter(storage, 3) == kFour);
}

TEST_CASE("An index of 16-bit images warns with their number",
          "[deep_image][index]") {
  MemoryStorage storage;
  PutDeepGray(storage);
  PackOptions options = InOrder("packed");
  options.format = "webdataset";
  options.shards = 1;
  REQUIRE(Pack(options, {.storage = &storage}).ok());
  const std::string shard = "packed/train-00000-of-00001.tar";
  storage.Put("foreign.tar", *storage.Get(shard));
  IndexOptions index;
  index.files = {"foreign.tar"};
  index.output = "indexed";
  const auto indexed = IndexShards(index, {.storage = &storage});
  REQUIRE(indexed.status().ToString() == "OK");
  for (const std::string& warning : kFour) {
    const std::string found = warning.substr(0, warning.find(" (")) +
                              warning.substr(warning.find("):") + 1);
    CHECK(std::ranges::count(indexed->warnings, found) == 1);
  }
  CHECK(indexed->contents.deep == 4);
}

}  // namespace
}  // namespace shardine::deep_image_test
