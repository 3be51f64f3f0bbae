// The layouts of LMDB: their words, their limits, and which of them a database
// is found to have.
#include "lmdb/lmdb_layouts.h"

#include "lmdb/datum.pb.h"
#include "lmdb/lmdb_format.h"
#include "shard/format_registry.h"
#include "unit/lmdb/coded_sample.h"
#include "unit/lmdb/entry_reading.h"
#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::lmdb_layouts_test {
namespace {

const Format* const kTable[] = {&kLmdbFormat};
const FormatRegistry kRegistry{kTable};

// "folder2lmdb:keys=%d", or the failure.
Result<std::string> Detected(const Entries& entries) {
  OracleDb db;
  db.Begin();
  for (const auto& [key, value] : entries) db.Put(key, value);
  db.Commit();
  const TextFile file(db.File());
  const auto choice = DetectLmdbLayout(file);
  if (!choice.ok()) return choice.status();
  return FormatAndLayout{*choice, &kLmdbFormat}.Name().substr(5);
}

std::string DetectedAs(const Entries& entries) {
  const auto name = Detected(entries);
  INFO(name.status().ToString());
  REQUIRE(name.ok());
  return *name;
}

std::string Pair() { return BytesOfHex("8004 43036a7067 94 4b03 86 94 2e"); }
std::string Dict() { return BytesOfHex("8004 7d 2e"); }

TEST_CASE("The layouts of LMDB are chosen by their words", "[lmdb][layout]") {
  const auto named = [](std::string_view text) {
    const auto choice = ParseFormat(kRegistry, text);
    return choice.ok() ? choice->Name() : choice.status().message();
  };
  CHECK(named("lmdb") == "lmdb/folder2lmdb:keys=%08d");
  CHECK(named("lmdb/folder2lmdb:keys=%d") == "lmdb/folder2lmdb:keys=%d");
  CHECK(named("lmdb/datum") == "lmdb/datum");
  CHECK(named("lmdb/fields") == "lmdb/fields");
  for (const char* keys : {"%8d", "%09d", "d", "", "%D", "%08d "}) {
    INFO(keys);
    CHECK_THAT(named("lmdb/folder2lmdb:keys=" + std::string(keys)),
               Catch::Contains("%08d or %d"));
  }
  CHECK_FALSE(ParseFormat(kRegistry, "lmdb/datum:keys=%d").ok());
  CHECK_FALSE(ParseFormat(kRegistry, "lmdb/caffe").ok());
}

TEST_CASE("A file of named databases is refused with a choice that reads one",
          "[lmdb][layout]") {
  OracleDb db(0, 8);
  for (const auto& [name, value] : Entries{{"*", Pair()},
                                           {"a,b", Pair()},
                                           {"b", "not a value"},
                                           {"train", Pair()},
                                           {"val", Dict()}}) {
    db.Begin(MDB_CREATE, name.c_str());
    db.Put("7", value);
    db.Commit();
  }
  const TextFile file(db.File());
  const std::string message = DetectLmdbLayout(file).status().message();
  CHECK(
      message ==
      "holds named databases (\"*\", \"a,b\", \"b\", \"train\", \"val\"); the "
      "layouts' parameter database picks one, as in "
      "lmdb/folder2lmdb:keys=%d,database=train");
  const auto choice =
      ParseFormat(kRegistry, message.substr(message.find(" lmdb/") + 1));
  REQUIRE(choice.ok());
  const auto scanner = kLmdbFormat.open_scanner(file, *choice);
  REQUIRE(scanner.status().ToString() == "OK");
  const auto sample = (*scanner)->Next();
  REQUIRE((sample.ok() && *sample));
  CHECK((*sample)->labels[0] == Label(3));
}

TEST_CASE("Named databases that no parameter can name are to be copied",
          "[lmdb][layout]") {
  OracleDb db(0, 4);
  db.Begin(MDB_CREATE, "a,b");
  db.Put("7", Pair());
  db.Commit();
  const TextFile file(db.File());
  CHECK_THAT(DetectLmdbLayout(file).status().message(),
             Catch::Contains("mdb_dump -s NAME FILE | mdb_load OTHER"));
  const std::string too_long(512, 'n');
  for (const char* name : {"", "a,b", "\xff", too_long.c_str()}) {
    INFO(name);
    CHECK_FALSE(
        ParseFormat(kRegistry, "lmdb/fields:database=" + std::string(name))
            .ok());
  }
}

// Samples that its limits let through, and such that they do not.
void CheckLimit(const Layout& layout, bool holds, const MadeSample& sample) {
  const auto codec = CodecOf(layout.name);
  const auto entry = Encoded(*codec, sample);
  INFO(layout.name << ": " << entry.status().ToString());
  CHECK(entry.ok() == holds);
  if (!entry.ok()) CHECK(entry.status().code() == Code::kUnsupported);
}

TEST_CASE("The limits of each layout of LMDB are what its codec holds",
          "[lmdb][layout]") {
  for (const Layout& layout : kLmdbLayouts) {
    const Limits& limits = layout.limits;
    CheckLimit(layout, limits.encoded_image, Photo("jpg"));
    CheckLimit(layout, !limits.needs_image, MadeSample{});
    MadeSample array = Photo("12");
    array.fields[0].dtype = "|u1";
    array.fields[0].shape = {1, 2, 1};
    CheckLimit(layout, limits.array_image, array);
    MadeSample more = Photo("jpg");
    more.fields.push_back({"mask", "|S", {}, "png"});
    CheckLimit(layout, limits.fields, more);
    const std::vector<Label> two = {Label(1), Label(2)};
    CheckLimit(layout, limits.max_labels >= 2, Photo("jpg", two));
    if (!limits.keys) continue;
    MadeSample keyed = Photo("jpg");
    keyed.key = std::string(limits.max_key, 'k');
    CheckLimit(layout, true, keyed);
    keyed.key += 'k';
    CheckLimit(layout, false, keyed);
    keyed.key.clear();
    CheckLimit(layout, !limits.unique_keys, keyed);
  }
}

TEST_CASE("What a layout's codec writes is detected as that layout",
          "[lmdb][layout]") {
  const std::pair<std::string, std::string> layouts[] = {
      {"folder2lmdb", "%08d"},
      {"folder2lmdb", "%d"},
      {"datum", ""},
      {"fields", ""}};
  OracleDraws draws(1);
  for (const auto& [layout, keys] : layouts) {
    const auto codec = CodecOf(layout, keys);
    const std::string whole = keys.empty() ? layout : layout + ":keys=" + keys;
    for (const std::uint64_t count : {1U, 2U, 11U, 120U}) {
      Entries entries;
      for (std::uint64_t i = 0; i < count; ++i) {
        MadeSample sample = Photo(draws.Bytes(draws.Below(5000)), {Label(1)});
        sample.key = "n" + std::to_string(i);
        const auto entry = Encoded(*codec, sample, i);
        REQUIRE(entry.ok());
        entries[entry->key] = entry->value;
      }
      if (codec->NewKeyList() != nullptr) {
        entries["__keys__"] = BytesOfHex("8004 5d 2e");
        entries["__len__"] = BytesOfHex("8004 4b00 2e");
      }
      CHECK(DetectedAs(entries) == whole);
    }
  }
}

TEST_CASE("Pairs of every serialiser are read back in place",
          "[lmdb][layout]") {
  for (const char* name :
       {"lmdb/folder2lmdb", "lmdb/folder2lmdb:values=arrow",
        "lmdb/folder2lmdb:keys=%d,values=arrow", "lmdb/tensorpack",
        "lmdb/tensorpack:values=msgpack"}) {
    const auto choice = ParseFormat(kRegistry, name);
    REQUIRE(choice.ok());
    const auto codec = MakeValueCodec(*choice, std::uint64_t{1} << 20);
    // An image by its first bytes, so that an array of it is one, too.
    for (const std::size_t size : {3U, 255U, 300U, 70000U}) {
      for (const std::vector<Label>& labels :
           {std::vector<Label>{}, {Label(-5)}, {Label(1000)}}) {
        const MadeSample sample =
            Photo("\xff\xd8\xff" + std::string(size, 'j'), labels);
        INFO(name << ", " << size);
        const auto entry = Encoded(*codec, sample, 3);
        REQUIRE(entry.ok());
        auto decoded = Decoded(*codec, *entry);
        REQUIRE(decoded.status().ToString() == "OK");
        decoded->key = sample.key;
        CHECK(*decoded == sample);
      }
    }
  }
}

TEST_CASE("A database of Arrow values is detected as one", "[lmdb][layout]") {
  for (const char* name : {"folder2lmdb:keys=%08d,values=arrow",
                           "folder2lmdb:keys=%d,values=arrow"}) {
    const auto choice = ParseFormat(kRegistry, "lmdb/" + std::string(name));
    REQUIRE(choice.ok());
    const auto codec = MakeValueCodec(*choice, 0);
    const auto entry = Encoded(*codec, Photo("jpg", {Label(1)}));
    REQUIRE(entry.ok());
    CHECK(DetectedAs({{entry->key, entry->value}}) == name);
  }
}

TEST_CASE("The layout of LMDB is told by the first sample, not by the lists",
          "[lmdb][layout]") {
  CHECK(DetectedAs({}) == "folder2lmdb:keys=%08d");
  CHECK(DetectedAs({{"__keys__", "x"}, {"__len__", "y"}}) ==
        "folder2lmdb:keys=%08d");
  CHECK(DetectedAs({{"__keys__", "x"}, {"a", Dict()}}) == "fields");
  CHECK(DetectedAs({{"__len__", "x"}, {"a", Dict()}}) == "fields");
  CHECK(DetectedAs({{"0", Pair()}, {"__keys__", Dict()}}) ==
        "folder2lmdb:keys=%d");
  // Digits: eight, or more than that without a zero.
  const std::pair<std::string, std::string> keys[] = {
      {"0", "%d"},          {"7", "%d"},          {"0000007", "%d"},
      {"00000000", "%08d"}, {"12345678", "%08d"}, {"123456789", "%08d"},
      {"000000000", "%d"}};
  for (const auto& [key, form] : keys) {
    INFO(key);
    CHECK(DetectedAs({{key, Pair()}}) == "folder2lmdb:keys=" + form);
  }
  // A value that is no pair is left to the scanner.
  CHECK(DetectedAs({{"0", BytesOfHex("8004 4b03 2e")}}) ==
        "folder2lmdb:keys=%d");
}

TEST_CASE("Images with nothing around them are the layout fields",
          "[lmdb][layout]") {
  using namespace std::string_literals;
  const std::string bmp = "BM\x1a\0\0\0"s + std::string(20, 'p');
  for (const std::string& value :
       {"\xff\xd8\xff\xe0 and more"s, "\x89PNG\r\n\x1a\n and more"s,
        "GIF89a and more"s, "RIFF1234WEBPVP8 "s, "II*\0 more."s, "MM\0* more"s,
        bmp}) {
    CHECK(DetectedAs({{"a", value}}) == "fields");
    // Counts and lists before it say nothing.
    CHECK(DetectedAs({{"__keys__", "x"}, {"length", "1"}, {"z", value}}) ==
          "fields");
  }
  CHECK_FALSE(Detected({{"a", bmp + "more"}}).ok());
}

TEST_CASE("Values of each serialiser are told by what they hold",
          "[lmdb][layout]") {
  const std::string pair = "folder2lmdb:keys=%d";
  const std::pair<std::string, std::string> values[] = {
      {"\x92\xc4\x03jpg\x01", pair},
      {"\x81\xa5image\xc4\x03jpg", "fields"},
      {BytesOfHex("de0001 a161 c40162"), "fields"},
      {BytesOfHex("dc0002 c40162 01"), pair},
      // Protocol 0 of (b"jpg", 3): opcodes are texts there; and of {}.
      {"(c_codecs\nencode\np0\n(Vjpg\np1\nVlatin1\np2\ntp3\nRp4\nI3\ntp5\n.",
       pair},
      {"(dp0\n.", "fields"},
      {BytesOfHex("5d 28 54 03000000 6a7067 4b01 65 2e"), pair}};
  for (const auto& [value, layout] : values) {
    INFO(value);
    CHECK(DetectedAs({{"a", value}}) == layout);
  }
}

TEST_CASE("Values of no layout of LMDB are called what they are",
          "[lmdb][layout]") {
  using namespace std::string_literals;
  const std::string zeros(8, '\0');
  for (const std::string& value :
       {""s, "text"s, "RIFF1234WAVE"s, zeros + std::string(90, 'x'),
        zeros + "\xff\xff\xff\xff" + std::string(60, 'x')}) {
    const Status status = Detected({{"a", value}}).status();
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().path == "x.lmdb");
    CHECK(status.where().record == 0U);
    CHECK(status.where().offset);
    CHECK_THAT(status.message(),
               Catch::StartsWith("the values are no images, no Datums"));
  }
}

TEST_CASE("A Datum with a field that Caffe has not is no Datum",
          "[lmdb][layout]") {
  caffe::Datum datum;
  datum.set_data("jpg");
  datum.set_encoded(true);
  const std::string bytes = datum.SerializeAsString();
  CHECK(DetectedAs({{"a", bytes}}) == "datum");
  CHECK(Detected({{"a", bytes + "\x40\x01"}}).status().code() ==
        Code::kUnsupported);
}

TEST_CASE("A pickle that cannot be read names its byte when it is detected",
          "[lmdb][layout][corruption]") {
  const Status cut = Detected({{"a", Pair().substr(0, 6)}}).status();
  CHECK(cut.code() == Code::kCorrupt);
  CHECK(cut.where().path == "x.lmdb");
  CHECK(cut.where().record == 0U);
  // The value lies at the end of its leaf, of page 2, but for a byte that makes
  // the node even; its second opcode asks for more.
  CHECK(cut.where().offset == 3 * 4096 - 1 - 6 + 2);
  const Status code =
      Detected({{"a", BytesOfHex("8004 8c026f73 8c0673797374656d 93 2e")}})
          .status();
  CHECK(code.code() == Code::kUnsupported);
  CHECK_THAT(code.message(), Catch::Contains("os.system"));
}

}  // namespace
}  // namespace shardine::lmdb_layouts_test
