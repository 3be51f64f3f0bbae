#include "shardine/card.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "io/memory_storage.h"
#include "shardine/dataset_writer.h"
#include "shardine/verify.h"
#include "support/dataset_checks.h"
#include "support/jpeg_maker.h"

namespace shardine::card_test {
namespace {

using nlohmann::json;

std::string JpegOf(std::uint32_t seed) {
  JpegSpec spec;
  spec.seed = seed;
  return MakeJpeg(spec);
}

void Write(Storage& storage, const std::string& format,
           const std::vector<NewClass>& classes) {
  DatasetWriterOptions options;
  options.output = "out";
  options.format = format;
  options.classes = classes;
  const auto writer = DatasetWriter::Create(options, {.storage = &storage});
  REQUIRE(writer.status().ToString() == "OK");
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::string jpeg = JpegOf(i);
    const FieldView image = {kImageField, kBytesDtype, {}, AsBytes(jpeg)};
    const Label label(static_cast<std::int64_t>(i % 2));
    const Status appended =
        (*writer)->Append({.key = "k" + std::to_string(i) + ".jpg",
                           .labels = {&label, 1},
                           .fields = {&image, 1},
                           .split = i < 4 ? "train" : "val"});
    REQUIRE(appended.ToString() == "OK");
  }
  REQUIRE((*writer)->Finish().status().ToString() == "OK");
}

Result<CardResult> CardOf(MemoryStorage& storage, CardOptions options = {}) {
  options.dataset = "out";
  return Card(options, {.storage = &storage});
}

std::string TextOf(MemoryStorage& storage, const std::string& path) {
  auto text = storage.Get(path);
  REQUIRE(text.ok());
  return *std::move(text);
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("Card of a WebDataset has its files, classes and members", "[card]") {
  MemoryStorage storage;
  const std::string longest(1 << 16, 'x');
  Write(storage, "webdataset",
        {{"cat: \"x\"\n---", 0}, {"</script>|", 1}, {longest, 2}});
  const auto result = CardOf(storage, {.license = "mit"});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->written == std::vector<std::string>{"out/manifest-sha256.txt",
                                                    "out/croissant.json",
                                                    "out/README.md"});
  CHECK(result->samples == 6);
  const std::string page = TextOf(storage, "out/README.md");
  CHECK(page.starts_with("---\npretty_name: \"out\"\nlicense: \"mit\"\n"));
  CHECK(Has(page, "\"0\": \"cat: \\\"x\\\"\\u000a---\"\n"));
  CHECK(Has(page, "\"2\": \"" + longest + "\"\n"));
  CHECK(!Has(page, "| " + longest.substr(0, 300)));
  CHECK(Has(page, "  - name: \"jpg\"\n    dtype: \"image\"\n"));
  CHECK(Has(page, "    - \"train-00000-of-00001.tar\"\n"));
  CHECK(Has(page, "| &#60;/script&#62;&#124; | 1 | 2 | 1 |"));
  const json croissant = json::parse(TextOf(storage, "out/croissant.json"));
  CHECK(croissant["recordSet"].size() == 5);
  CHECK(croissant["distribution"][0]["encodingFormat"] == "application/x-tar");
  // Each file of the dataset, without the files of the card.
  const std::string sums = TextOf(storage, "out/manifest-sha256.txt");
  CHECK(Has(sums, "  shardine.json\n"));
  CHECK(Has(sums, "  .shardine/train-00000-of-00001.tar.sdx\n"));
  CHECK(!Has(sums, "README"));
}

TEST_CASE("Card of other shards says that the hub does not read them",
          "[card]") {
  MemoryStorage storage;
  Write(storage, "recordio", {{"cat", 0}, {"dog", 1}});
  REQUIRE(CardOf(storage).status().ToString() == "OK");
  const std::string page = TextOf(storage, "out/README.md");
  CHECK(!Has(page, "configs:"));
  CHECK(Has(page, "  - name: \"label\"\n    dtype:\n      class_label:\n"));
  CHECK(Has(page, "do not read samples of these shards"));
}

TEST_CASE("Card keeps what holds the same and never loses a changed page",
          "[card]") {
  MemoryStorage storage;
  Write(storage, "webdataset", {{"cat", 0}, {"dog", 1}});
  REQUIRE(CardOf(storage).status().ToString() == "OK");
  const auto again = CardOf(storage);
  REQUIRE(again.status().ToString() == "OK");
  CHECK(again->written.empty());
  CHECK(again->kept.size() == 3);
  // A page that nobody has touched gives way to one of other options.
  const auto other = CardOf(storage, {.license = "mit"});
  REQUIRE(other.status().ToString() == "OK");
  CHECK(other->written.size() == 2);
  const std::string page = TextOf(storage, "out/README.md");
  for (const std::string& changed :
       {page + "My notes.\n", "My notes.\n" + page, std::string("mine"),
        page.substr(0, page.size() - 1)}) {
    storage.Put("out/README.md", changed);
    const auto refused = CardOf(storage);
    CHECK(refused.status().code() == Code::kInvalidArgument);
    CHECK(Has(refused.status().ToString(), "out/README.md"));
    CHECK(TextOf(storage, "out/README.md") == changed);
  }
  REQUIRE(CardOf(storage, {.overwrite = true}).status().ToString() == "OK");
  storage.Put("out/croissant.json", "{}");
  CHECK(CardOf(storage).status().code() == Code::kInvalidArgument);
  CHECK(TextOf(storage, "out/croissant.json") == "{}");
}

TEST_CASE("Card that was killed between its files goes on", "[card]") {
  MemoryStorage storage;
  Write(storage, "webdataset", {{"cat", 0}, {"dog", 1}});
  REQUIRE(CardOf(storage).status().ToString() == "OK");
  REQUIRE(storage.Remove("out/README.md").ok());
  const auto again = CardOf(storage);
  REQUIRE(again.status().ToString() == "OK");
  CHECK(again->written == std::vector<std::string>{"out/README.md"});
}

TEST_CASE("Card tells how far it is by bytes and samples", "[card]") {
  MemoryStorage storage;
  Write(storage, "webdataset", {{"cat", 0}, {"dog", 1}});
  Progress last;
  const auto result = Card(
      {.dataset = "out"}, {.progress = [&](const Progress& now) { last = now; },
                           .storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(last.samples == 6);
  CHECK(last.samples_total == 6);
  CHECK(last.bytes == result->bytes);
  CHECK(last.bytes_total == result->bytes);
}

TEST_CASE("Card vouches for no damaged file", "[card]") {
  MemoryStorage storage;
  Write(storage, "webdataset", {{"cat", 0}, {"dog", 1}});
  std::string shard = TextOf(storage, "out/train-00000-of-00001.tar");
  shard[2000] = static_cast<char>(shard[2000] ^ 1);
  storage.Put("out/train-00000-of-00001.tar", shard);
  const auto result = CardOf(storage);
  CHECK(result.status().code() == Code::kCorrupt);
  CHECK(Has(result.status().ToString(), "out/train-00000-of-00001.tar"));
  CHECK(!storage.Get("out/README.md").ok());
  CHECK(!storage.Get("out/manifest-sha256.txt").ok());
}

TEST_CASE("Verify takes the files of a card for no foreign ones", "[card]") {
  MemoryStorage storage;
  Write(storage, "webdataset", {{"cat", 0}, {"dog", 1}});
  REQUIRE(CardOf(storage).status().ToString() == "OK");
  storage.Put("out/stranger", "x");
  const auto verified = Verify({.target = "out"}, {.storage = &storage});
  REQUIRE(verified.ok());
  CHECK(verified->findings.empty());
  std::string notes;
  for (const std::string& note : verified->notes) notes += note + "\n";
  CHECK(Has(notes, "stranger is not listed"));
  CHECK(!Has(notes, "README.md"));
  CHECK(!Has(notes, "croissant.json"));
  CHECK(!Has(notes, "manifest-sha256.txt"));
}

std::vector<std::string> NotesOf(MemoryStorage& storage, VerifyLevel level) {
  VerifyOptions options;
  options.target = "out";
  options.level = level;
  const auto verified = Verify(options, {.storage = &storage});
  REQUIRE(verified.status().ToString() == "OK");
  CHECK(verified->findings.empty());
  return verified->notes;
}

TEST_CASE("Verify notes that a card is of an earlier dataset", "[card]") {
  MemoryStorage storage;
  Write(storage, "webdataset", {{"cat", 0}, {"dog", 1}});
  REQUIRE(CardOf(storage).ok());
  CHECK(NotesOf(storage, VerifyLevel::kFull).empty());
  Manifest manifest = ManifestOf(storage, "out");
  manifest.made.sources = {"elsewhere"};
  REQUIRE(WriteManifest(storage, "out", manifest).ok());
  for (const VerifyLevel level : {VerifyLevel::kQuick, VerifyLevel::kFull}) {
    const auto notes = NotesOf(storage, level);
    REQUIRE(notes.size() == 1);
    CHECK(Has(notes[0],
              "README.md, croissant.json and manifest-sha256.txt "
              "describe the dataset as it was before a change"));
  }
  // A page that was edited still has its seal; one of another author has none.
  const std::string page = TextOf(storage, "out/README.md");
  storage.Put("out/README.md", "Our birds.\n" + page);
  CHECK(NotesOf(storage, VerifyLevel::kQuick).size() == 1);
  for (const std::string& foreign :
       {std::string("Our birds.\n"), page.substr(0, page.size() - 5),
        page + "\n",
        "\n<!-- card of shardine: shardine.json -->\n" + page +
            "\n<!-- card of shardine: -->\n"}) {
    storage.Put("out/README.md", foreign);
    CHECK(NotesOf(storage, VerifyLevel::kQuick).empty());
  }
  storage.Put("out/README.md", page);
  REQUIRE(CardOf(storage).ok());
  CHECK(NotesOf(storage, VerifyLevel::kFull).empty());
}

}  // namespace
}  // namespace shardine::card_test
