#include <catch2/catch.hpp>

#include "dataset/dataset_reader.h"
#include "image/image_decode.h"
#include "pack/pixel_array.h"
#include "shard/payload.h"
#include "shardine/convert.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/dataset_checks.h"
#include "support/jpeg_maker.h"
#include "support/pack_fixture.h"
#include "unit/pack/convert_fixture.h"

namespace shardine::convert_pixels_test {
namespace {

constexpr int kImages = 7;

std::string ImageOf(int number) {
  return MakeJpeg({.width = 40,
                   .height = 24,
                   .color = number == 3 ? JpegColor::kGray : JpegColor::kYcc,
                   .seed = static_cast<std::uint32_t>(number) + 1});
}

std::string KeyOf(int number) {
  return (number % 2 == 0 ? "a/" : "b/") + std::to_string(number) + ".jpg";
}

// "in": RecordIO of encoded images, all of 40 x 24 but `odd`, if not empty.
void PutDataset(MemoryStorage& storage, const std::string& odd = "") {
  for (int i = 0; i < kImages; ++i) {
    storage.Put("tree/" + KeyOf(i), ImageOf(i));
  }
  if (!odd.empty()) storage.Put("tree/a/odd.jpg", odd);
  PackOptions options = PackOf("tree", "in");
  options.check = ImageCheckLevel::kNone;
  REQUIRE(Pack(options, {.storage = &storage}).status().ToString() == "OK");
}

std::string ArrayOf(const std::string& image, PixelOrder order) {
  PixelBuffer pixels;
  const ColorMode color =
      order == PixelOrder::kGray ? ColorMode::kGray : ColorMode::kColor;
  REQUIRE(DecodeImage(AsBytes(image), {.color = color}, pixels).ok());
  ByteBuffer array;
  AppendPixelArray(pixels.view(), order, array);
  return std::string(AsText(array.view()));
}

// The image field of each sample by key, with the shape it has to have.
std::map<std::string, std::string> ArraysIn(
    Storage& storage, const std::string& directory,
    const std::vector<std::uint64_t>& shape) {
  const auto dataset = DatasetReader::Open(storage, directory);
  REQUIRE(dataset.ok());
  std::map<std::string, std::string> arrays;
  for (const auto& ref : (*dataset)->shards()) {
    const auto file = storage.Open((*dataset)->ShardPath(ref));
    REQUIRE(file.ok());
    const auto index =
        ShardIndex::Open(storage, SidecarName((*dataset)->ShardPath(ref)));
    REQUIRE(index.ok());
    for (std::uint64_t i = 0; i < (*index)->size(); ++i) {
      const auto entry = (*index)->Entry(i);
      const auto key = (*index)->Key(i);
      REQUIRE(entry.ok());
      REQUIRE(key.ok());
      REQUIRE(entry->fields.size() == 1);
      CHECK(entry->fields[0].dtype == "|u1");
      CHECK(entry->fields[0].shape == shape);
      ByteBuffer bytes;
      REQUIRE(AppendPayload(**file, *entry, bytes).ok());
      arrays[*key] = AsText(bytes.view());
    }
  }
  return arrays;
}

TEST_CASE("Convert decodes images where a format holds arrays only",
          "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  for (const char* format : {"hdf5/array:chunk=2", "hdf5/caffe"}) {
    const std::string out(format, 8);
    const auto converted = Run(storage, Into(out, format));
    REQUIRE(converted.status().ToString() == "OK");
    CHECK(converted->samples == kImages);
    REQUIRE_FALSE(converted->warnings.empty());
    CHECK(converted->warnings.back().starts_with(
        "images are decoded to arrays of pixels (rgb"));

    const Manifest in = ManifestOf(storage, "in");
    const Manifest made = ManifestOf(storage, out);
    CHECK(made.variant.parent_digest == in.content_digest());
    CHECK(made.variant.images == "pixels rgb");
    CHECK(made.content_digest() != in.content_digest());
    CHECK(made.names_digest() == in.names_digest());
    CHECK(made.order_digest() == in.order_digest());

    const auto arrays = ArraysIn(storage, out, {3, 24, 40});
    REQUIRE(arrays.size() == kImages);
    for (int i = 0; i < kImages; ++i) {
      CHECK((arrays.at(KeyOf(i)) == ArrayOf(ImageOf(i), PixelOrder::kRgb)));
    }
    // Deep: an array of pixels is no image that could fail to decode.
    for (const VerifyLevel level : {VerifyLevel::kFull, VerifyLevel::kDeep}) {
      VerifyOptions verify;
      verify.target = out;
      verify.level = level;
      const auto verified = Verify(verify, {.storage = &storage});
      REQUIRE(verified.ok());
      CHECK(verified->findings.empty());
    }
  }
}

TEST_CASE("Convert makes raw Datum in Caffe's order of channels on request",
          "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  ConvertOptions options = Into("bgr", "lmdb/datum");
  options.pixels = PixelOrder::kBgr;
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  const auto arrays = ArraysIn(storage, "bgr", {3, 24, 40});
  REQUIRE(arrays.size() == kImages);
  for (int i = 0; i < kImages; ++i) {
    const std::string rgb = ArrayOf(ImageOf(i), PixelOrder::kRgb);
    constexpr std::size_t kPlane = 24 * 40;
    CHECK((arrays.at(KeyOf(i)) == rgb.substr(2 * kPlane) +
                                      rgb.substr(kPlane, kPlane) +
                                      rgb.substr(0, kPlane)));
  }
  options = Into("gray", "lmdb/datum");
  options.pixels = PixelOrder::kGray;
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  CHECK((ArraysIn(storage, "gray", {1, 24, 40}).at(KeyOf(0)) ==
         ArrayOf(ImageOf(0), PixelOrder::kGray)));
}

TEST_CASE("Convert makes the same arrays with any number of threads",
          "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  for (const unsigned threads : {1u, 2u, 7u}) {
    ConvertOptions options =
        Into("out" + std::to_string(threads), "hdf5/array:chunk=2");
    options.threads = threads;
    REQUIRE(Run(storage, options).status().ToString() == "OK");
  }
  CHECK((TakeSnapshot(storage, "out1") == TakeSnapshot(storage, "out2")));
  CHECK((TakeSnapshot(storage, "out1") == TakeSnapshot(storage, "out7")));
}

TEST_CASE("Convert refuses arrays of images of several sizes by key",
          "[convert]") {
  MemoryStorage storage;
  PutDataset(storage, MakeJpeg({.width = 41, .height = 24}));
  const Status status = Run(storage, Into("out", "hdf5/array")).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message().find("arrays are of one size") != std::string::npos);
  CHECK(status.where().key);
  CHECK_FALSE(storage.Stat("out").ok());
}

TEST_CASE("Convert to arrays deals with images that do not decode",
          "[convert]") {
  MemoryStorage storage;
  const std::string whole = MakeJpeg({.width = 40, .height = 24});
  PutDataset(storage, whole.substr(0, whole.size() - 40));
  ConvertOptions options = Into("fail", "hdf5/array:chunk=2");
  const Status status = Run(storage, options).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().key == "a/odd.jpg");
  CHECK_FALSE(storage.Stat("fail/shardine.json").ok());

  options.output = "skip";
  options.on_bad = OnBad::kSkip;
  const auto skipped = Run(storage, options);
  REQUIRE(skipped.status().ToString() == "OK");
  CHECK(skipped->samples == kImages);
  REQUIRE(skipped->rejected.size() == 1);
  CHECK(skipped->rejected[0].reason == "no-end-marker");
  CHECK(storage.Stat("skip/rejected.jsonl").ok());

  options.output = "keep";
  options.on_bad = OnBad::kKeep;
  const auto kept = Run(storage, options);
  REQUIRE(kept.status().ToString() == "OK");
  CHECK(kept->samples == kImages + 1);
}

TEST_CASE("Convert that decodes nothing leaves out images with bad headers",
          "[convert]") {
  MemoryStorage storage;
  const std::string whole = MakeJpeg({.width = 40, .height = 24});
  PutDataset(storage, whole.substr(0, whole.size() - 40));
  ConvertOptions options = Into("out", "tfrecord");
  options.on_bad = OnBad::kSkip;
  const auto skipped = Run(storage, options);
  REQUIRE(skipped.status().ToString() == "OK");
  CHECK(skipped->samples == kImages);
  REQUIRE(skipped->rejected.size() == 1);
  CHECK(skipped->rejected[0].reason == "no-end-marker");
}

TEST_CASE("Convert never decodes what is an array already", "[convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  REQUIRE(Run(storage, Into("arrays", "hdf5/array:chunk=2")).ok());
  ConvertOptions options = Into("again", "lmdb/datum");
  options.input = "arrays";
  REQUIRE(Run(storage, options).status().ToString() == "OK");
  CHECK(ManifestOf(storage, "again").content_digest() ==
        ManifestOf(storage, "arrays").content_digest());
  options.output = "refused";
  options.pixels = PixelOrder::kRgb;
  const Status status = Run(storage, options).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message().find("array already") != std::string::npos);
}

}  // namespace
}  // namespace shardine::convert_pixels_test
