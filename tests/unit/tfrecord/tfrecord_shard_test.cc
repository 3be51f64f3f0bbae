// Samples through the writer and back.
#include <algorithm>
#include <limits>

#include "image/image_facts.h"
#include "support/example_oracle.h"
#include "unit/tfrecord/tfrecord_bytes.h"

namespace shardine::tfrecord_shard_test {
namespace {

const ShardPaths kPaths = {.shard = "x.tfrecord", .companion = "x.idx"};

struct Field {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::string bytes;
};

// A writer of one shard, and its files.
class Shard {
 public:
  explicit Shard(const std::string& layout) : layout_(layout) {
    auto writer =
        kTfRecordFormat.create_writer(storage_, kPaths, ParseLayout(layout));
    REQUIRE(writer.ok());
    writer_ = *std::move(writer);
  }

  Status Append(SampleView sample, std::vector<Field> owned) {
    std::ranges::sort(owned, {}, &Field::name);
    std::vector<FieldView> fields;
    for (const Field& field : owned) {
      fields.push_back(
          {field.name, field.dtype, field.shape, AsBytes(field.bytes)});
    }
    sample.fields = fields;
    return writer_->Append(sample);
  }

  std::string Finish() {
    REQUIRE(writer_->Finish().ok());
    return *storage_.Get(kPaths.shard);
  }
  std::string index() { return *storage_.Get(kPaths.companion); }

  // The only sample written, as scanned, and its features as protobuf has
  // them.
  FoundSample Back() {
    const std::string file = Finish();
    const auto features = ParseByProtobuf(file.substr(12, file.size() - 16));
    REQUIRE(features);
    features_ = *features;
    FoundSamples found = ScanBytes(file, layout_);
    INFO(found.status.ToString());
    REQUIRE(found.samples.size() == 1);
    for (const auto& [name, field] : found.samples[0].fields) {
      CHECK(JoinExtents(file, field.extents) == field.bytes);
      CHECK_FALSE(field.extents.empty());
    }
    return found.samples[0];
  }
  // After Back(): the values of a feature; empty if there is none.
  std::vector<std::string> Values(const std::string& name) {
    return features_[name].values;
  }
  const OracleFeatures& features() const { return features_; }

 private:
  const std::string layout_;
  MemoryStorage storage_;
  std::unique_ptr<ShardWriter> writer_;
  OracleFeatures features_;
};

using Strings = std::vector<std::string>;
const Field kImage = {"image", "|S", {}, "\xff\xd8 a JPEG"};

TEST_CASE("TfRecordWriter gives an image all features of ImageNet",
          "[tfrecord]") {
  const ImageFacts facts = {.kind = ImageKind::kJpeg,
                            .width = 500,
                            .height = 375,
                            .components = 3,
                            .bits = 8};
  const Label label(6);
  Shard shard("tfrecord/imagenet:label_offset=1");
  REQUIRE(shard
              .Append({.id = 41,
                       .key = "n01514668/cock.JPEG",
                       .labels = {&label, 1},
                       .fields = {},
                       .facts = &facts,
                       .class_name = "n01514668",
                       .class_text = "cock"},
                      {kImage})
              .ok());
  const FoundSample back = shard.Back();
  const std::map<std::string, Strings> expected = {
      {"image/encoded", {kImage.bytes}},
      {"image/height", {"375"}},
      {"image/width", {"500"}},
      {"image/channels", {"3"}},
      {"image/colorspace", {"RGB"}},
      {"image/format", {"JPEG"}},
      {"image/filename", {"cock.JPEG"}},
      {"image/class/label", {"7"}},
      {"image/class/synset", {"n01514668"}},
      {"image/class/text", {"cock"}},
      {"shardine/key", {"n01514668/cock.JPEG"}},
      {"shardine/id", {"41"}}};
  CHECK(shard.features().size() == expected.size());
  for (const auto& [name, values] : expected) {
    INFO(name);
    CHECK(shard.Values(name) == values);
  }
  CHECK(back.id == 41);
  CHECK(back.key == "n01514668/cock.JPEG");
  CHECK(back.labels == std::vector{label});
  CHECK(back.class_name == "n01514668");
  CHECK(back.class_text == "cock");
  REQUIRE(back.fields.size() == 1);
  CHECK(back.fields.at("image").bytes == kImage.bytes);
  CHECK(shard.index() ==
        "0 " +
            std::to_string(back.fields.at("image").extents[0].offset +
                           kImage.bytes.size() + 4) +
            "\n");
}

TEST_CASE("TfRecordWriter names format and colours truthfully", "[tfrecord]") {
  struct Row {
    ImageKind kind;
    std::uint8_t components;
    Strings format;
    Strings colorspace;
  };
  const Row rows[] = {
      {ImageKind::kJpeg, 1, {"JPEG"}, {"Grayscale"}},
      {ImageKind::kJpeg, 4, {"JPEG"}, {"CMYK"}},
      {ImageKind::kJpeg, 2, {"JPEG"}, {}},
      {ImageKind::kPng, 2, {"PNG"}, {"GrayscaleAlpha"}},
      {ImageKind::kPng, 4, {"PNG"}, {"RGBA"}},
      {ImageKind::kWebp, 0, {"WEBP"}, {}},
      {ImageKind::kGif, 0, {"GIF"}, {}},
      {ImageKind::kBmp, 0, {"BMP"}, {}},
      {ImageKind::kTiff, 0, {"TIFF"}, {}},
      {ImageKind::kHeic, 0, {"HEIC"}, {}},
      {ImageKind::kSvg, 0, {}, {}},
  };
  for (const Row& row : rows) {
    const ImageFacts facts = {.kind = row.kind,
                              .width = row.components == 0 ? 0U : 5U,
                              .height = row.components == 0 ? 0U : 4U,
                              .components = row.components};
    Shard shard("tfrecord/imagenet");
    REQUIRE(shard
                .Append({.id = 1,
                         .key = "k",
                         .labels = {},
                         .fields = {},
                         .facts = &facts},
                        {kImage})
                .ok());
    shard.Back();
    CHECK(shard.Values("image/format") == row.format);
    CHECK(shard.Values("image/colorspace") == row.colorspace);
    CHECK(shard.Values("image/height").empty() == (row.components == 0));
  }
}

TEST_CASE("TfRecordWriter gives an image the features of TFDS", "[tfrecord]") {
  const Label label(-1);
  Shard shard("tfrecord/tfds");
  REQUIRE(
      shard
          .Append(
              {.id = 41, .key = "a/b.jpg", .labels = {&label, 1}, .fields = {}},
              {kImage})
          .ok());
  const FoundSample back = shard.Back();
  CHECK(shard.features().size() == 3);
  CHECK(shard.Values("image") == Strings{kImage.bytes});
  CHECK(shard.Values("label") == Strings{"-1"});
  CHECK(shard.Values("file_name") == Strings{"a/b.jpg"});
  CHECK_FALSE(back.id);
  CHECK(back.key == "a/b.jpg");
  CHECK(back.labels == std::vector{label});
}

TEST_CASE("TfRecordScanner returns any id, key and labels", "[tfrecord]") {
  const std::vector<std::vector<Label>> labels = {
      {},
      {Label(0), Label(-5), Label(std::int64_t{1} << 62)},
      {Label(std::numeric_limits<std::int64_t>::min())},
      {Label(std::numeric_limits<std::int64_t>::max() - 1)}};
  const std::uint64_t ids[] = {0, ~0ULL, 1ULL << 63};
  const Strings keys = {"", "\xff\n", std::string(5000, 'k'), "/"};
  for (std::size_t i = 0; i < 12; ++i) {
    Shard shard(i % 2 == 0 ? "tfrecord/imagenet"
                           : "tfrecord/imagenet:label_offset=1");
    REQUIRE(shard
                .Append({.id = ids[i % 3],
                         .key = keys[i % 4],
                         .labels = labels[i % 4],
                         .fields = {}},
                        {})
                .ok());
    const FoundSample back = shard.Back();
    CHECK(back.id == ids[i % 3]);
    CHECK(back.key == keys[i % 4]);
    CHECK(back.labels == labels[i % 4]);
    CHECK(back.fields.empty());
  }
}

TEST_CASE("TfRecordScanner returns fields of every dtype and rank",
          "[tfrecord]") {
  const std::vector<Field> fields = {
      kImage,
      {"empty floats", "<f4", {0}, ""},
      {"empty text", "|S", {}, ""},
      {"floats", "<f4", {3}, "abcdefghijkl"},
      {"matrix", "<f4", {1, 2}, "abcdefgh"},
      {"nothing", "<f8", {2, 0}, ""},
      {"points", "<f8", {2}, std::string(16, '\1')},
      {"scalar", "<f4", {}, "1234"},
      {"shape", "|u1", {1}, "s"},
      {"text", "|S", {}, "any\0\xff"},
      {"text/dtype", "|S", {}, "<f8"},
      {"\u00e9", "<U1", {1}, "abcd"}};
  for (const char* layout : {"tfrecord/imagenet", "tfrecord/tfds"}) {
    Shard shard(layout);
    REQUIRE(
        shard.Append({.id = 1, .key = "k", .labels = {}, .fields = {}}, fields)
            .ok());
    const FoundSample back = shard.Back();
    CHECK(back.fields.size() == fields.size());
    for (const Field& field : fields) {
      INFO(field.name);
      REQUIRE(back.fields.contains(field.name));
      CHECK((back.fields.at(field.name) ==
             FoundField{field.dtype, field.shape, field.bytes}));
    }
    CHECK(shard.features().at("floats").kind == FeatureKind::kFloat);
    CHECK(shard.Values("matrix/shape") == Strings{"1", "2"});
    CHECK(shard.Values("scalar/dtype") == Strings{"<f4"});
  }
}

TEST_CASE("TfRecordWriter holds an array as image", "[tfrecord]") {
  const Field array = {"image", "|u1", {3, 2, 2}, "123456789012"};
  for (const char* layout : {"tfrecord/imagenet", "tfrecord/tfds"}) {
    Shard shard(layout);
    REQUIRE(
        shard.Append({.id = 1, .key = "k", .labels = {}, .fields = {}}, {array})
            .ok());
    const FoundSample back = shard.Back();
    CHECK((back.fields.at("image") ==
           FoundField{array.dtype, array.shape, array.bytes}));
    CHECK(shard.features().contains("image"));
    CHECK_FALSE(shard.features().contains("image/encoded"));
  }
}

std::vector<Field> Boxes(std::uint64_t count) {
  std::vector<Field> fields = {kImage};
  for (const char* side : {"xmin", "xmax", "ymin", "ymax"}) {
    fields.push_back({std::string("image/object/bbox/") + side,
                      "<f4",
                      {count},
                      std::string(4 * count, 'x')});
  }
  return fields;
}

TEST_CASE("TfRecordWriter repeats the label for each box", "[tfrecord]") {
  const Label label(6);
  for (const std::uint64_t count : {0U, 1U, 3U}) {
    Shard shard("tfrecord/imagenet:label_offset=1");
    REQUIRE(
        shard
            .Append({.id = 1, .key = "k", .labels = {&label, 1}, .fields = {}},
                    Boxes(count))
            .ok());
    const FoundSample back = shard.Back();
    CHECK(shard.features().contains("image/object/bbox/label"));
    CHECK(shard.Values("image/object/bbox/label") == Strings(count, "7"));
    CHECK(back.fields.size() == 5);
  }
}

TEST_CASE("TfRecordWriter derives no labels of boxes that are not whole",
          "[tfrecord]") {
  const std::vector<Label> labels = {Label(1), Label(2)};
  std::vector<Field> cut = Boxes(2);
  cut.pop_back();
  std::vector<Field> uneven = Boxes(2);
  uneven.back().shape = {1};
  uneven.back().bytes.resize(4);
  std::vector<Field> own = Boxes(1);
  own.push_back({"image/object/bbox/label", "<i8", {1}, "87654321"});
  const std::pair<std::vector<Field>, std::size_t> cases[] = {
      {cut, 1}, {uneven, 1}, {own, 1}, {Boxes(1), 2}, {Boxes(1), 0}};
  for (const auto& [fields, count] : cases) {
    Shard shard("tfrecord/imagenet");
    REQUIRE(shard
                .Append({.id = 1,
                         .key = "k",
                         .labels = std::span(labels).first(count),
                         .fields = {}},
                        fields)
                .ok());
    const FoundSample back = shard.Back();
    CHECK(back.fields.size() == fields.size());
    const auto& found = shard.features();
    const auto box_label = found.find("image/object/bbox/label");
    CHECK((box_label == found.end() ||
           box_label->second.values == Strings{"3544952156018063160"}));
  }
}

TEST_CASE("TfRecordWriter refuses by name what would be another feature",
          "[tfrecord]") {
  const auto text = [](const std::string& name) {
    return Field{name, "|S", {}, "x"};
  };
  const Field points = {"points", "<f8", {1}, "12345678"};
  struct Row {
    std::vector<Field> fields;
    std::string named;
  };
  const std::vector<std::pair<std::string, std::vector<Row>>> cases = {
      {"tfrecord/imagenet",
       {{{kImage, text("image/encoded")}, "field \"image/encoded\""},
        {{text("image/class/label")}, "field \"image/class/label\""},
        {{text("shardine/key")}, "field \"shardine/key\""},
        {{text("shardine/of tomorrow")}, "field \"shardine/of tomorrow\""},
        {{points, text("points/dtype")}, "\"points/dtype\""},
        {{points, text("points/shape")}, "\"points/shape\""},
        {{text("\xff")}, "field \"\\xFF\""},
        {{{"a", "<f8", {2}, "12345678"}}, "field \"a\""},
        {{{"a", "|S", {1}, "1"}}, "dtype \"|S\""},
        {{{"a", "<f4", {2}, "1234"}}, "4 bytes"}}},
      {"tfrecord/tfds",
       {{{text("label")}, "field \"label\""},
        {{text("file_name")}, "field \"file_name\""}}}};
  for (const auto& [layout, rows] : cases) {
    Shard shard(layout);
    const Label label(1);
    for (const Row& row : rows) {
      const Status status = shard.Append(
          {.id = 1, .key = "a.jpg", .labels = {&label, 1}, .fields = {}},
          row.fields);
      INFO(row.named);
      CHECK(status.code() == Code::kUnsupported);
      CHECK(status.where().key == "a.jpg");
      CHECK_THAT(status.message(), Catch::Contains(row.named));
    }
    CHECK(shard.Finish().empty());
    CHECK(shard.index().empty());
  }
}

TEST_CASE("TfRecordWriter refuses a label that does not fit with the offset",
          "[tfrecord]") {
  const Label most(std::numeric_limits<std::int64_t>::max());
  const SampleView sample = {
      .id = 1, .key = "k", .labels = {&most, 1}, .fields = {}};
  Shard zero("tfrecord/imagenet");
  CHECK(zero.Append(sample, {}).ok());
  CHECK(zero.Back().labels == std::vector{most});
  Shard one("tfrecord/imagenet:label_offset=1");
  const Status status = one.Append(sample, {});
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Catch::Contains("label_offset=1"));
  const Label fine(3);
  REQUIRE(
      one.Append({.id = 2, .key = "k", .labels = {&fine, 1}, .fields = {}}, {})
          .ok());
  CHECK(one.Back().labels == std::vector{fine});
}

TEST_CASE("The TFRecord probe tells records from other files", "[tfrecord]") {
  const auto probe = [](const std::string& head) {
    return kTfRecordFormat.probe(AsBytes(head));
  };
  const std::string file = FileOf("a record");
  CHECK(probe(""));
  CHECK(probe(file));
  CHECK(probe(file.substr(0, 12)));
  CHECK(probe(Deflated(file, 31)));
  CHECK(probe(Deflated(file, 15)));
  CHECK(probe(Deflated(FileOf(std::string(100'000, 'x')), 31).substr(0, 60)));
  CHECK_FALSE(probe(file.substr(0, 11)));
  CHECK_FALSE(probe(file.substr(1)));
  CHECK_FALSE(probe(Deflated("no record in this", 31)));
  CHECK_FALSE(probe(Deflated("no record in this", 15)));
  CHECK_FALSE(probe("\x1f\x8b\x08"));
  CHECK_FALSE(probe("\xff\xd8\xff\xe0 a JPEG, no record"));
}

}  // namespace
}  // namespace shardine::tfrecord_shard_test
