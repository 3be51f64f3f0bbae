// Shards of other programs, without a dataset around them.
#include "dataset/foreign_shards.h"

#include <catch2/catch.hpp>

#include "dataset/index_entry.h"
#include "dataset/sample_source.h"
#include "io/local_storage.h"
#include "shard/payload.h"
#include "shardine/pack.h"
#include "support/pack_fixture.h"

namespace shardine::foreign_shards_test {
namespace {

using Paths = std::vector<std::string>;

std::unique_ptr<SampleSource> OpenShards(Storage& storage, const Paths& shards,
                                         const DatasetOptions& options = {}) {
  auto source =
      SampleSource::OpenShards(storage, shards, options, BuiltinFormats());
  REQUIRE(source.status().ToString() == "OK");
  return *std::move(source);
}

Status OpenStatus(Storage& storage, const Paths& shards,
                  const DatasetOptions& options = {}) {
  return SampleSource::OpenShards(storage, shards, options, BuiltinFormats())
      .status();
}

Paths GoldenFiles(const Format& format) {
  const std::string folder =
      SHARDINE_TESTDATA "/golden/" + std::string(format.name);
  const auto entries = LocalStorage().List(folder);
  REQUIRE(entries.ok());
  Paths paths;
  for (const DirEntry& entry : *entries) {
    if (BuiltinFormats().FindBySuffix(entry.name) == &format) {
      paths.push_back(JoinPath(folder, entry.name));
    }
  }
  std::ranges::sort(paths);
  REQUIRE_FALSE(paths.empty());
  return paths;
}

// Each sample as the format's own scanner has it. Returns how many can be
// streamed.
int CompareWithScanner(const SampleSource& source, const std::string& path) {
  const auto file = LocalStorage().Open(path);
  REQUIRE(file.ok());
  const auto format = BuiltinFormats().DetectLayout(**file);
  REQUIRE(format.ok());
  auto scanner = format->format->open_scanner(**file, *format);
  REQUIRE(scanner.ok());
  int streamed = 0;
  SampleRead sample;
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    const auto scanned = (*scanner)->Next();
    REQUIRE(scanned.ok());
    REQUIRE(scanned->has_value());
    const auto key = source.Key(i);
    REQUIRE(key.ok());
    if ((*scanned)->key && !(*scanned)->key->empty()) {
      CHECK(*key == *(*scanned)->key);
    }
    const Status status = source.Read(i, EntryPointUse::kRead, sample);
    if (!status.ok()) {
      CHECK(status.code() == Code::kUnsupported);
      CHECK(status.message().find("convert the dataset first") !=
            std::string::npos);
      CHECK(status.where().path == path);
      CHECK(status.where().record == i);
      CHECK(status.where().key == *key);
      continue;
    }
    ++streamed;
    IndexEntry expected =
        MakeIndexEntry(**scanned, sample.entry.id, (*scanned)->labels);
    KeepFields([](const IndexField& f) { return HasExtents(f); }, expected);
    CHECK(sample.entry == expected);
    const auto fields = FieldsOf(sample.entry, sample.payload);
    auto read = fields.begin();
    auto unread = sample.unread.begin();
    for (const ScannedField& field : (*scanned)->fields) {
      if (field.extents.empty()) {
        REQUIRE(unread != sample.unread.end());
        CHECK(*unread++ == field.name);
      } else {
        REQUIRE(read != fields.end());
        CHECK(AsText(read++->bytes) == AsText(field.bytes));
      }
    }
    CHECK(read == fields.end());
    CHECK(unread == sample.unread.end());
  }
  const auto end = (*scanner)->Next();
  REQUIRE(end.ok());
  CHECK_FALSE(end->has_value());
  return streamed;
}

TEST_CASE("Shards of other programs are read as their scanners read them",
          "[foreign_shards]") {
  for (const Format* format : BuiltinFormats().formats()) {
    int streamed = 0;
    for (const std::string& path : GoldenFiles(*format)) {
      CAPTURE(path);
      const auto source = OpenShards(LocalStorage(), {path});
      CHECK(source->split() == "train");
      CHECK(source->variant() == "original");
      CHECK(source->path() == path);
      REQUIRE_FALSE(source->warnings().empty());
      CHECK(source->warnings()[0].starts_with("1 shard was scanned"));
      streamed += CompareWithScanner(*source, path);
    }
    CHECK(streamed > 0);
  }
}

TEST_CASE("What is compressed as a whole opens with a warning and is not read",
          "[foreign_shards]") {
  const auto source =
      OpenShards(LocalStorage(),
                 {SHARDINE_TESTDATA "/golden/tfrecord/imagenet.tfrecord.gz"});
  REQUIRE(source->size() > 0);
  CHECK_THAT(source->warnings().back(),
             Catch::Contains("can be converted, not streamed: field"));
  SampleRead sample;
  CHECK(source->Read(0, EntryPointUse::kSkip, sample).code() ==
        Code::kUnsupported);
  CHECK(sample.is_nowhere);
}

struct Packed {
  explicit Packed(const std::string& format, int shards = 3) {
    PutTree(storage, "tree", 3, 6, 900);
    PackOptions options = PackOf("tree", "out");
    options.format = format;
    options.shards = static_cast<std::uint64_t>(shards);
    const auto result = Pack(options, {.storage = &storage});
    REQUIRE(result.status().ToString() == "OK");
    for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
      if (BuiltinFormats().FindBySuffix(name) != nullptr) {
        // Without the sidecars of the dataset.
        storage.Put("bare/" + name, contents);
        paths.push_back("bare/" + name);
      }
    }
    REQUIRE(paths.size() == static_cast<std::size_t>(shards));
  }
  MemoryStorage storage;
  Paths paths;
};

TEST_CASE("Shards whose records have ids are the dataset they were packed as",
          "[foreign_shards]") {
  Packed packed("recordio");
  const auto dataset = SampleSource::Open(packed.storage, "out", {});
  REQUIRE(dataset.ok());
  const auto source = OpenShards(packed.storage, packed.paths);
  REQUIRE(source->size() == (*dataset)->size());
  CHECK(source->order_digest() == (*dataset)->order_digest());
  REQUIRE(source->warnings().size() == 2);
  CHECK_THAT(source->warnings()[1], Catch::Contains("have no bytes"));
  CHECK(source->warnings()[0].starts_with("3 shards were scanned"));
  for (std::uint64_t i = 0; i < source->size(); ++i) {
    CHECK(*source->Entry(i) == *(*dataset)->Entry(i));
  }
  // RecordIO has no keys: they are made up as `index` does.
  const auto entry = source->Entry(5);
  CHECK(*source->Key(5) == MadeUpKey(entry->id, entry->facts));
}

TEST_CASE("Without ids of their own samples are numbered by position",
          "[foreign_shards]") {
  SECTION("records that hold none") {
    Packed packed("lmdb");
    const auto dataset = SampleSource::Open(packed.storage, "out", {});
    REQUIRE(dataset.ok());
    const auto source = OpenShards(packed.storage, packed.paths);
    CHECK(source->warnings().size() == 3);
    REQUIRE(source->size() == 18);
    SampleRead sample;
    SampleRead packed_sample;
    for (std::uint64_t i = 0; i < source->size(); ++i) {
      REQUIRE(source->Read(i, EntryPointUse::kSkip, sample).ok());
      REQUIRE((*dataset)->Read(i, EntryPointUse::kSkip, packed_sample).ok());
      CHECK(sample.entry.id == i);
      CHECK(source->Entry(i)->id == i);
      CHECK(sample.entry.labels == packed_sample.entry.labels);
      CHECK(AsText(sample.payload) == AsText(packed_sample.payload));
    }
  }
  SECTION("records whose ids are there twice") {
    Packed packed("recordio");
    const Paths twice = {packed.paths[1], packed.paths[0], packed.paths[1]};
    const auto source = OpenShards(packed.storage, twice);
    REQUIRE(source->size() == 18);
    CHECK(source->warnings().size() == 3);
    std::vector<IndexEntry> entries;
    REQUIRE(source->Entries(0, 18, entries).ok());
    for (std::uint64_t i = 0; i < 18; ++i) CHECK(entries[i].id == i);
    CHECK(entries[3].content_digest == entries[15].content_digest);
  }
}

TEST_CASE("Shards give class names where their records do",
          "[foreign_shards]") {
  Packed packed("tfrecord");
  const auto source = OpenShards(packed.storage, packed.paths);
  REQUIRE(source->classes().size() == 3);
  CHECK(source->classes()[2].name == "class2");
  CHECK(source->classes()[2].label == 2);
  for (std::uint64_t i = 0; i < source->size(); ++i) {
    SampleRead sample;
    REQUIRE(source->Read(i, EntryPointUse::kSkip, sample).ok());
    CHECK(AsText(sample.payload) ==
          *packed.storage.Get("tree/" + *source->Key(i)));
  }
}

TEST_CASE("Shards of several formats go together", "[foreign_shards]") {
  Packed packed("recordio", 1);
  PackOptions options = PackOf("tree", "tar");
  options.format = "webdataset";
  options.shards = 1;
  REQUIRE(Pack(options, {.storage = &packed.storage}).ok());
  const auto source = OpenShards(
      packed.storage, {packed.paths[0], "tar/train-00000-of-00001.tar"});
  REQUIRE(source->size() == 36);
  SampleRead record;
  SampleRead member;
  for (std::uint64_t i = 0; i < 18; ++i) {
    REQUIRE(source->Read(i, EntryPointUse::kSkip, record).ok());
    REQUIRE(source->Read(18 + i, EntryPointUse::kSkip, member).ok());
    CHECK(AsText(record.payload) == AsText(member.payload));
  }
}

TEST_CASE("A folder stands for the LMDB shard in it", "[foreign_shards]") {
  Packed packed("lmdb", 1);
  packed.storage.Put("x/data.mdb", *packed.storage.Get(packed.paths[0]));
  const auto source = OpenShards(packed.storage, {"x"});
  CHECK(source->size() == 18);
  CHECK(source->path() == "x");
  CHECK(source->WhereIs(3).path == "x/data.mdb");
}

TEST_CASE("A list overrides labels of shards, too",
          "[foreign_shards][label_override]") {
  Packed packed("webdataset");
  packed.storage.Put("new.json", R"([{"path": "class1/3.jpg", "label": 9}])");
  const auto source =
      OpenShards(packed.storage, packed.paths, {.labels = "new.json"});
  int changed = 0;
  for (std::uint64_t i = 0; i < source->size(); ++i) {
    const bool listed = *source->Key(i) == "class1/3.jpg";
    changed += listed ? 1 : 0;
    CHECK((source->Entry(i)->labels == std::vector<Label>{9}) == listed);
  }
  CHECK(changed == 1);
}

TEST_CASE("What cannot be opened as shards says why", "[foreign_shards]") {
  Packed packed("recordio");
  MemoryStorage& storage = packed.storage;
  CHECK(OpenStatus(storage, {}).code() == Code::kInvalidArgument);
  CHECK(OpenStatus(storage, packed.paths, {.variant = "sz/160"}).code() ==
        Code::kInvalidArgument);
  CHECK(OpenShards(storage, packed.paths, {.split = "val"})->split() == "val");

  Status status = OpenStatus(storage, {packed.paths[0], "none.rec"});
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.where().path == "none.rec");
  storage.Put("text.txt", "no shard of any format");
  CHECK(OpenStatus(storage, {"text.txt"}).code() == Code::kUnsupported);

  std::string bytes = *storage.Get(packed.paths[1]);
  bytes.resize(bytes.size() - 8);
  storage.Put("cut.rec", bytes);
  status = OpenStatus(storage, {packed.paths[0], "cut.rec", "none.rec"});
  CHECK(status.code() == Code::kCorrupt);  // the first in order
  CHECK(status.where().path == "cut.rec");
}

TEST_CASE("A shard that is not as long as when it was scanned is an error",
          "[foreign_shards]") {
  Packed packed("recordio");
  const auto source = OpenShards(packed.storage, packed.paths);
  packed.storage.Put(packed.paths[1],
                     *packed.storage.Get(packed.paths[1]) + "more");
  SampleRead sample;
  CHECK(source->Read(0, EntryPointUse::kSkip, sample).ok());
  const Status status = source->Read(6, EntryPointUse::kSkip, sample);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == packed.paths[1]);
  CHECK(status.where().record == 0);
}

}  // namespace
}  // namespace shardine::foreign_shards_test
