// The promises of all codecs of LMDB's values, each by its layout.
#include "lmdb/value_codec.h"

#include "unit/lmdb/coded_sample.h"
#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::value_codec_test {
namespace {

struct Named {
  std::string_view layout;
  std::string_view keys;
  std::string key_of_seven;  // of a sample "key" at position 7
};
const Named kCodecs[] = {{"folder2lmdb", "%08d", "00000007"},
                         {"folder2lmdb", "%d", "7"},
                         {"pytorch-lmdb", "", "7"},
                         {"datum", "", "00000007_key"},
                         {"tensorpack", "", "00000007"},
                         {"images", "%08d_key", "00000007_key"},
                         {"fields", "", "key"}};

TEST_CASE("Each layout of LMDB has the codec that makes its keys",
          "[lmdb][codec]") {
  for (const Named& named : kCodecs) {
    INFO(named.layout << " " << named.keys);
    const auto codec = CodecOf(named.layout, named.keys);
    const auto entry = Encoded(*codec, Photo("jpg"), 7);
    REQUIRE(entry.ok());
    CHECK(entry->key == named.key_of_seven);
    CHECK((codec->NewKeyList() != nullptr) ==
          (named.layout != "datum" && named.layout != "images"));
  }
}

TEST_CASE("Keys that a codec promises to ascend do so at every position",
          "[lmdb][codec]") {
  std::vector<std::uint64_t> positions;
  for (std::uint64_t ten = 1; ten <= 100'000'000; ten *= 10) {
    for (const std::uint64_t at : {ten - 1, ten, ten + 1, 2 * ten}) {
      if (at < 100'000'000) positions.push_back(at);
    }
  }
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()),
                  positions.end());
  for (const Named& named : kCodecs) {
    const auto codec = CodecOf(named.layout, named.keys);
    std::string before;
    bool ascend = true;
    for (const std::uint64_t position : positions) {
      const auto entry = Encoded(*codec, Photo("jpg"), position);
      REQUIRE(entry.ok());
      ascend = ascend && entry->key > before;
      before = entry->key;
    }
    INFO(named.layout << " " << named.keys);
    CHECK(codec->keys_ascend() == ascend);
  }
}

TEST_CASE("A position that would break the order of keys is refused",
          "[lmdb][codec]") {
  for (const Named& named : kCodecs) {
    INFO(named.layout << " " << named.keys);
    const auto codec = CodecOf(named.layout, named.keys);
    CHECK(Encoded(*codec, Photo("jpg"), 99'999'999).ok());
    const auto beyond = Encoded(*codec, Photo("jpg"), 100'000'000);
    CHECK(beyond.ok() == !codec->keys_ascend());
    if (beyond.ok()) continue;
    CHECK(beyond.status().code() == Code::kUnsupported);
    CHECK_THAT(beyond.status().message(), Catch::Contains("make more shards"));
  }
}

TEST_CASE("Every codec gives back what it encoded, in place, at any size",
          "[lmdb][codec]") {
  for (const Named& named : kCodecs) {
    INFO(named.layout << " " << named.keys);
    const auto codec = CodecOf(named.layout, named.keys);
    OracleDraws draws(3);
    // About the sizes at which a size gets more bytes, or a frame ends.
    for (const std::uint32_t near : {0U, 120U, 250U, 1020U, 16380U, 65520U}) {
      for (std::uint32_t size = near; size < near + 24; ++size) {
        MadeSample sample = Photo(draws.Bytes(size));
        sample.key = "n" + std::to_string(draws.Below(1000));
        if (size % 5 != 0 && named.layout != "images") {
          sample.labels.emplace_back(
              static_cast<std::int32_t>(draws.Below(~0U) >> draws.Below(31)));
        }
        const auto entry = Encoded(*codec, sample, size);
        REQUIRE(entry.status().ToString() == "OK");
        const auto back = Decoded(*codec, *entry);
        REQUIRE(back.status().ToString() == "OK");
        const bool keeps_key = named.layout != "folder2lmdb" &&
                               named.layout != "tensorpack" &&
                               named.layout != "pytorch-lmdb";
        if (!keeps_key) sample.key = "none";
        REQUIRE((*back == sample));
      }
    }
  }
}

TEST_CASE("A codec that refused a sample takes the next one", "[lmdb][codec]") {
  for (const Named& named : kCodecs) {
    INFO(named.layout << " " << named.keys);
    // Any value is an image there, and none has labels: images_codec_test.cc.
    if (named.layout == "images") continue;
    const auto codec = CodecOf(named.layout, named.keys);
    const auto whole = Encoded(*codec, Photo("jpg", {Label(5)}));
    REQUIRE(whole.ok());
    MadeSample refused = Photo("jpg");
    refused.fields[0].dtype = "|O8";
    CHECK_FALSE(Refusal(*codec, refused).ok());
    CHECK_FALSE(Decoded(*codec, {"key", "junk"}).ok());
    const auto again = Encoded(*codec, Photo("jpg", {Label(5)}));
    REQUIRE(again.ok());
    CHECK(again->value == whole->value);
    CHECK(Decoded(*codec, *again)->labels == std::vector<Label>{Label(5)});
  }
}

TEST_CASE("Any byte of a value may be any other, and its error names a byte",
          "[lmdb][codec][corruption]") {
  for (const Named& named : kCodecs) {
    INFO(named.layout);
    if (named.layout == "images") continue;
    const auto codec = CodecOf(named.layout, named.keys);
    MadeSample sample = Photo("a jpg", {Label(300)});
    if (named.layout == "fields") {
      sample.fields.push_back({"p", "<i2", {2, 1}, "1234"});
    }
    const auto entry = Encoded(*codec, sample);
    REQUIRE(entry.ok());
    const std::string& whole = entry->value;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      // A pickle is refused at every cut; some cuts of a Datum are Datums.
      const auto cut = Decoded(*codec, {entry->key, whole.substr(0, at)});
      REQUIRE((named.layout == "datum" || !cut.ok()));
      for (int byte = 0; byte < 256; ++byte) {
        Entry damaged = *entry;
        damaged.value[at] = static_cast<char>(byte);
        const auto read = Decoded(*codec, damaged);
        if (read.ok()) continue;
        const Status status = read.status();
        const bool known = status.code() == Code::kCorrupt ||
                           status.code() == Code::kUnsupported;
        const std::uint64_t offset = status.where().offset.value_or(1000);
        INFO("byte " << at << ": " << status.ToString());
        if (!known || offset < 1000 || offset > 1000 + whole.size()) FAIL();
      }
    }
  }
}

TEST_CASE("OnlyImage is the image of a sample that has nothing else",
          "[lmdb][codec]") {
  const FieldView image{.name = "image"};
  const FieldView two[] = {image, {.name = "mask"}};
  const FieldView other{.name = "Image"};
  CHECK(OnlyImage({.key = "", .labels = {}, .fields = {&image, 1}}) == &image);
  CHECK(OnlyImage({.key = "", .labels = {}, .fields = two}) == nullptr);
  CHECK(OnlyImage({.key = "", .labels = {}, .fields = {&other, 1}}) == nullptr);
  CHECK(OnlyImage({.key = "", .labels = {}, .fields = {}}) == nullptr);
}

}  // namespace
}  // namespace shardine::value_codec_test
