// Examples that other programs wrote, and the scanner's reading of them.
#include <limits>

#include "unit/tfrecord/tfrecord_bytes.h"

namespace shardine::tfrecord_foreign_test {
namespace {

using Names = std::vector<std::string>;

Names NamesOf(const FoundSample& sample) {
  Names names;
  for (const auto& [name, field] : sample.fields) names.push_back(name);
  return names;
}

const std::pair<std::string, std::string> kEncodedImage = {
    "image/encoded", BytesFeature({"jpg"})};

TEST_CASE("TfRecordScanner makes a key of class and file name", "[tfrecord]") {
  const auto filename =
      std::pair("image/filename", BytesFeature({"n01_7.JPEG"}));
  const auto synset = std::pair("image/class/synset", BytesFeature({"n01"}));
  CHECK(ScanRecord(ExampleOf({kEncodedImage, filename, synset})).key ==
        "n01/n01_7.JPEG");
  CHECK(ScanRecord(ExampleOf({kEncodedImage, filename})).key == "n01_7.JPEG");
  CHECK_FALSE(ScanRecord(ExampleOf({kEncodedImage, synset})).key);
  CHECK(ScanRecord(ExampleOf({kEncodedImage,
                              filename,
                              synset,
                              {"shardine/key", BytesFeature({"a/b"})}}))
            .key == "a/b");
}

TEST_CASE("TfRecordScanner drops what only says again what a sample says",
          "[tfrecord]") {
  const FoundSample sample =
      ScanRecord(ExampleOf({kEncodedImage,
                            {"image/height", Int64Feature({4})},
                            {"image/width", Int64Feature({5})},
                            {"image/channels", Int64Feature({3})},
                            {"image/colorspace", BytesFeature({"RGB"})},
                            {"image/format", BytesFeature({"JPEG"})},
                            {"image/class/text", BytesFeature({"tench"})},
                            {"image/class/label", Int64Feature({1})}}));
  CHECK(NamesOf(sample) == Names{"image"});
  CHECK(sample.class_text == "tench");
  CHECK(sample.labels == std::vector{Label(1)});
}

TEST_CASE("TfRecordScanner keeps features of another kind than the layout's",
          "[tfrecord]") {
  const FoundSample sample =
      ScanRecord(ExampleOf({kEncodedImage,
                            {"image/height", FloatFeature({4})},
                            {"image/width", Int64Feature({5, 6})},
                            {"image/format", Int64Feature({1})},
                            {"image/class/label", FloatFeature({1})},
                            {"image/source_id", BytesFeature({"7"})}}));
  CHECK(NamesOf(sample) == Names{"image", "image/class/label", "image/format",
                                 "image/height", "image/source_id",
                                 "image/width"});
  CHECK(sample.labels.empty());
}

TEST_CASE(
    "TfRecordScanner keeps all features of what is no image of the "
    "layout",
    "[tfrecord]") {
  const FoundSample sample =
      ScanRecord(ExampleOf({{"image/raw", BytesFeature({"pixels"})},
                            {"image/height", Int64Feature({4})},
                            {"image/class/label", Int64Feature({1})}}));
  CHECK(NamesOf(sample) ==
        Names{"image/class/label", "image/height", "image/raw"});
  CHECK(sample.labels.empty());
  CHECK_FALSE(sample.key);
}

TEST_CASE("TfRecordScanner subtracts the label offset it is told",
          "[tfrecord]") {
  const auto record = [](std::int64_t label) {
    return ExampleOf(
        {kEncodedImage, {"image/class/label", Int64Feature({label})}});
  };
  const std::string one = "tfrecord/imagenet:label_offset=1";
  CHECK(ScanRecord(record(1000)).labels == std::vector{Label(1000)});
  CHECK(ScanRecord(record(1000), one).labels == std::vector{Label(999)});
  CHECK(ScanRecord(record(0), one).labels == std::vector{Label(-1)});
  const Status status =
      StatusOf(record(std::numeric_limits<std::int64_t>::min()), one);
  CHECK(status.code() == Code::kUnsupported);
}

std::vector<std::pair<std::string, std::string>> WithBoxes(
    const std::string& box_label, std::vector<float> side = {0.5F, 1.0F}) {
  std::vector<std::pair<std::string, std::string>> features = {
      kEncodedImage,
      {"image/class/label", Int64Feature({7})},
      {"image/object/bbox/label", box_label}};
  for (const char* name : {"xmin", "xmax", "ymin", "ymax"}) {
    features.emplace_back(std::string("image/object/bbox/") + name,
                          FloatFeature(side));
  }
  return features;
}

TEST_CASE("TfRecordScanner keeps labels of boxes only where they say more",
          "[tfrecord]") {
  const auto kept = [](const std::string& box_label,
                       std::vector<float> side = {0.5F, 1.0F}) {
    const FoundSample sample =
        ScanRecord(ExampleOf(WithBoxes(box_label, std::move(side))));
    CHECK(sample.fields.at("image/object/bbox/xmin").dtype == "<f4");
    return sample.fields.contains("image/object/bbox/label");
  };
  CHECK_FALSE(kept(Int64Feature({7, 7})));
  CHECK_FALSE(kept(Int64Feature({}), {}));
  CHECK(kept(Int64Feature({7, 8})));
  CHECK(kept(Int64Feature({7})));
  CHECK(kept(Int64Feature({7, 7, 7})));
  CHECK(kept(FloatFeature({7, 7})));
  CHECK(kept(BytesFeature({"7"})));
}

TEST_CASE("TfRecordScanner makes a field of each of several texts",
          "[tfrecord]") {
  const FoundSample sample = ScanRecord(ExampleOf(
      {{"t", BytesFeature({"a", "", "c"})}, {"none", BytesFeature({})}}));
  CHECK(NamesOf(sample) == Names{"t[0]", "t[1]", "t[2]"});
  CHECK(sample.fields.at("t[2]").bytes == "c");
  CHECK(sample.fields.at("t[1]").extents.size() == 1);
}

TEST_CASE("TfRecordScanner gives numbers an extent where they lie as such",
          "[tfrecord]") {
  std::string unpacked;
  for (const char* value : {"abcd", "efgh"}) {
    unpacked += Varint(1 << 3 | 5) + value;
  }
  const std::string record = ExampleOf({{"ints", Int64Feature({1, -1, 300})},
                                        {"no ints", Int64Feature({})},
                                        {"packed", FloatFeature({1.5F, 2})},
                                        {"unpacked", ProtoField(2, unpacked)}});
  const FoundSample sample = ScanRecord(record);
  const std::string file = FileOf(record);
  const auto& packed = sample.fields.at("packed");
  CHECK(packed.extents.size() == 1);
  CHECK(JoinExtents(file, packed.extents) == packed.bytes);
  const auto& loose = sample.fields.at("unpacked");
  CHECK(loose.bytes == "abcdefgh");
  CHECK(loose.extents.size() == 2);
  CHECK(JoinExtents(file, loose.extents) == loose.bytes);
  const auto& ints = sample.fields.at("ints");
  CHECK(ints.dtype == "<i8");
  CHECK(ints.shape == std::vector<std::uint64_t>{3});
  CHECK(ints.bytes == FromHex("0100000000000000 ffffffffffffffff "
                              "2c01000000000000"));
  CHECK(ints.extents.empty());
  CHECK(sample.fields.at("no ints").extents.size() == 1);
}

TEST_CASE("TfRecordScanner gives compressed fields no extents but empty ones",
          "[tfrecord]") {
  const std::string file = FileOf(ExampleOf({{"a", BytesFeature({"text"})},
                                             {"b", BytesFeature({""})},
                                             {"c", FloatFeature({1})}}));
  for (const int bits : {31, 15}) {
    const FoundSamples found = ScanBytes(Deflated(file, bits));
    REQUIRE(found.samples.size() == 1);
    const auto& fields = found.samples[0].fields;
    CHECK(fields.at("a").extents.empty());
    CHECK(fields.at("b").extents == std::vector<Extent>{{0, 0}});
    CHECK(fields.at("c").extents.empty());
    CHECK(fields.at("a").bytes == "text");
  }
}

TEST_CASE("TfRecordScanner puts an array together only if all of it fits",
          "[tfrecord]") {
  const auto names = [](const std::string& bytes, const std::string& dtype,
                        const std::string& shape) {
    return NamesOf(ScanRecord(
        ExampleOf({{"a", bytes}, {"a/dtype", dtype}, {"a/shape", shape}})));
  };
  const std::string eight = BytesFeature({"12345678"});
  const std::string dtype = BytesFeature({"<f8"});
  const Names apart = {"a", "a/dtype", "a/shape"};
  CHECK(names(eight, dtype, Int64Feature({1})) == Names{"a"});
  CHECK(names(eight, dtype, Int64Feature({})) == Names{"a"});
  CHECK(names(eight, dtype, Int64Feature({2})) == apart);
  CHECK(names(eight, dtype, Int64Feature({-1})) == apart);
  CHECK(names(eight, BytesFeature({">f8"}), Int64Feature({1})) == apart);
  CHECK(names(eight, BytesFeature({"|S"}), Int64Feature({})) == apart);
  CHECK(names(eight, Int64Feature({1}), Int64Feature({1})) == apart);
  CHECK(names(Int64Feature({1}), dtype, Int64Feature({1})) == apart);
  CHECK(names(eight, dtype, BytesFeature({"1"})) == apart);
  CHECK(names(eight, dtype, Int64Feature(std::vector<std::int64_t>(33, 1))) ==
        apart);
  CHECK(names(BytesFeature({"1", "2"}), dtype, Int64Feature({})) ==
        Names{"a/dtype", "a/shape", "a[0]", "a[1]"});
}

TEST_CASE("TfRecordScanner reads TFDS sets with what they have", "[tfrecord]") {
  const std::string tfds = "tfrecord/tfds";
  const auto image = std::pair("image", BytesFeature({"jpg"}));
  const FoundSample bare = ScanRecord(ExampleOf({image}), tfds);
  CHECK_FALSE(bare.key);
  CHECK(bare.labels.empty());
  const FoundSample several =
      ScanRecord(ExampleOf({image, {"label", Int64Feature({1, 2})}}), tfds);
  CHECK(several.labels.empty());
  CHECK(NamesOf(several) == Names{"image", "label"});
  const FoundSample text =
      ScanRecord(ExampleOf({image, {"label", BytesFeature({"dog"})}}), tfds);
  CHECK(NamesOf(text) == Names{"image", "label"});
}

std::string DetectedLayout(const std::string& contents) {
  MemoryStorage storage;
  storage.Put("x.tfrecord-00000-of-00008", contents);
  const auto file = storage.Open("x.tfrecord-00000-of-00008");
  const auto choice = kTfRecordFormat.detect_layout(**file);
  REQUIRE(choice.ok());
  return std::string(choice->layout->name);
}

TEST_CASE("The layout of a foreign TFRecord is told by its first record",
          "[tfrecord]") {
  const auto image = std::pair("image", BytesFeature({"jpg"}));
  const auto detected = [](const auto&... features) {
    const std::string file = FileOf(ExampleOf({features...}));
    CHECK(DetectedLayout(Deflated(file, 31)) == DetectedLayout(file));
    return DetectedLayout(file);
  };
  const auto label = std::pair("label", Int64Feature({1}));
  const auto name = std::pair("file_name", BytesFeature({"a"}));
  const auto key = std::pair("shardine/key", BytesFeature({"a"}));
  CHECK(detected(kEncodedImage, label) == "imagenet");
  CHECK(detected(image, label) == "tfds");
  CHECK(detected(image, name) == "tfds");
  CHECK(detected(image, label, key) == "imagenet");
  CHECK(detected(image) == "tfds");
  CHECK(detected(std::pair("image", BytesFeature({"a", "b"}))) == "imagenet");
  CHECK(detected(label, name) == "imagenet");
  CHECK(DetectedLayout("") == "imagenet");
  CHECK(DetectedLayout("damaged") == "imagenet");
  CHECK(DetectedLayout(FileOf("no Example")) == "imagenet");
}

TEST_CASE("TfRecordScanner bounds what numbers and names may ask of memory",
          "[tfrecord][corruption]") {
  const std::string many(3'000'000, '\1');
  const Status numbers =
      StatusOf(ExampleOf({{"i", ProtoField(3, ProtoField(1, many))}}));
  CHECK(numbers.code() == Code::kUnsupported);
  CHECK_THAT(numbers.message(), Catch::Contains("16 MiB of numbers"));
  const Status labels = StatusOf(
      ExampleOf({kEncodedImage,
                 {"image/class/label", ProtoField(3, ProtoField(1, many))}}));
  CHECK(labels.code() == Code::kUnsupported);
  CHECK_THAT(labels.message(), Catch::Contains("3000000 labels"));
  const Status names =
      StatusOf(ExampleOf({{std::string(1 << 20, 'n'),
                           BytesFeature(std::vector<std::string>(5))}}));
  CHECK(names.code() == Code::kUnsupported);
  const Status fields = StatusOf(
      ExampleOf({{"n", BytesFeature(std::vector<std::string>(20'000))}}));
  CHECK_THAT(fields.message(), Catch::Contains("too many"));
}

TEST_CASE(
    "TfRecordScanner survives each flipped byte behind a repaired "
    "checksum",
    "[tfrecord][corruption]") {
  const std::string record =
      ExampleOf({kEncodedImage,
                 {"image/class/label", Int64Feature({1})},
                 {"f", FloatFeature({1, 2})},
                 {"a", BytesFeature({"12345678"})},
                 {"a/dtype", BytesFeature({"<f8"})},
                 {"a/shape", Int64Feature({1})}});
  for (std::size_t i = 0; i < record.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = record;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const std::string file = FileOf(damaged);
      const FoundSamples found = ScanBytes(file);
      CHECK((found.status.ok() || found.status.where().record == 0));
      for (const FoundSample& sample : found.samples) {
        for (const auto& [name, field] : sample.fields) {
          if (field.extents.empty()) continue;
          CHECK(JoinExtents(file, field.extents) == field.bytes);
        }
      }
    }
  }
}

}  // namespace
}  // namespace shardine::tfrecord_foreign_test
