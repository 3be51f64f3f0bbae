// Features of other programs' records after they were samples: the same kind,
// name and number of values as before, by protobuf's own parser.
#include <memory>

#include "support/example_oracle.h"
#include "unit/tfrecord/tfrecord_bytes.h"

namespace shardine::tfrecord_features_test {
namespace {

using Features = std::vector<std::pair<std::string, std::string>>;

const std::string kImagenet = "tfrecord/imagenet";
const std::string kTfds = "tfrecord/tfds";
const std::pair<std::string, std::string> kEncodedImage = {
    "image/encoded", BytesFeature({"jpg"})};

struct Written {
  OracleFeatures features;
  FoundSample sample;
  std::string file;
};

SampleView ViewOf(const FoundSample& sample, std::vector<FieldView>& fields) {
  for (const auto& [name, field] : sample.fields) {
    fields.push_back({name, field.dtype, field.shape, AsBytes(field.bytes)});
  }
  return {.id = sample.id.value_or(7),
          .key = sample.key ? std::string_view(*sample.key) : "the key",
          .labels = sample.labels,
          .fields = fields,
          .class_name = sample.class_name,
          .class_text = sample.class_text};
}

Result<Written> Write(const SampleView& sample, const std::string& layout) {
  MemoryStorage storage;
  auto writer = kTfRecordFormat.create_writer(
      storage, {.shard = "x", .companion = "x.idx"}, ParseLayout(layout));
  REQUIRE(writer.ok());
  const Status status = (*writer)->Append(sample);
  if (!status.ok()) return status;
  REQUIRE((*writer)->Finish().ok());
  const std::string file = *storage.Get("x");
  const auto features = ParseByProtobuf(file.substr(12, file.size() - 16));
  REQUIRE(features);
  FoundSamples found = ScanBytes(file, layout);
  INFO(found.status.ToString());
  REQUIRE(found.samples.size() == 1);
  return Written{*features, found.samples[0], file};
}

// The conversion of the record: its fields read back as they were.
Written Convert(const std::string& record, const std::string& layout) {
  const FoundSample sample = ScanRecord(record, layout);
  std::vector<FieldView> fields;
  auto written = Write(ViewOf(sample, fields), layout);
  INFO(written.status().ToString());
  REQUIRE(written.ok());
  CHECK(written->sample.fields == sample.fields);
  CHECK(written->sample.labels == sample.labels);
  for (const auto& [name, field] : written->sample.fields) {
    INFO(name);
    CHECK_FALSE(field.extents.empty());
    CHECK(JoinExtents(written->file, field.extents) == field.bytes);
  }
  return *std::move(written);
}

// Each feature of the record is there afterwards, too, and the same.
void CheckKept(const Features& features, const std::string& layout) {
  const std::string record = ExampleOf(features);
  const auto before = ParseByProtobuf(record);
  REQUIRE(before);
  const Written written = Convert(record, layout);
  for (const auto& [name, feature] : *before) {
    INFO(layout << ": " << name);
    const auto after = written.features.find(name);
    REQUIRE(after != written.features.end());
    CHECK(after->second == feature);
  }
}

Features ObjectsOfCoco(std::size_t count) {
  const std::vector<float> side(count, 0.25F);
  const std::vector<std::int64_t> numbers(count, 17);
  return {kEncodedImage,
          {"image/filename", BytesFeature({"000000397133.jpg"})},
          {"image/source_id", BytesFeature({"397133"})},
          {"image/key/sha256", BytesFeature({"ab12"})},
          {"image/object/bbox/xmin", FloatFeature(side)},
          {"image/object/bbox/xmax", FloatFeature(side)},
          {"image/object/bbox/ymin", FloatFeature(side)},
          {"image/object/bbox/ymax", FloatFeature(side)},
          {"image/object/class/label", Int64Feature(numbers)},
          {"image/object/class/text",
           BytesFeature(std::vector<std::string>(count, "cat"))},
          {"image/object/is_crowd", Int64Feature(numbers)},
          {"image/object/area", FloatFeature(side)}};
}

TEST_CASE("The features of COCO's decoder stay lists of their kind and length",
          "[tfrecord]") {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 11U, 120U}) {
    CheckKept(ObjectsOfCoco(count), kImagenet);
  }
}

TEST_CASE("Features like those of TFDS keep names and kinds in both layouts",
          "[tfrecord]") {
  const Features features = {{"image", BytesFeature({"png"})},
                             {"image/filename", BytesFeature({"a.jpg"})},
                             {"image/id", Int64Feature({-1})},
                             {"objects/bbox", FloatFeature({0, 1, 0.5F})},
                             {"objects/is_crowd", Int64Feature({0, 1, 0})},
                             {"objects/names", BytesFeature({"a", "", "a"})},
                             {"nothing", Int64Feature({})},
                             {"no texts", BytesFeature({})}};
  CheckKept(features, kTfds);
  // The other layout has another name for the image.
  CheckKept({features.begin() + 1, features.end() - 1}, kImagenet);
}

TEST_CASE("Features with names of the layout keep what the layout does not say",
          "[tfrecord]") {
  CheckKept({kEncodedImage,
             {"image/height", FloatFeature({4})},
             {"image/width", Int64Feature({5, 6})},
             {"image/channels", BytesFeature({"3"})},
             {"image/format", Int64Feature({1})},
             {"image/colorspace", BytesFeature({"RGB", "sRGB"})},
             {"image/filename", BytesFeature({})},
             {"image/class/synset", BytesFeature({"n01"})},
             {"image/class/text", BytesFeature({"tench", "fish"})},
             {"image/class/label", FloatFeature({1})},
             {"image/object/bbox/label", Int64Feature({1, 2})}},
            kImagenet);
  CheckKept({kEncodedImage,
             {"image/class/synset", BytesFeature({"n01"})},
             {"image/class/text", BytesFeature({"tench"})},
             {"image/class/label", Int64Feature({1, 2})}},
            kImagenet);
  CheckKept({kEncodedImage,
             {"image/class/text", BytesFeature({"tench"})},
             {"image/class/label", Int64Feature({})}},
            kImagenet);
  CheckKept({{"image/encoded", BytesFeature({"frame 0", "frame 1"})},
             {"image/class/label", Int64Feature({3})}},
            kImagenet);
}

TEST_CASE("Records of no layout keep features that have its names",
          "[tfrecord]") {
  CheckKept({{"image/raw", BytesFeature({"pixels"})},
             {"image/height", Int64Feature({4})},
             {"image/filename", BytesFeature({"a/b"})},
             {"image/format", BytesFeature({"raw"})},
             {"image/class/label", Int64Feature({1})},
             {"image/class/text", BytesFeature({"tench"})}},
            kImagenet);
}

TEST_CASE("A label that is no single number stays a feature of TFDS",
          "[tfrecord]") {
  const auto image = std::pair("image", BytesFeature({"jpg"}));
  CheckKept({image, {"label", Int64Feature({1, 2})}}, kTfds);
  CheckKept({image, {"label", Int64Feature({})}}, kTfds);
  CheckKept({image, {"label", BytesFeature({"dog"})}}, kTfds);
  CheckKept({image, {"label", Int64Feature({-4})}}, kTfds);
}

TEST_CASE("Any features of any kinds are the same after a conversion",
          "[tfrecord]") {
  const std::vector<std::string> names = {
      "a",       "a/dtype",      "a/shape",
      "a!",      "a0",           "b",
      "",        "x/y",          "label",
      "image/x", "a/shape/of",   "image/object/bbox/label",
      "\u00e9",  "b/shape",      "image/id",
      "b/dtype", "b/dtype/shape"};
  Draws draws(15);
  const auto number = [&] {
    return static_cast<std::int64_t>(draws.Below(1U << 31)) << draws.Below(33);
  };
  for (int round = 0; round < 400; ++round) {
    Features features = {round % 2 == 0 ? kEncodedImage
                                        : std::pair<std::string, std::string>(
                                              "image", BytesFeature({"jpg"}))};
    for (const std::string& name : names) {
      const std::uint32_t count = draws.Below(5) * draws.Below(4);
      switch (draws.Below(4)) {
        case 0: {
          std::vector<std::string> texts(count);
          for (std::string& text : texts) text = draws.Bytes(draws.Below(9));
          features.emplace_back(name, BytesFeature(texts));
          break;
        }
        case 1:
          features.emplace_back(name,
                                FloatFeature(std::vector<float>(count, 1.5F)));
          break;
        case 2: {
          std::vector<std::int64_t> numbers(count);
          for (std::int64_t& value : numbers) value = number();
          features.emplace_back(name, Int64Feature(numbers));
          break;
        }
        default:
          break;
      }
    }
    CheckKept(features, round % 2 == 0 ? kImagenet : kTfds);
  }
}

Result<Written> WriteFields(std::vector<FieldView> fields,
                            std::span<const Label> labels = {}) {
  return Write({.id = 1, .key = "k", .labels = labels, .fields = fields},
               kImagenet);
}

FieldView Text(std::string_view name, std::string_view text) {
  return {name, "|S", {}, AsBytes(text)};
}

const std::uint64_t kOne[] = {1};
const std::uint64_t kTwo[] = {2};

TEST_CASE("Numbers of an int64 list lie in the record as such, too",
          "[tfrecord]") {
  const std::string bytes = FromHex("feffffffffffffff 2c01000000000000");
  const auto written = WriteFields({{"n", "<i8", kTwo, AsBytes(bytes)}});
  REQUIRE(written.ok());
  CHECK(written->features.at("n").values ==
        std::vector<std::string>{"-2", "300"});
  const FoundField& field = written->sample.fields.at("n");
  CHECK(field.bytes == bytes);
  CHECK(JoinExtents(written->file, field.extents) == bytes);
  CHECK(written->sample.fields.size() == 1);
}

TEST_CASE("A copy that differs from its int64 list is not taken for it",
          "[tfrecord][corruption]") {
  const std::string right = FromHex("0500000000000000");
  for (const std::string& raw : {FromHex("0600000000000000"), right + right,
                                 right.substr(1), std::string()}) {
    const FoundSample sample =
        ScanRecord(ExampleOf({kEncodedImage,
                              {"n", Int64Feature({5})},
                              {"shardine/raw/n", BytesFeature({raw})}}));
    CHECK(sample.fields.at("n").bytes == right);
    CHECK(sample.fields.at("n").extents.empty());
    CHECK(sample.fields.at("shardine/raw/n").bytes == raw);
  }
}

TEST_CASE("Numbered texts are one list only where they are all of one",
          "[tfrecord]") {
  const auto names = [](std::vector<FieldView> fields) {
    const std::size_t count = fields.size();
    const auto written = WriteFields(std::move(fields));
    REQUIRE(written.ok());
    CHECK(written->sample.fields.size() == count);
    std::vector<std::string> found;
    for (const auto& [name, feature] : written->features) {
      if (!name.starts_with("shardine/") && name != "image/filename") {
        found.push_back(name);
      }
    }
    return found;
  };
  using Names = std::vector<std::string>;
  CHECK(names({Text("t[0]", "a"), Text("t[1]", "b")}) == Names{"t"});
  CHECK(names({Text("t[0]", "a")}) == Names{"t[0]"});
  CHECK(names({Text("t[1]", "a"), Text("t[2]", "b")}) == Names{"t[1]", "t[2]"});
  CHECK(names({Text("t[0]", "a"), Text("t[1]", "b"), Text("t[3]", "d")}) ==
        Names{"t", "t[3]"});
  CHECK(names({Text("t", ""), Text("t[0]", "a"), Text("t[1]", "b")}) ==
        Names{"t", "t[0]", "t[1]"});
  CHECK(names({Text("t[]", "")}) == Names{"t"});
  CHECK(names({Text("t[]", "a")}) == Names{"t[]"});
  CHECK(names({Text("t", ""), Text("t[]", "")}) == Names{"t", "t[]"});
  CHECK(names({Text("t[0]", "a"), Text("t[1]", "b"), Text("t[]", "")}) ==
        Names{"t", "t[]"});
}

TEST_CASE("A field that reads as the shape of another is no int64 list",
          "[tfrecord]") {
  const std::string two = FromHex("0200000000000000");
  const auto written = WriteFields({Text("a", "1234567890123456"),
                                    Text("a/dtype", "<f8"),
                                    {"a/shape", "<i8", kOne, AsBytes(two)}});
  REQUIRE(written.ok());
  CHECK(written->sample.fields.size() == 3);
  CHECK(written->sample.fields.at("a/shape").bytes == two);
  CHECK(written->features.at("a/shape").kind == FeatureKind::kBytes);
}

TEST_CASE("Labels of boxes that were a field are one again", "[tfrecord]") {
  const std::string seven = FromHex("0700000000000000");
  const std::string side = "abcd";
  const Label label(7);
  std::vector<FieldView> fields = {
      {"image/object/bbox/label", "<i8", kOne, AsBytes(seven)}};
  for (const char* name : {"xmax", "xmin", "ymax", "ymin"}) {
    static std::map<std::string, std::string> names;
    std::string& full = names[name];
    full = std::string("image/object/bbox/") + name;
    fields.push_back({full, "<f4", kOne, AsBytes(side)});
  }
  const auto written = WriteFields(fields, {&label, 1});
  REQUIRE(written.ok());
  CHECK(written->sample.fields.size() == 5);
  CHECK(written->sample.labels == std::vector{label});
}

TEST_CASE("More numbers than a reader takes in varints are an array",
          "[tfrecord]") {
  const std::string many((16 << 20) + 8, '\0');
  const std::uint64_t count[] = {many.size() / 8};
  const auto written = WriteFields({{"n", "<i8", count, AsBytes(many)}});
  REQUIRE(written.ok());
  CHECK(written->features.at("n").kind == FeatureKind::kBytes);
  CHECK(written->sample.fields.at("n").bytes == many);
}

}  // namespace
}  // namespace shardine::tfrecord_features_test
