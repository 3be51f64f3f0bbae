// Errors of a reader of samples when shards, sidecars or entry points have
// changed, and when the storage fails.

#include <catch2/catch.hpp>
#include <filesystem>

#include "dataset/sample_source.h"
#include "io/atomic_file.h"
#include "io/local_storage.h"
#include "shardine/pack.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/temp_directory.h"
#include "support/variant_fixture.h"

namespace shardine::sample_damage_test {
namespace {

constexpr char kShard[] = "out/train-00001-of-00003.rec";
constexpr std::uint64_t kFirst = 4;  // position of that shard's first sample
constexpr std::uint64_t kSize = 12;

// Twelve images with entry points in three shards.
struct World {
  World() {
    PutImages(storage, "tree");
    PackOptions options = PackOf("tree", "out");
    options.check = ImageCheckLevel::kHeader;
    const auto result = Pack(options, {.storage = &storage});
    REQUIRE(result.status().ToString() == "OK");
  }

  std::unique_ptr<SampleSource> Open() {
    auto source = SampleSource::Open(storage, "out", {});
    REQUIRE(source.status().ToString() == "OK");
    return *std::move(source);
  }
  void Flip(const std::string& path, std::size_t offset) {
    std::string bytes = *storage.Get(path);
    bytes.at(offset) ^= 1;
    storage.Put(path, bytes);
  }
  // How many samples come with entry points; all are read, and are right.
  int CountWithPoints() {
    const auto source = Open();
    int count = 0;
    SampleRead sample;
    for (std::uint64_t i = 0; i < kSize; ++i) {
      CHECK(source->Read(i, EntryPointUse::kRead, sample).ToString() == "OK");
      CHECK(AsText(sample.payload) == *storage.Get("tree/" + *source->Key(i)));
      count += sample.entry_points.size() > 0 ? 1 : 0;
    }
    return count;
  }

  MemoryStorage storage;
};

Status ReadAt(const SampleSource& source, std::uint64_t position) {
  SampleRead sample;
  return source.Read(position, EntryPointUse::kRead, sample);
}

TEST_CASE_METHOD(World, "A changed payload names shard, record and key",
                 "[sample_source][corruption]") {
  const auto before = Open();
  const auto entry = before->Entry(kFirst + 2);
  REQUIRE(entry.ok());
  const std::string key = *before->Key(kFirst + 2);
  Flip(kShard, entry->fields[0].extents[0].offset + 5);
  const auto source = Open();
  const Status status = ReadAt(*source, kFirst + 2);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == kShard);
  CHECK(status.where().record == 2);
  CHECK(status.where().key == key);
  CHECK(status.message() == "the payload does not match its CRC");
  CHECK(ReadAt(*source, kFirst + 1).ok());
  CHECK(ReadAt(*source, kFirst + 3).ok());
}

TEST_CASE_METHOD(World, "A shard of another size is an error when it is opened",
                 "[sample_source][corruption]") {
  std::string bytes = *storage.Get(kShard);
  bytes.resize(
      GENERATE_COPY(std::size_t{0}, bytes.size() - 1, bytes.size() + 1));
  storage.Put(kShard, bytes);
  const auto source = Open();
  CHECK(ReadAt(*source, kFirst - 1).ok());
  const Status status = ReadAt(*source, kFirst);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().path == kShard);
  CHECK(status.where().record == 0);
  CHECK(status.message().find("its index was made for") != std::string::npos);
}

TEST_CASE_METHOD(World, "A shard that is gone is not found, until it is back",
                 "[sample_source][corruption]") {
  const std::string bytes = *storage.Get(kShard);
  REQUIRE(storage.Remove(kShard).ok());
  const auto source = Open();
  const Status status = ReadAt(*source, kFirst + 1);
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.where().path == kShard);
  CHECK(status.where().record == 1);
  storage.Put(kShard, bytes);
  CHECK(ReadAt(*source, kFirst + 1).ToString() == "OK");
}

TEST_CASE_METHOD(World, "Damage in a sidecar names it and the record",
                 "[sample_source][corruption]") {
  const std::string sidecar = SidecarName(kShard);
  SECTION("in the rows") {
    Flip(sidecar, 4096 + 100);
    const auto source = Open();
    const Status status = ReadAt(*source, kFirst + 3);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == sidecar);
    CHECK(status.where().record == 3);
    std::vector<IndexEntry> entries;
    CHECK(source->Entries(0, kSize, entries).where().path == sidecar);
    CHECK(source->Entries(0, kFirst, entries).ok());
  }
  SECTION("in the keys: samples are read all the same") {
    const std::string bytes = *storage.Get(sidecar);
    Flip(sidecar, bytes.size() - 30);
    const auto source = Open();
    CHECK(ReadAt(*source, kFirst + 3).ok());
    const Status status = source->Key(kFirst + 3).status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == sidecar);
    const Where where = source->WhereIs(kFirst + 3);
    CHECK(where.path == kShard);
    CHECK_FALSE(where.key);
  }
  SECTION("of another pack") {
    storage.Put(sidecar,
                *storage.Get("out/.shardine/train-00000-of-00003.rec.sdx"));
    const Status status = ReadAt(*Open(), kFirst);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.message().starts_with("stale sidecar"));
  }
}

TEST_CASE_METHOD(World, "Entry points that are no good are none",
                 "[sample_source][corruption]") {
  const int all = CountWithPoints();
  REQUIRE(all > 3);
  const std::string points = EntryPointName(SidecarName(kShard));
  const std::string bytes = *storage.Get(points);
  SECTION("missing") { REQUIRE(storage.Remove(points).ok()); }
  SECTION("cut") { storage.Put(points, bytes.substr(0, bytes.size() / 2)); }
  SECTION("damaged header") { Flip(points, bytes.size() - 4000); }
  SECTION("damaged rows") { Flip(points, bytes.size() - 4096 - 2000); }
  SECTION("damaged points") { Flip(points, 3); }
  SECTION("of another shard") {
    storage.Put(points,
                *storage.Get("out/.shardine/train-00000-of-00003.rec.sde"));
  }
  const int left = CountWithPoints();
  CHECK(left < all);
  CHECK(left >= all - 4);
}

// The bytes of the first shards through their local files.
TEST_CASE_METHOD(World, "A shard that shrinks under the reader ends early",
                 "[sample_source][corruption]") {
  const TempDirectory directory;
  for (const auto& [name, bytes] : TakeSnapshot(storage, "out")) {
    const std::string path = directory / name;
    REQUIRE(LocalStorage().CreateDirectories(DirectoryOf(path)).ok());
    REQUIRE(WriteFileAtomically(LocalStorage(), path, AsBytes(bytes)).ok());
  }
  const auto source = SampleSource::Open(LocalStorage(), directory.path(), {});
  REQUIRE(source.status().ToString() == "OK");
  REQUIRE(ReadAt(**source, 0).ok());
  const std::string shard = directory / "train-00000-of-00003.rec";
  std::filesystem::resize_file(shard, 10);
  const Status status = ReadAt(**source, 1);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.message() == "file ends early");
  CHECK(status.where().path == shard);
  CHECK(status.where().record == 1);
  CHECK(status.where().key == *(*source)->Key(1));
  SECTION("as a sidecar does") {
    const std::string other = directory / "train-00001-of-00003.rec";
    REQUIRE((*source)->Key(4).ok());  // open, and no row of it was read
    const std::string sidecar = SidecarName(other);
    std::filesystem::resize_file(sidecar, 4096);
    const Status index = ReadAt(**source, 4);
    CHECK(index.code() == Code::kCorrupt);
    CHECK(index.where().path == sidecar);
  }
  SECTION("and removed it can be read on") {
    REQUIRE(ReadAt(**source, 4).ok());
    std::filesystem::remove(directory / "train-00001-of-00003.rec");
    CHECK(ReadAt(**source, 5).ok());
  }
}

TEST_CASE_METHOD(World, "Each failing call is an error once, and no more",
                 "[sample_source][fault]") {
  for (std::uint64_t call = 0;; ++call) {
    FaultStorage faulty(storage, {.operation = Operation::kAny, .call = call});
    const auto opened = SampleSource::Open(faulty, "out", {});
    if (!opened.ok()) {
      CHECK(faulty.struck());
      continue;
    }
    int failures = 0;
    for (std::uint64_t i = 0; i < kSize; ++i) {
      Status status = ReadAt(**opened, i);
      if (!status.ok()) {
        ++failures;
        CHECK(status.code() == Code::kIo);
        CHECK(status.where().record == i % 4);
        CHECK_FALSE(status.where().path.empty());
        status = ReadAt(**opened, i);
      }
      CHECK(status.ToString() == "OK");
    }
    CHECK(failures <= 1);
    if (!faulty.struck()) {
      CHECK(failures == 0);
      CHECK(call > 3 * 6);
      break;
    }
  }
}

}  // namespace
}  // namespace shardine::sample_damage_test
