#include "dataset/manifest.h"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/checksum.h"
#include "dataset/manifest_check.h"
#include "io/memory_storage.h"
#include "support/fault_storage.h"
#include "support/manifest_fixture.h"

namespace shardine::manifest_test {
namespace {

using namespace std::string_literals;

TEST_CASE("SerializeManifest writes the text of FORMAT.md", "[manifest]") {
  Manifest manifest;
  manifest.format = "recordio/mxnet";
  manifest.classes = {{"a\\b", -1, 2}};
  manifest.splits = {{.name = "train",
                      .samples = 2,
                      .content_digest = {1, 2},
                      .names_digest = {},
                      .order_digest = {},
                      .shards = {{.file = {"t.rec", 9, {0xABC, 0}},
                                  .samples = 2,
                                  .companions = {{"t.rec.sdx", 4096, {}}}}},
                      .binding_digest = {5, 6}}};
  manifest.tool_version = "0.1.0";
  manifest.made = {
      .command = "pack", .sources = {"a b"}, .options = {{"seed", "0"}}};
  const std::string zero(32, '0');
  const std::string order = Xxh3_128(AsBytes(std::string(16, '\0'))).ToHex();
  const std::string classes = ClassMapDigest(manifest.classes).ToHex();
  const std::string before = R"({
 "binding_digest": "00000000000000060000000000000005",
 "classes": [
  {
   "count": 2,
   "label": -1,
   "name": "a\\x5Cb"
  }
 ],
 "classes_digest": ")" + classes +
                             R"(",
 "codec_versions": [],
 "content_digest": "00000000000000020000000000000001",
 "files": [],
 "format": "recordio/mxnet",
 "made": {
  "command": "pack",
  "options": {
   "seed": "0"
  },
  "sources": [
   "a b"
  ]
 },
 "names_digest": ")" + zero + R"(",
 "order_digest": ")" + order +
                             R"(",
 "plan_digest": ")" + zero + R"(",
 "rejected": [],
 "samples": 2,
 "schema": 2,
 "splits": [
  {
   "binding_digest": "00000000000000060000000000000005",
   "content_digest": "00000000000000020000000000000001",
   "name": "train",
   "names_digest": ")" + zero +
                             R"(",
   "order_digest": ")" + zero +
                             R"(",
   "samples": 2,
   "shards": [
    {
     "bytes": 9,
     "companions": [
      {
       "bytes": 4096,
       "digest": ")" + zero + R"(",
       "path": "t.rec.sdx"
      }
     ],
     "digest": "00000000000000000000000000000abc",
     "path": "t.rec",
     "samples": 2
    }
   ]
  }
 ],
 "tool_version": "0.1.0",
 "variant": {
  "filter": "",
  "name": "original",
  "parent_digest": ")" + zero +
                             R"(",
  "quality": 0,
  "short_side": 0
 },
 "variants": [],
)";
  CHECK(SerializeManifest(manifest) == before + " \"xxh3_128\": \"" +
                                           Xxh3_128(AsBytes(before)).ToHex() +
                                           "\"\n}\n");
}

TEST_CASE("SerializeManifest writes JSON as a library would", "[manifest]") {
  for (const Manifest& manifest : {Manifest(), MakeManifest()}) {
    const std::string text = SerializeManifest(manifest);
    CHECK(nlohmann::json::parse(text).dump(1) + "\n" == text);
  }
}

TEST_CASE("ParseManifest gives back what was serialised", "[manifest]") {
  const Manifest manifest = MakeManifest();
  const std::string text = SerializeManifest(manifest);
  const auto parsed = ParseManifest(text);
  REQUIRE(parsed.ok());
  CHECK(*parsed == manifest);
  CHECK(SerializeManifest(*parsed) == text);
}

TEST_CASE("ParseManifest gives back kinds, ignored files and texts",
          "[manifest]") {
  Manifest manifest = MakeManifest();
  manifest.splits[0].unsupported = {{"gif", 1}, {"webp", 4}};
  manifest.ignored = {{"hidden", 3}};
  manifest.text_fields = {"a\xFF", "caption"};
  const auto parsed = ParseManifest(SerializeManifest(manifest));
  REQUIRE(parsed.status().ToString() == "OK");
  CHECK(*parsed == manifest);
  const auto refused = [&] {
    return ParseManifest(SerializeManifest(manifest)).status().code() ==
           Code::kCorrupt;
  };
  manifest.splits[0].unsupported[1].count = 5;  // of 5 samples, 6
  CHECK(refused());
  manifest.splits[0].unsupported = {{"webp", 1}, {"gif", 1}};
  CHECK(refused());
  manifest.splits[0].unsupported.clear();
  manifest.text_fields = {"a", "a"};
  CHECK(refused());
}

TEST_CASE("ParseManifest gives back an empty dataset", "[manifest]") {
  const auto parsed = ParseManifest(SerializeManifest(Manifest()));
  REQUIRE(parsed.ok());
  CHECK(*parsed == Manifest());
}

TEST_CASE("ParseManifest gives back the largest numbers and oddest names",
          "[manifest]") {
  Manifest manifest = MakeManifest();
  manifest.classes[0].label = std::numeric_limits<std::int64_t>::min();
  manifest.classes[1].label = std::numeric_limits<std::int64_t>::max();
  manifest.classes[1].count = kMaxManifestSamples;
  manifest.splits[0].shards[0].file.bytes = std::uint64_t{1} << 61;
  manifest.variant.quality = std::numeric_limits<std::uint32_t>::max();
  manifest.splits[0].shards[0].file.path = "../../a b/\x80\t\"\\x41/..c";
  manifest.files[0].path = "\xE2\x82\xAC/\xED\xA0\x80";
  const auto parsed = ParseManifest(SerializeManifest(manifest));
  REQUIRE(parsed.ok());
  CHECK(*parsed == manifest);
}

TEST_CASE("ParseManifest keeps classes that share a label", "[manifest]") {
  Manifest manifest;
  manifest.classes = {{"cat", 0, 1}, {"kitten", 0, 2}, {"dog", 1, 3}};
  CHECK(ParseManifest(SerializeManifest(manifest)).ok());
}

TEST_CASE("Manifest sums over its splits", "[manifest]") {
  const Manifest manifest = MakeManifest();
  CHECK(manifest.samples() == 7);
  CHECK(manifest.content_digest() == Digest128{0, 2});
  CHECK(manifest.names_digest() == Digest128{7, 7});
  std::string orders;
  for (const std::uint64_t half : {3u, 3u, 6u, 6u}) AppendLe(half, orders);
  CHECK(manifest.order_digest() == Xxh3_128(AsBytes(orders)));
  CHECK(manifest.binding_digest() == Digest128{24, 26});
  CHECK(manifest.FindSplit("val") == &manifest.splits[1]);
  CHECK(manifest.FindSplit("test") == nullptr);
}

TEST_CASE("ParseManifest gives back a manifest of schema 1", "[manifest]") {
  const Manifest manifest = MakeManifestOfSchema1();
  const std::string text = SerializeManifest(manifest);
  CHECK_THAT(text, Catch::Contains("\"schema\": 1,"));
  CHECK_THAT(text, !Catch::Contains("binding") && !Catch::Contains("made"));
  const auto parsed = ParseManifest(text);
  REQUIRE(parsed.status().ToString() == "OK");
  CHECK(*parsed == manifest);
  CHECK_FALSE(parsed->has_bindings());
  CHECK(SerializeManifest(*parsed) == text);
}

TEST_CASE("ParseManifest refuses members of the other schema", "[manifest]") {
  Manifest manifest = MakeManifestOfSchema1();
  std::string text = SerializeManifest(manifest);
  const auto forge = [&](const std::string& from, const std::string& to) {
    std::string forged = text;
    return Reseal(forged.replace(forged.find(from), from.size(), to));
  };
  CheckCorrupt(forge("\"schema\": 1", "\"schema\": 2"),
               "no member \"binding_digest\"");
  CheckCorrupt(forge("\"names_digest\"", "\"made\": 1,\n \"names_digest\""),
               "unknown member \"made\"");
  text = SerializeManifest(MakeManifest());
  CheckCorrupt(forge("\"schema\": 2", "\"schema\": 1"), "unknown member");
  CheckCorrupt(forge("\"schema\": 2", "\"schema\": 0"),
               "schema 0 is none there ever was");
}

TEST_CASE("ParseManifest notices every flipped bit",
          "[manifest][corruption][one_thread]") {
  const std::string good = SerializeManifest(MakeManifest());
  std::size_t unnoticed = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    const auto parsed = ParseManifest(bad);
    unnoticed += parsed.ok() || parsed.status().code() != Code::kCorrupt;
  }
  CHECK(unnoticed == 0);
}

TEST_CASE("ParseManifest notices a cut at every length and added bytes",
          "[manifest][corruption]") {
  const std::string good = SerializeManifest(MakeManifest());
  std::size_t unnoticed = 0;
  for (std::size_t length = 0; length < good.size(); ++length) {
    unnoticed += ParseManifest(good.substr(0, length)).ok();
  }
  CHECK(unnoticed == 0);
  CheckCorrupt(good + "\n", "does not end with its digest");
  CheckCorrupt(good + good, "does not match its digest");
  CheckCorrupt("", "does not end with its digest");
}

TEST_CASE("ParseManifest names the member that is wrong", "[manifest]") {
  struct Case {
    std::string from;
    std::string to;
    std::string expected;
  };
  const auto [from, to, expected] = GENERATE(values<Case>({
      {"\"label\": -1", "\"label\": -1.0", "classes[0].label"},
      {"\"label\": 7", "\"label\": 9223372036854775808", "a whole number"},
      {"\"bytes\": 3000", "\"bytes\": -3000", "bytes is not a whole number"},
      {"\"bytes\": 3000", "\"bytes\": 18446744073709551616",
       "parsing a number"},
      {"\"bytes\": 3000", "\"bytes\": \"3000\"", "a whole number in range"},
      {"\"quality\": 90", "\"quality\": 4294967296", "variant.quality"},
      {"\"upscaled\": 3", "\"upscaled\": -3", "variant.upscaled"},
      {"\"kept\": 4,", "", "no member \"kept\""},
      {"\"images\": \"", "\"pixels\": \"", "variant has"},
      {"\"images\": 5", "\"images\": -5", "entry_points.images"},
      {"\"damaged\": 1", "\"broken\": 1", "entry_points has"},
      {"\"sz/320\"", "7", "is not a text"},
      {"\"shard-size\"", "\"no-shuffle\"", "no-shuffle occurs twice"},
      {"\"256M\"", "256", "made.options.shard-size is not a text"},
      {"\"val=v\"", "2", "made.sources[1] is not a text"},
      {"\"options\": {", "\"option\": {", "made has no member \"options\""},
      {"\"sz/320\"", "\"sz\\\\320\"", "a backslash that starts no"},
      {"\"sz/320\"", "\"sz/320", "not a JSON text"},
      {"\"0.1.0\"", "null", "tool_version is not a text"},
      {"00003\"", "0000G\"", "32 lower-case hex digits"},
      {"00003\"", "003\"", "32 lower-case hex digits"},
      {"000000b", "000000B", "32 lower-case hex digits"},
      {"\"count\": 3", "\"cound\": 3", "no member \"count\""},
      {"\"count\": 3,", "\"count\": 3,\n   \"more\": 1,", "unknown member"},
      {"\"rejected\": [", "\"rejected\": {}, [", "not a JSON text"},
      {" \"tool_version\": \"0.1.0\",\n", "", "no member \"tool_version\""},
      {",\n \"xxh", ",\n \"zzz\": 1,\n \"xxh", "unknown member \"zzz\""},
  }));
  CAPTURE(from, to);
  CheckCorrupt(Forge(from, to), expected);
}

TEST_CASE("ParseManifest refuses sums that disagree", "[manifest]") {
  CheckCorrupt(Forge("\"samples\": 7", "\"samples\": 8"), "samples is not");
  CheckCorrupt(Forge("\"samples\": 3", "\"samples\": 4"), "split \"train\"");
  CheckCorrupt(Forge("\"count\": 3,\n   \"label\": -1",
                     "\"count\": 3,\n   \"label\": -2"),
               "classes_digest is not");
  Manifest manifest = MakeManifest();
  const std::string total = manifest.content_digest().ToHex();
  CheckCorrupt(Forge("\"content_digest\": \"" + total,
                     "\"content_digest\": \"" + std::string(32, '5')),
               "content_digest is not");
  CheckCorrupt(Forge(manifest.names_digest().ToHex(), std::string(32, '5')),
               "names_digest is not");
  CheckCorrupt(Forge(manifest.order_digest().ToHex(), std::string(32, '5')),
               "order_digest is not");
  CheckCorrupt(Forge(manifest.binding_digest().ToHex(), std::string(32, '5')),
               "binding_digest is not");
}

TEST_CASE("ParseManifest refuses entry points that files do not bear out",
          "[manifest]") {
  Manifest manifest = MakeManifest();
  auto& companions = manifest.splits[0].shards[0].companions;
  const char* what = nullptr;
  SECTION("none are counted") {
    manifest.entry_points = {};
    what = "none are counted";
  }
  SECTION("no file has them") {
    for (ManifestSplit& split : manifest.splits) {
      for (ManifestShard& shard : split.shards) {
        shard.companions.erase(shard.companions.begin() + 1);
      }
    }
    what = "that no file has";
  }
  SECTION("two files of a shard") {
    companions.insert(companions.begin() + 1, {"train-0.a.sde", 25, {7, 8}});
    std::swap(companions[0], companions[1]);
    what = "more than one file of entry points";
  }
  SECTION("more than samples") {
    manifest.entry_points = {.images = 7, .damaged = 1};
    what = "more images have entry points";
  }
  SECTION("more than can be added") {
    manifest.entry_points = {.images = 7, .damaged = ~std::uint64_t{0}};
    what = "more images have entry points";
  }
  CheckCorrupt(SerializeManifest(manifest), what);
}

TEST_CASE("ParseManifest refuses sums that wrap", "[manifest][hostile]") {
  Manifest manifest = MakeManifest();
  manifest.splits[0].shards[0].samples = ~std::uint64_t{0};
  manifest.splits[0].shards[1].samples = 6;
  CheckCorrupt(SerializeManifest(manifest), "split \"train\"");
  manifest.splits[0].shards[1].samples = 0;
  manifest.splits[0].samples = ~std::uint64_t{0};
  CheckCorrupt(SerializeManifest(manifest), "split \"val\"");
}

TEST_CASE("ParseManifest refuses another text that means the same",
          "[manifest]") {
  CheckCorrupt(Forge("\"schema\": 2", "\"schema\": 2 "), "one way");
  CheckCorrupt(Forge("\"samples\": 7", "\"samples\":  7"), "one way");
  CheckCorrupt(Forge("\"count\": 3,\n   \"label\": -1",
                     "\"label\": -1,\n   \"count\": 3"),
               "one way");
  CheckCorrupt(Forge("\"0.1.0\"", "\"\\\\x30.1.0\""), "one way");
  CheckCorrupt(Forge("\"count\": 3", "\"count\": 9, \"count\": 3"),
               "classes[0] has a member twice");
  const std::string space = Forge("\"schema\": 2", "\"schema\": 2 ");
  CHECK(ParseManifest(space).status().where().offset ==
        space.find("\"schema\": 2") + 11);
  CheckCorrupt(Forge("\"0.1.0\"", "\"\xFF\""), "not a JSON text");
  CheckCorrupt(Forge("\"0.1.0\"", "\"\t\""), "not a JSON text");
}

TEST_CASE("ReadManifest trusts the digest for how the text is written",
          "[manifest]") {
  MemoryStorage storage;
  storage.Put("set/shardine.json", Forge("\"schema\": 2", "\"schema\": 2 "));
  const auto read = ReadManifest(storage, "set");
  REQUIRE(read.ok());
  CHECK(*read == MakeManifest());
}

TEST_CASE("ParseManifest tells a newer schema from damage", "[manifest]") {
  const auto parsed = ParseManifest(
      Forge("\"schema\": 2", "\"a member to come\": 1,\n \"schema\": 3"));
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.status().code() == Code::kUnsupported);
  CHECK_THAT(parsed.status().message(), Catch::Contains("schema 3"));
  CheckCorrupt(Forge("\"schema\": 2", "\"schema\": \"2\""), "schema");
  CheckCorrupt(Forge(" \"schema\": 2,\n", ""), "no member \"schema\"");
}

TEST_CASE("ParseManifest refuses what is no manifest at all",
          "[manifest][hostile]") {
  const std::string schema = "\n \"schema\": 2,\n";
  const std::string end = " \"xxh3_128\": \"\"\n}\n";
  CheckCorrupt(Reseal(end), "not a JSON text");
  CheckCorrupt(Reseal("{\n" + end), "no member \"schema\"");
  CheckCorrupt(Reseal("{" + schema + end), "no member \"binding_digest\"");
  CheckCorrupt(Reseal("[" + schema + end), "not a JSON text");
  CheckCorrupt(
      Reseal("{\n \"classes\": " + std::string(200'000, '[') + schema + end),
      "not a JSON text");
}

TEST_CASE("ParseManifest refuses lists out of order or with twins",
          "[manifest]") {
  Manifest manifest = MakeManifest();
  const char* what = "out of order or listed twice";
  SECTION("classes") { std::swap(manifest.classes[0], manifest.classes[1]); }
  SECTION("a class twice") { manifest.classes[1] = manifest.classes[0]; }
  SECTION("splits") { std::swap(manifest.splits[0], manifest.splits[1]); }
  SECTION("a split twice") { manifest.splits[1].name = "train"; }
  SECTION("variants") { std::swap(manifest.variants[0], manifest.variants[1]); }
  SECTION("rejected") { std::swap(manifest.rejected[0], manifest.rejected[1]); }
  SECTION("files") { manifest.files.push_back({"a", 1, {}}); }
  SECTION("codec versions") { manifest.codec_versions.push_back("a"); }
  SECTION("companions") {
    auto& companions = manifest.splits[0].shards[0].companions;
    std::swap(companions[0], companions[1]);
  }
  SECTION("a file twice") {
    manifest.splits[0].shards[0].file.path = "train-1.idx";
    what = "\"train-1.idx\" is listed twice";
  }
  CheckCorrupt(SerializeManifest(manifest), what);
}

TEST_CASE("WriteManifest leaves a manifest that ReadManifest gives back",
          "[manifest]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("out").ok());
  REQUIRE(WriteManifest(storage, "out", MakeManifest()).ok());
  CHECK(*storage.Get("out/shardine.json") == SerializeManifest(MakeManifest()));
  const auto read = ReadManifest(storage, "out");
  REQUIRE(read.ok());
  CHECK(*read == MakeManifest());
}

TEST_CASE("WriteManifest refuses to write what could not be read",
          "[manifest]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("out").ok());
  Manifest manifest = MakeManifest();
  manifest.splits[0].samples = 6;
  const Status status = WriteManifest(storage, "out", manifest);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.where().path == "out/shardine.json");
  CHECK_FALSE(storage.Get("out/shardine.json").ok());
}

TEST_CASE("WriteManifest leaves nothing behind when a call fails",
          "[manifest]") {
  for (const Operation operation :
       {Operation::kCreate, Operation::kWrite, Operation::kSync,
        Operation::kClose, Operation::kRename}) {
    MemoryStorage below;
    REQUIRE(below.CreateDirectories("out").ok());
    FaultStorage storage(below, {.operation = operation});
    CHECK(WriteManifest(storage, "out", MakeManifest()).code() == Code::kIo);
    CHECK(below.List("out")->empty());
  }
}

TEST_CASE("ReadManifest says what is not a dataset", "[manifest]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("out").ok());
  const Status none = ReadManifest(storage, "out").status();
  CHECK(none.code() == Code::kNotFound);
  CHECK(none.where().path == "out");
  CHECK_THAT(none.message(), Catch::Contains("not a dataset"));
  const Status nowhere = ReadManifest(storage, "nowhere").status();
  CHECK(nowhere.code() == Code::kNotFound);
  CHECK(nowhere.where().path == "nowhere");

  storage.Put("out/shardine.json", "{}");
  const Status damaged = ReadManifest(storage, "out").status();
  CHECK(damaged.code() == Code::kCorrupt);
  CHECK(damaged.where().path == "out/shardine.json");

  storage.PutSparse("out/shardine.json", std::uint64_t{1} << 40);
  CHECK(ReadManifest(storage, "out").status().code() == Code::kUnsupported);

  FaultStorage broken(storage, {.operation = Operation::kOpen});
  CHECK(ReadManifest(broken, "out").status().code() == Code::kIo);
}

}  // namespace
}  // namespace shardine::manifest_test
