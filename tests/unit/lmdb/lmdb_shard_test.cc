// Samples to LMDB files and back. Requirements on every format are tested in
// tests/conformance; this test covers LMDB's own.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "lmdb/lmdb_format.h"
#include "lmdb/lmdb_layouts.h"
#include "support/temp_directory.h"
#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::lmdb_shard_test {
namespace {

LayoutChoice Choice(std::string_view name, std::string_view keys = "") {
  for (const Layout& layout : kLmdbLayouts) {
    if (layout.name != name) continue;
    LayoutChoice choice = DefaultsOf(layout);
    if (!keys.empty()) choice.values[0] = keys;
    return choice;
  }
  FAIL("no such layout");
  return {};
}

std::unique_ptr<ShardWriter> NewWriter(Storage& storage,
                                       const LayoutChoice& layout,
                                       const std::string& path = "x.lmdb") {
  auto writer = kLmdbFormat.create_writer(
      storage, {.shard = path, .companion = ""}, layout);
  REQUIRE(writer.ok());
  return *std::move(writer);
}

Status Append(ShardWriter& writer, const std::string& key, ByteView image,
              std::vector<Label> labels = {Label(1)}) {
  const FieldView field{
      .name = kImageField, .dtype = kBytesDtype, .shape = {}, .bytes = image};
  return writer.Append(
      {.id = 9, .key = key, .labels = labels, .fields = {&field, 1}});
}

struct Found {
  std::vector<std::string> keys;
  std::vector<std::string> images;
  std::vector<Extent> extents;  // the image's first
  Status status;
};

Found Scan(Storage& storage, const LayoutChoice& layout,
           const std::string& path = "x.lmdb") {
  Found found;
  const auto file = storage.Open(path);
  REQUIRE(file.ok());
  const auto scanner = kLmdbFormat.open_scanner(**file, layout);
  if (!scanner.ok()) return {{}, {}, {}, scanner.status()};
  for (;;) {
    const auto next = (*scanner)->Next();
    found.status = next.status();
    if (!next.ok() || !*next) return found;
    found.keys.emplace_back((*next)->key.value_or("-"));
    for (const ScannedField& field : (*next)->fields) {
      if (field.name != kImageField) continue;
      found.images.emplace_back(AsText(field.bytes));
      if (!field.extents.empty()) found.extents.push_back(field.extents[0]);
    }
  }
}

TEST_CASE("LmdbScanner keeps the order in which samples were written",
          "[lmdb]") {
  // Plain keys are in another order in the tree: 0, 1, 10, 100, 101, ...
  for (const LayoutChoice& layout :
       {Choice("folder2lmdb"), Choice("folder2lmdb", "%d"), Choice("datum"),
        Choice("fields")}) {
    INFO(layout.layout->name);
    MemoryStorage storage;
    const auto writer = NewWriter(storage, layout);
    std::vector<std::string> images;
    for (int i = 0; i < 1200; ++i) {
      images.push_back("image " + std::to_string(i));
      REQUIRE(Append(*writer, "key " + std::to_string(i * 7919 % 1200),
                     AsBytes(images.back()))
                  .ok());
    }
    REQUIRE(writer->Finish().ok());
    const Found found = Scan(storage, layout);
    CHECK(found.status.ToString() == "OK");
    CHECK((found.images == images));
  }
}

TEST_CASE("An LMDB shard is hardly larger than its payloads on whole pages",
          "[lmdb]") {
  for (const LayoutChoice& layout :
       {Choice("folder2lmdb"), Choice("folder2lmdb", "%d"), Choice("datum"),
        Choice("fields")}) {
    for (const std::uint32_t most : {3'000U, 60'000U, 400'000U}) {
      INFO(layout.layout->name << ", up to " << most);
      TempDirectory folder;
      const std::string path = folder.path() + "/x.lmdb";
      OracleDraws draws(most);
      const auto writer = NewWriter(LocalStorage(), layout, path);
      const std::string image(most, 'i');
      std::uint64_t rounded = 0;
      for (std::uint64_t total = 0, i = 0; total < (48U << 20) && i < 4000;
           ++i) {
        const std::uint32_t size = most / 2 + draws.Below(most / 2);
        REQUIRE(Append(*writer,
                       "n" + std::to_string(draws.Below(1U << 31)) + ".jpg",
                       AsBytes(image).first(size))
                    .ok());
        total += size;
        rounded += (size + 4095) / 4096 * 4096;
      }
      const auto summary = writer->Finish();
      REQUIRE(summary.ok());
      CHECK(summary->bytes == std::filesystem::file_size(path));
      CHECK(static_cast<double>(summary->bytes) <
            1.02 * static_cast<double>(rounded));
    }
  }
}

TEST_CASE("LmdbWriter leaves one file, and no map in it or beside it",
          "[lmdb]") {
  TempDirectory folder;
  const std::string path = folder.path() + "/x.lmdb";
  const auto writer = NewWriter(LocalStorage(), Choice("folder2lmdb"), path);
  REQUIRE(Append(*writer, "k", AsBytes("image")).ok());
  REQUIRE(writer->Finish().ok());
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(folder.path())) {
    ++files;
  }
  CHECK(files == 1);
  CHECK(std::filesystem::file_size(path) < 32768);
}

TEST_CASE("LmdbWriter makes the same bytes each time, of several commits",
          "[lmdb]") {
  const std::string image(300'000, 'x');
  std::string first;
  for (int round = 0; round < 3; ++round) {
    MemoryStorage storage;
    const auto writer = NewWriter(storage, Choice("fields"));
    // Several commits, and maps of 64 and 128 MiB.
    for (int i = 0; i < 300; ++i) {
      REQUIRE(
          Append(*writer, std::to_string(i * 7919 % 300), AsBytes(image)).ok());
    }
    REQUIRE(writer->Finish().ok());
    const std::string file = *storage.Get("x.lmdb");
    if (first.empty()) first = file;
    CHECK((file == first));
  }
  // Later commits reuse pages: their old contents do not matter.
  CHECK(first.size() > (80U << 20));
}

TEST_CASE("LmdbWriter holds a value that is larger than its map", "[lmdb]") {
  MemoryStorage storage;
  const auto writer = NewWriter(storage, Choice("folder2lmdb"));
  const std::string huge(150'000'000, 'h');
  REQUIRE(Append(*writer, "a", AsBytes("small")).ok());
  REQUIRE(Append(*writer, "b", AsBytes(huge)).ok());
  REQUIRE(Append(*writer, "c", AsBytes("last")).ok());
  REQUIRE(writer->Finish().ok());
  const Found found = Scan(storage, Choice("folder2lmdb"));
  CHECK(found.status.ToString() == "OK");
  REQUIRE(found.images.size() == 3);
  CHECK((found.images[1] == huge));
}

TEST_CASE("LmdbWriter keeps many tiny samples", "[lmdb]") {
  MemoryStorage storage;
  const LayoutChoice layout = Choice("folder2lmdb", "%d");
  const auto writer = NewWriter(storage, layout);
  for (int i = 0; i < 60'000; ++i) {
    const std::string image = std::to_string(i);
    REQUIRE(Append(*writer, "", AsBytes(image)).ok());
  }
  REQUIRE(writer->Finish().ok());
  const Found found = Scan(storage, layout);
  CHECK(found.status.ToString() == "OK");
  REQUIRE(found.images.size() == 60'000);
  CHECK(found.images[54'321] == "54321");
}

TEST_CASE("lmdb/fields refuses keys that LMDB or itself cannot hold",
          "[lmdb]") {
  MemoryStorage storage;
  const auto writer = NewWriter(storage, Choice("fields"));
  REQUIRE(Append(*writer, "twice", AsBytes("1")).ok());
  for (const std::string& key :
       {std::string(), std::string("twice"), std::string("__keys__"),
        std::string("__len__"), std::string(512, 'k')}) {
    const Status status = Append(*writer, key, AsBytes("2"));
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().key == key);
  }
  REQUIRE(Append(*writer, std::string(511, 'k'), AsBytes("3")).ok());
  REQUIRE(writer->Finish().ok());
  CHECK(Scan(storage, Choice("fields")).keys ==
        std::vector<std::string>{"twice", std::string(511, 'k')});
}

TEST_CASE("lmdb/fields refuses fields that a pickle cannot hold", "[lmdb]") {
  const std::uint64_t one[] = {1};
  const std::uint64_t three[] = {3};
  const FieldView refused[] = {
      {.name = "a", .dtype = "<f8", .shape = one, .bytes = AsBytes("1234")},
      {.name = "a", .dtype = ">f8", .shape = one, .bytes = AsBytes("12345678")},
      {.name = "a", .dtype = "|O8", .shape = one, .bytes = AsBytes("12345678")},
      {.name = "a", .dtype = "<u1", .shape = three, .bytes = AsBytes("123")},
      {.name = "a", .dtype = "|S", .shape = three, .bytes = AsBytes("123")},
      {.name = "\xff", .dtype = "|S", .shape = {}, .bytes = {}},
      {.name = "__labels__", .dtype = "|S", .shape = {}, .bytes = {}}};
  MemoryStorage storage;
  const auto writer = NewWriter(storage, Choice("fields"));
  for (const FieldView& field : refused) {
    const Status status = writer->Append(
        {.id = 1, .key = "k", .labels = {}, .fields = {&field, 1}});
    INFO(field.dtype);
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().key == "k");
  }
}

TEST_CASE("lmdb/fields reads numbers under label, texts, and no image",
          "[lmdb]") {
  OracleDb db;
  db.Begin();
  db.Put("a", Pickled([](PickleWriter& pickle) {
           pickle.Op(kOpEmptyDict);
           pickle.Op(kOpMark);
           pickle.Text("label");
           pickle.Int(7);
           pickle.Text("caption");
           pickle.Text("a tench");
           pickle.Op(kOpSetItems);
         }));
  db.Commit();
  MemoryStorage storage;
  storage.Put("x.lmdb", db.File());
  const auto file = storage.Open("x.lmdb");
  const auto layout = kLmdbFormat.detect_layout(**file);
  REQUIRE(layout.ok());
  const auto scanner = kLmdbFormat.open_scanner(**file, *layout);
  REQUIRE(scanner.ok());
  const auto sample = (*scanner)->Next();
  REQUIRE(sample.ok());
  REQUIRE(*sample);
  CHECK((*sample)->key == "a");
  REQUIRE((*sample)->labels.size() == 1);
  CHECK((*sample)->labels[0] == Label(7));
  REQUIRE((*sample)->fields.size() == 1);
  CHECK((*sample)->fields[0].name == "caption");
  CHECK((*sample)->fields[0].dtype == "|S");
  CHECK(AsText((*sample)->fields[0].bytes) == "a tench");
}

TEST_CASE("lmdb/fields refuses a dict that counts bytes twice",
          "[lmdb][corruption]") {
  OracleDb db;
  db.Begin();
  // {"a": x, "b": x} with one x in the file.
  db.Put("a", BytesOfHex("8004 7d 28 8c0161 4210000000") +
                  std::string(16, 'x') + BytesOfHex("94 8c0162 6800") +
                  BytesOfHex("8c0163 6800 8c0164 6800 8c0165 6800 75 2e"));
  db.Commit();
  MemoryStorage storage;
  storage.Put("x.lmdb", db.File());
  const Found found = Scan(storage, Choice("fields"));
  CHECK(found.status.code() == Code::kUnsupported);
  CHECK_THAT(found.status.message(), Catch::Contains("share their bytes"));
}

TEST_CASE("LmdbScanner follows a list of some of the entries", "[lmdb]") {
  const auto pair = [](const std::string& image) {
    return Pickled([&](PickleWriter& pickle) {
      pickle.Bytes(AsBytes(image));
      pickle.Int(1);
      pickle.Op(kOpTuple2);
    });
  };
  OracleDb db;
  db.Begin();
  for (const char* key : {"a", "b", "c"}) db.Put(key, pair(key));
  db.Put("__keys__", Pickled([](PickleWriter& pickle) {
           pickle.Op(kOpEmptyList);
           pickle.Op(kOpMark);
           pickle.Text("c");
           pickle.Bytes(AsBytes("a"));
           pickle.Op(kOpAppends);
         }));
  db.Commit();
  MemoryStorage storage;
  storage.Put("x.lmdb", db.File());
  CHECK(Scan(storage, Choice("folder2lmdb")).images ==
        std::vector<std::string>{"c", "a"});
}

TEST_CASE("LMDB databases of other kinds are refused by name", "[lmdb]") {
  const std::pair<unsigned, std::string> kinds[] = {
      {MDB_DUPSORT, "DUPSORT"},
      {MDB_INTEGERKEY, "INTEGERKEY"},
      {MDB_REVERSEKEY, "REVERSEKEY"}};
  for (const auto& [flag, name] : kinds) {
    OracleDb db;
    db.Begin(flag);
    db.Put("12345678", "v");
    db.Commit();
    MemoryStorage storage;
    storage.Put("x.lmdb", db.File());
    const Status status = Scan(storage, Choice("folder2lmdb")).status;
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::Contains(name));
  }
  OracleDb db(0, 2);
  db.Begin(MDB_CREATE, "images");
  db.Put("k", "v");
  db.Commit();
  MemoryStorage storage;
  storage.Put("x.lmdb", db.File());
  CHECK_THAT(Scan(storage, Choice("folder2lmdb")).status.message(),
             Catch::Contains("named databases (\"images\")"));
}

TEST_CASE("LmdbScanner survives each flipped byte and each cut",
          "[lmdb][corruption]") {
  for (const LayoutChoice& layout :
       {Choice("folder2lmdb", "%d"), Choice("datum"), Choice("fields")}) {
    INFO(layout.layout->name);
    MemoryStorage storage;
    const auto writer = NewWriter(storage, layout);
    for (int i = 0; i < 12; ++i) {
      REQUIRE(Append(*writer, "key" + std::to_string(i),
                     AsBytes(std::string(i == 5 ? 5000 : 10, 'a')))
                  .ok());
    }
    REQUIRE(writer->Finish().ok());
    const std::string file = *storage.Get("x.lmdb");
    for (std::size_t at = 0; at < file.size(); at += at % 4096 < 160 ? 1 : 7) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
      storage.Put("y.lmdb", damaged);
      const Found flipped = Scan(storage, layout, "y.lmdb");
      INFO("byte " << at);
      CHECK((!flipped.status.ok() || flipped.keys.size() == 12));
      storage.Put("y.lmdb", file.substr(0, at));
      CHECK(Scan(storage, layout, "y.lmdb").images.size() < 12);
    }
  }
}

TEST_CASE("The LMDB probe tells databases from other files", "[lmdb]") {
  OracleDb db;
  db.Begin();
  db.Commit();
  const std::string file = db.File();
  CHECK(kLmdbFormat.probe(AsBytes(file)));
  CHECK_FALSE(kLmdbFormat.probe({}));
  CHECK_FALSE(kLmdbFormat.probe(AsBytes(file.substr(0, 100))));
  CHECK_FALSE(kLmdbFormat.probe(AsBytes(file.substr(1))));
}

}  // namespace
}  // namespace shardine::lmdb_shard_test
