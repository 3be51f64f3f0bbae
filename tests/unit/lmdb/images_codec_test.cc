// lmdb/images: values under each key, and samples that it refuses.
#include "lmdb/images_codec.h"

#include "unit/lmdb/coded_sample.h"

namespace shardine::images_codec_test {
namespace {

MadeSample Keyed(std::string key, std::string bytes = "jpg") {
  MadeSample sample = Photo(std::move(bytes));
  sample.key = std::move(key);
  return sample;
}

TEST_CASE("A value of lmdb/images is the image file itself", "[lmdb][images]") {
  for (const bool numbered : {true, false}) {
    const auto codec = MakeImagesCodec(numbered);
    const std::string image(5000, 'i');
    const auto entry = Encoded(*codec, Keyed("n01/a.jpg", image), 12);
    REQUIRE(entry.ok());
    CHECK(entry->key == (numbered ? "00000012_n01/a.jpg" : "n01/a.jpg"));
    CHECK(entry->value == image);
    CHECK(codec->NewKeyList() == nullptr);
    CHECK(codec->EntriesBeside(1, {})->empty());
    DecodedSample decoded;
    REQUIRE(
        codec->Decode(AsBytes(entry->key), AsBytes(entry->value), 4096, decoded)
            .ok());
    CHECK(*decoded.key == "n01/a.jpg");
    CHECK(decoded.labels.empty());
    REQUIRE(decoded.fields.size() == 1);
    CHECK(decoded.fields[0].name == kImageField);
    CHECK(decoded.fields[0].offset == 4096);
    CHECK(AsText(decoded.fields[0].bytes) == image);
  }
}

TEST_CASE("A key that looks numbered is kept where keys are the samples' own",
          "[lmdb][images]") {
  const auto codec = MakeImagesCodec(false);
  DecodedSample decoded;
  REQUIRE(
      codec->Decode(AsBytes("00000012_a"), AsBytes("jpg"), 0, decoded).ok());
  CHECK(*decoded.key == "00000012_a");
}

TEST_CASE("lmdb/images refuses own keys that do not ascend", "[lmdb][images]") {
  const auto codec = MakeImagesCodec(false);
  CHECK(Encoded(*codec, Keyed("b"), 0).ok());
  CHECK(Encoded(*codec, Keyed("b1"), 1).ok());
  for (const char* key : {"b1", "b", "a", "B2"}) {
    const auto refused = Encoded(*codec, Keyed(key), 2);
    INFO(key);
    CHECK(refused.status().code() == Code::kUnsupported);
    CHECK_THAT(refused.status().message(), Catch::Contains("keys=%08d_key"));
  }
  // Bytes count, not characters of a sign.
  CHECK(Encoded(*codec, Keyed("b1\xff"), 2).ok());
  // The layout that the refusal advises takes them in any order.
  const auto numbered = MakeImagesCodec(true);
  CHECK(Encoded(*numbered, Keyed("b"), 0).ok());
  CHECK(Encoded(*numbered, Keyed("a"), 1).ok());
}

TEST_CASE("lmdb/images holds an image without labels, and none of LMDB's lists",
          "[lmdb][images]") {
  const auto codec = MakeImagesCodec(false);
  for (const char* key :
       {"__keys__", "__len__", "__classes__", "__num_classes__", ""}) {
    INFO(key);
    CHECK(Encoded(*codec, Keyed(key)).status().code() == Code::kUnsupported);
  }
  CHECK(Encoded(*codec, Photo("jpg", {Label(1)})).status().code() ==
        Code::kUnsupported);
}

}  // namespace
}  // namespace shardine::images_codec_test
