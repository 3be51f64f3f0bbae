// The step from the staging folder to final names, for formats with and without
// companions: killed at each call, and taken back.
#include "pack/staging.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "dataset/unfinished.h"
#include "io/memory_storage.h"
#include "pack/shard_notes.h"
#include "pack/split_writer.h"
#include "shard/content_digest.h"
#include "shardine/format.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"

namespace shardine::staging_test {
namespace {

constexpr std::uint64_t kShape[] = {3, 4, 4};

// Two shards of two samples in OUT/.pack/new, which have no other names yet.
struct World {
  World()
      : format(*ParseFormat(
            BuiltinFormats(),
            GENERATE(as<std::string>(), "recordio", "tfrecord", "webdataset",
                     "lmdb/fields", "lmdb/fields:dir=yes", "hdf5/caffe"))),
        names({{"train-00000" + suffix(), "train-00000-of-00002" + suffix()},
               {"train-00001" + suffix(), "train-00001-of-00002" + suffix()}}) {
    Stage(storage);
    staged = TakeSnapshot(storage, "out/.pack/new");
    REQUIRE(staged.size() >= 4);
  }

  std::string suffix() const { return std::string(format.format->suffix); }

  void Stage(Storage& into) {
    REQUIRE(into.CreateDirectories("out/.pack/new").ok());
    const StagedWork work{.folder = {into, StagingFolder("out")},
                          .format = format,
                          .classes = {},
                          .shard_bytes = 1 << 20,
                          .shard_samples = 2,
                          .fingerprint = "test"};
    SplitWriter writer(work, "train");
    for (std::uint64_t i = 0; i < 4; ++i) {
      const std::string image = NoiseBytes(48, i);
      FieldView field{.name = kImageField, .bytes = AsBytes(image)};
      if (!format.limits().encoded_image) {
        field.dtype = "|u1";
        field.shape = kShape;
      }
      const std::string key = "k" + std::to_string(i);
      const Label label(1);
      REQUIRE(writer
                  .Append({.view = {.id = i,
                                    .key = key,
                                    .labels = {&label, 1},
                                    .fields = {&field, 1}},
                           .image = {},
                           .bytes = image.size(),
                           .digest = ContentDigest({&label, 1}, {&field, 1})},
                          {})
                  .ToString() == "OK");
    }
    REQUIRE(writer.EndShard({}).ok());
  }
  Status Move(Storage& in) { return MoveStaged({in, "out"}, format, names); }
  // The files that stay, by name.
  std::vector<std::string> TakeBack(Storage& in) {
    const auto foreign = RemoveStaged({in, "out"}, format);
    REQUIRE(foreign.status().ToString() == "OK");
    return *foreign;
  }
  // Files of OUT itself.
  static Snapshot Moved(Storage& in) {
    Snapshot files = TakeSnapshot(in, "out");
    std::erase_if(files, [](const auto& file) {
      return file.first.starts_with(".pack/");
    });
    return files;
  }

  FormatAndLayout format;
  std::vector<StagedName> names;
  MemoryStorage storage;
  Snapshot staged;
};

// "train-00000.rec.sdx" -> "train-00000-of-00002.rec.sdx".
std::string FinalOf(std::string name) {
  return name.insert(name.find("train-") + 11, "-of-00002");
}

TEST_CASE_METHOD(World, "MoveStaged gives every file its final name",
                 "[pack][staging]") {
  REQUIRE(Move(storage).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out/.pack/new").empty());
  const Snapshot moved = Moved(storage);
  CHECK(moved.size() == staged.size());
  for (const auto& [name, contents] : staged) {
    // "train-00000.rec.sdx" is "train-00000-of-00002.rec.sdx" by now.
    const std::string now = FinalOf(name);
    INFO(name);
    REQUIRE(moved.contains(now));
    const bool says_name = format.format->rename_companion != nullptr &&
                           now == format.CompanionName(names[0].final);
    if (says_name) {
      CHECK(moved.at(now) == names[0].final + "\n");
    } else if (format.format->rename_companion == nullptr) {
      CHECK(moved.at(now) == contents);
    }
  }
}

TEST_CASE_METHOD(World, "RemoveStaged takes back what was moved and no more",
                 "[pack][staging]") {
  storage.Put("out/mine.txt", "mine");
  storage.Put("out/train-00002-of-00002" + suffix(), "mine");
  const Snapshot before = Moved(storage);
  REQUIRE(Move(storage).ok());
  CHECK(TakeBack(storage).empty());
  CHECK(Moved(storage) == before);
  CHECK_FALSE(storage.Stat("out/.pack/new").ok());
  CHECK_FALSE(storage.Stat("out/" + names[0].final).ok());
  CHECK(ListNotedShards({storage, "out"})->empty());
  // Again: there is nothing left to take back.
  CHECK(TakeBack(storage).empty());
}

TEST_CASE_METHOD(World, "MoveStaged moves nothing where one name is taken",
                 "[pack][staging]") {
  std::vector<std::string> taken;
  for (const auto& [name, contents] : staged) {
    taken.push_back("out/" + FinalOf(name));
  }
  for (const std::string& path : taken) {
    storage.Put(path, "mine");
    const Snapshot before = TakeSnapshot(storage, "out");
    const Status refused = Move(storage);
    CHECK(refused.code() == Code::kAlreadyExists);
    CHECK(refused.where().path == path);
    CHECK(TakeSnapshot(storage, "out") == before);
    REQUIRE(storage.Remove(path).ok());
  }
  // A folder or a link of that name is in the way as well.
  REQUIRE(storage.CreateDirectories(taken[0]).ok());
  CHECK(Move(storage).code() == Code::kAlreadyExists);
}

TEST_CASE_METHOD(World, "A move that is killed anywhere is taken back whole",
                 "[pack][staging][killed][one_thread]") {
  for (std::uint64_t call = 0;; ++call) {
    MemoryStorage below;
    Stage(below);
    below.Put("out/mine.txt", "mine");
    FaultStorage killed(below, {.call = call, .effect = Fault::Effect::kCrash});
    const Status status = Move(killed);
    INFO("killed at call " << call << ": " << status.ToString());
    CHECK(TakeBack(below).empty());
    CHECK(Moved(below) == Snapshot{{"mine.txt", "mine"}});
    // A folder that a shard was to be in is absent, too.
    for (const StagedName& name : names) {
      CHECK_FALSE(below.Stat("out/" + name.final).ok());
    }
    REQUIRE_FALSE(below.Stat("out/.pack/new").ok());
    if (!killed.struck()) break;
    CHECK_FALSE(status.ok());
  }
}

TEST_CASE_METHOD(World, "Taking back that is killed anywhere goes on",
                 "[pack][staging][killed][one_thread]") {
  for (std::uint64_t call = 0;; ++call) {
    MemoryStorage below;
    Stage(below);
    REQUIRE(Move(below).ok());
    FaultStorage killed(below, {.call = call, .effect = Fault::Effect::kCrash});
    (void)RemoveStaged({killed, "out"}, format).ok();
    INFO("killed at call " << call);
    CHECK(TakeBack(below).empty());
    REQUIRE(Moved(below).empty());
    if (!killed.struck()) break;
  }
}

TEST_CASE_METHOD(World, "RemoveStaged leaves each file that is another by now",
                 "[pack][staging]") {
  for (const auto& [name, contents] : staged) {
    MemoryStorage below;
    Stage(below);
    REQUIRE(Move(below).ok());
    const std::string path = "out/" + FinalOf(name);
    // The very same bytes, but written by another program.
    const std::string theirs = *below.Get(path);
    below.Put(path, theirs);
    INFO(path);
    CHECK(TakeBack(below) == std::vector<std::string>{path});
    CHECK(Moved(below) == Snapshot{{path.substr(4), theirs}});
    // It is no longer noted, and is left alone from now on.
    CHECK(TakeBack(below).empty());
    CHECK(Moved(below).size() == 1);
  }
}

TEST_CASE_METHOD(World, "RemoveStaged removes nothing on a disk it cannot read",
                 "[pack][staging][fault]") {
  REQUIRE(Move(storage).ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  for (const Operation operation : {Operation::kRead, Operation::kList}) {
    FaultStorage faulty(storage, {.operation = operation});
    CHECK(RemoveStaged({faulty, "out"}, format).status().code() == Code::kIo);
    CHECK(TakeSnapshot(storage, "out") == before);
  }
  FaultStorage faulty(storage, {.operation = Operation::kStat});
  CHECK_FALSE(RemoveStaged({faulty, "out"}, format).ok());
  CHECK(TakeSnapshot(storage, "out") == before);
}

}  // namespace
}  // namespace shardine::staging_test
