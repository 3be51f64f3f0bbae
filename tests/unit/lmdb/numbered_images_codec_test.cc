// lmdb/stylegan2 and lmdb/ocr: values under each key, samples that they refuse,
// and shards of them.
#include "lmdb/numbered_images_codec.h"

#include "io/memory_storage.h"
#include "lmdb/lmdb_format.h"
#include "lmdb/numbered_key.h"
#include "unit/lmdb/coded_sample.h"
#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"

namespace shardine::numbered_images_codec_test {
namespace {

LayoutChoice Choice(std::string_view name) {
  for (const Layout& layout : kLmdbLayouts) {
    if (layout.name == name) return DefaultsOf(layout);
  }
  FAIL("no such layout");
  return {};
}

MadeSample Worded(std::string image, std::string text) {
  MadeSample sample = Photo(std::move(image));
  sample.fields.push_back({.name = "label", .bytes = std::move(text)});
  return sample;
}

Status Append(ShardWriter& writer, const MadeSample& sample) {
  std::vector<FieldView> fields;
  for (const MadeField& field : sample.fields) {
    fields.push_back({field.name, field.dtype, {}, AsBytes(field.bytes)});
  }
  return writer.Append({.key = sample.key, .labels = {}, .fields = fields});
}

std::string ShardOf(std::string_view layout,
                    const std::vector<MadeSample>& samples) {
  MemoryStorage storage;
  const auto writer = kLmdbFormat.create_writer(
      storage, {.shard = "x.lmdb", .companion = ""}, Choice(layout));
  REQUIRE(writer.ok());
  for (const MadeSample& sample : samples) {
    REQUIRE(Append(**writer, sample).ToString() == "OK");
  }
  REQUIRE((*writer)->Finish().ok());
  return *storage.Get("x.lmdb");
}

// The samples of a file, each with the bytes at its extents.
Result<std::vector<MadeSample>> Scanned(std::string_view layout,
                                        const std::string& bytes) {
  const TextFile file(bytes);
  auto scanner = kLmdbFormat.open_scanner(file, Choice(layout));
  if (!scanner.ok()) return std::move(scanner).status();
  std::vector<MadeSample> samples;
  for (;;) {
    SHARDINE_ASSIGN_OR_RETURN(const auto scanned, (*scanner)->Next());
    if (!scanned) return samples;
    CHECK_FALSE(scanned->key);
    MadeSample sample;
    for (const ScannedField& field : scanned->fields) {
      REQUIRE(field.extents.size() == 1);
      CHECK(LiesAt(field.extents[0], field.bytes, bytes));
      sample.fields.push_back({.name = std::string(field.name),
                               .bytes = std::string(AsText(field.bytes))});
    }
    samples.push_back(std::move(sample));
  }
}

std::string FileOf(const Entries& entries) {
  OracleDb db;
  db.Begin();
  for (const auto& [key, value] : entries) db.Put(key, value);
  db.Commit();
  return db.File();
}

TEST_CASE("The keys of lmdb/stylegan2 are a resolution and a number",
          "[lmdb][images]") {
  const auto codec = MakeStyleGan2Codec("1024");
  CHECK(Encoded(*codec, Photo("jpg"), 0)->key == "1024-00000");
  const auto last = Encoded(*codec, Photo("jpg"), 99'999);
  CHECK(last->key == "1024-99999");
  CHECK(last->value == "jpg");
  // With six digits it would come before those with five.
  CHECK_THAT(Refusal(*codec, Photo("jpg"), 100'000).message(),
             Catch::Contains("make more shards"));
}

TEST_CASE("The keys of lmdb/ocr begin at one, with the text beside the image",
          "[lmdb][images]") {
  const auto codec = MakeOcrCodec();
  CHECK(Encoded(*codec, Photo("jpg"), 0)->key == "image-000000001");
  CHECK(Encoded(*codec, Photo("jpg"), 999'999'998)->key == "image-999999999");
  CHECK_FALSE(Encoded(*codec, Photo("jpg"), 999'999'999).ok());
  // A text of the sample before does not stay.
  const std::string image = "jpg";
  const std::string text = "word";
  const FieldView fields[] = {{.name = "image", .bytes = AsBytes(image)},
                              {.name = "label", .bytes = AsBytes(text)}};
  EncodedSample to;
  REQUIRE(
      codec->Encode({.key = "k", .labels = {}, .fields = fields}, 41, to).ok());
  CHECK(to.beside_key == "label-000000042");
  CHECK(to.beside_value.ToString() == "word");
  REQUIRE(
      codec->Encode({.key = "k", .labels = {}, .fields = {fields, 1}}, 42, to)
          .ok());
  CHECK(to.beside_key.empty());
}

TEST_CASE("What is no image, or no text of it, is refused by lmdb/ocr",
          "[lmdb][images]") {
  const auto codec = MakeOcrCodec();
  MadeSample numbers = Worded("jpg", "12345678");
  numbers.fields[1].dtype = "<f8";
  MadeSample named = Worded("jpg", "word");
  named.fields[1].name = "text";
  MadeSample no_image = Worded("jpg", "word");
  no_image.fields.erase(no_image.fields.begin());
  for (const MadeSample& sample : {numbers, named, no_image, MadeSample{}}) {
    CHECK_THAT(Refusal(*codec, sample).message(),
               Catch::Contains("lmdb/ocr holds \"image\" and \"label\""));
  }
  CHECK_THAT(Refusal(*codec, Photo("jpg", {Label(1)})).message(),
             Catch::Contains("no labels"));
  CHECK_THAT(
      Refusal(*MakeStyleGan2Codec("256"), Worded("jpg", "word")).message(),
      Catch::Contains("lmdb/stylegan2 holds \"image\" of plain bytes"));
}

TEST_CASE("A shard of numbered images has their texts and their number",
          "[lmdb][images]") {
  OracleDraws draws(5);
  for (const std::uint32_t count : {0U, 1U, 9U, 300U}) {
    std::vector<MadeSample> samples;
    for (std::uint32_t i = 0; i < count; ++i) {
      // Texts and images on either side of a page; some without, some empty.
      samples.push_back(Photo(draws.Bytes(draws.Below(6000))));
      if (i % 3 == 2) continue;
      samples.back().fields.push_back(
          {.name = "label", .bytes = draws.Bytes(draws.Below(3) * i % 2500)});
    }
    const std::string shard = ShardOf("ocr", samples);
    const auto scanned = Scanned("ocr", shard);
    REQUIRE(scanned.status().ToString() == "OK");
    CHECK((*scanned == samples));
    const TextFile file(shard);
    const auto reader = LmdbReader::Open(file);
    REQUIRE(reader.ok());
    const auto entry = (*reader)->Find(AsBytes("num-samples"));
    REQUIRE((entry.ok() && *entry));
    CHECK(AsText(*(*reader)->Value(**entry)) == std::to_string(count));
    for (MadeSample& sample : samples) sample.fields.resize(1);
    const auto alone = Scanned("stylegan2", ShardOf("stylegan2", samples));
    REQUIRE(alone.status().ToString() == "OK");
    CHECK((*alone == samples));
  }
}

TEST_CASE("A number of images that is not theirs is damage", "[lmdb][images]") {
  const Entries three = {{"image-000000001", "a"},
                         {"image-000000002", "b"},
                         {"label-000000002", "text"},
                         {"image-000000003", "c"}};
  const auto read = [&](const char* said) {
    Entries entries = three;
    if (said != nullptr) entries["num-samples"] = said;
    return Scanned("ocr", FileOf(entries)).status();
  };
  CHECK(read("3").ToString() == "OK");
  for (const char* said : {"2", "4", "", "03", "3 ", "three"}) {
    INFO(said);
    const Status status = read(said);
    CHECK(status.code() == Code::kCorrupt);
    CHECK_THAT(status.message(),
               Catch::Contains("how many images there are, 3"));
    CHECK(status.where().offset);
  }
  CHECK(read(nullptr).code() == Code::kCorrupt);
}

TEST_CASE("An entry of another kind among numbered images is refused",
          "[lmdb][images]") {
  for (const char* key : {"image-", "image-1x", "lexicon-000000001", "0"}) {
    const Status status =
        Scanned("ocr", FileOf({{key, "a"}, {"num-samples", "1"}})).status();
    INFO(key);
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::Contains(std::string("\"") + key));
  }
}

TEST_CASE("A resolution is a number of pixels in one spelling",
          "[lmdb][layout]") {
  const Layout& layout = *Choice("stylegan2").layout;
  for (const char* good : {"1", "256", "65536"}) {
    CHECK(layout.parameters[0].is_valid(good));
  }
  for (const char* bad : {"", "0", "0256", "65537", "256p", "-1", " 256",
                          "18446744073709551872"}) {
    INFO(bad);
    CHECK_FALSE(layout.parameters[0].is_valid(bad));
  }
}

}  // namespace
}  // namespace shardine::numbered_images_codec_test
