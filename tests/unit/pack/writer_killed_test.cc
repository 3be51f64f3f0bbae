// Files that a killed DatasetWriter leaves, and their fate: its own files, and
// files that somebody put in their place.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "dataset/dataset_reader.h"
#include "dataset/journal_entry.h"
#include "shardine/dataset_writer.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"

namespace shardine::writer_killed_test {
namespace {

using Catch::Contains;

DatasetWriterOptions Options(const std::string& format = "tfrecord") {
  return {.output = "out",
          .format = format,
          .shard_samples = 3,
          .check = ImageCheckLevel::kNone};
}

Status WriteFive(Storage& storage, const DatasetWriterOptions& options) {
  auto writer = DatasetWriter::Create(options, {.storage = &storage});
  if (!writer.ok()) return writer.status();
  for (std::uint64_t i = 0; i < 5; ++i) {
    const std::string image = NoiseBytes(50, i);
    const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
    const Status status = (*writer)->Append(
        {.key = "k" + std::to_string(i), .fields = {&field, 1}});
    if (!status.ok()) return status;
  }
  return (*writer)->Finish().status();
}

struct World {
  // Writes, and is killed at the first call after which `there` is true.
  void KillWhen(const std::function<bool(MemoryStorage&)>& there) {
    for (std::uint64_t call = 0;; ++call) {
      MemoryStorage fresh;
      FaultStorage killed(fresh,
                          {.call = call, .effect = Fault::Effect::kCrash});
      (void)WriteFive(killed, Options());
      REQUIRE(killed.struck());
      if (!there(fresh)) continue;
      FaultStorage again(storage,
                         {.call = call, .effect = Fault::Effect::kCrash});
      (void)WriteFive(again, Options());
      return;
    }
  }
  void KillAfterManifest() {
    KillWhen([](MemoryStorage& seen) {
      return seen.Stat("out/shardine.json").ok();
    });
    REQUIRE(storage.Stat("out/.pack/new").ok());
    REQUIRE(storage.Stat("out/.pack/journal").ok());
  }
  // One shard has its name, the other has not.
  void KillBetweenNames() {
    KillWhen([](MemoryStorage& seen) { return seen.Stat(kFirst).ok(); });
    REQUIRE(storage.Stat(kFirst).ok());
    REQUIRE_FALSE(storage.Stat(kSecond).ok());
  }
  Snapshot Whole() {
    MemoryStorage fresh;
    REQUIRE(WriteFive(fresh, Options()).ok());
    return TakeSnapshot(fresh, "out");
  }

  static constexpr char kFirst[] = "out/train-00000-of-00002.tfrecord";
  static constexpr char kSecond[] = "out/train-00001-of-00002.tfrecord";
  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "A writer killed after its manifest leaves a dataset",
                 "[pack][writer][killed]") {
  KillAfterManifest();
  const auto reader = DatasetReader::Open(storage, "out");
  REQUIRE(reader.status().ToString() == "OK");
  CHECK((*reader)->manifest().samples() == 5);
  const auto verified =
      Verify({.target = "out", .against = {}}, {.storage = &storage});
  REQUIRE(verified.ok());
  CHECK(verified->findings.empty());
  REQUIRE(verified->notes.size() == 1);
  CHECK_THAT(verified->notes[0], Contains(".pack holds what a run keeps"));
}

TEST_CASE_METHOD(World, "The next writer clears away and keeps the dataset",
                 "[pack][writer][killed]") {
  KillAfterManifest();
  DatasetWriterOptions options = Options();
  // Whatever its options are: the dataset is whole, and nobody goes on with it.
  if (GENERATE(true, false)) options.format = "webdataset";
  const Status refused = WriteFive(storage, options);
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK_THAT(refused.message(), Contains("already holds a dataset"));
  CHECK(TakeSnapshot(storage, "out") == Whole());
  CHECK_FALSE(storage.Stat("out/.pack").ok());
  const auto verified =
      Verify({.target = "out", .against = {}}, {.storage = &storage});
  REQUIRE(verified.ok());
  CHECK(verified->findings.empty());
  CHECK(verified->notes.empty());
}

TEST_CASE_METHOD(World, "Clearing away can be killed at any call, too",
                 "[pack][writer][killed][one_thread]") {
  KillAfterManifest();
  for (std::uint64_t call = 0;; ++call) {
    MemoryStorage copy;
    for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
      copy.Put("out/" + name, contents);
    }
    REQUIRE(copy.CreateDirectories("out/.pack/new").ok());
    FaultStorage killed(copy, {.call = call, .effect = Fault::Effect::kCrash});
    CHECK_FALSE(WriteFive(killed, Options()).ok());
    if (!killed.struck()) break;
    INFO("killed at call " << call);
    CHECK(WriteFive(copy, Options()).code() == Code::kAlreadyExists);
    CHECK(TakeSnapshot(copy, "out") == Whole());
    REQUIRE_FALSE(copy.Stat("out/.pack").ok());
  }
}

TEST_CASE_METHOD(World, "A writer clears nothing away that is another's",
                 "[pack][writer][killed]") {
  REQUIRE(WriteFive(storage, Options()).ok());
  PutTree(storage, "tree", 3, 4, 100);
  REQUIRE(StopAfterFirstShard(storage, PackOf("tree", "packed")).code() ==
          Code::kCancelled);
  // The work of a pack beside a dataset: a size of it may be unfinished.
  for (const auto& [name, contents] : TakeSnapshot(storage, "packed/.pack")) {
    storage.Put("out/.pack/" + name, contents);
  }
  const Snapshot before = TakeSnapshot(storage, "out");
  REQUIRE(before.contains(".pack/journal"));
  CHECK(WriteFive(storage, Options()).code() == Code::kAlreadyExists);
  CHECK(TakeSnapshot(storage, "out") == before);
  // Nor files that lie there beside its own.
  REQUIRE(storage.Remove("out/.pack/journal").ok());
  JournalEntry entry;
  entry.made.command = "write";
  storage.Put("out/.pack/journal", JournalText(entry));
  storage.Put("out/.pack/mine.txt", "mine");
  storage.Put("out/.pack/new/mine.txt", "mine");
  CHECK(WriteFive(storage, Options()).code() == Code::kAlreadyExists);
  CHECK(TakeSnapshot(storage, "out/.pack") ==
        Snapshot{{"mine.txt", "mine"}, {"new/mine.txt", "mine"}});
}

TEST_CASE_METHOD(World, "A shard that was moved and noted is taken back",
                 "[pack][writer][killed]") {
  KillBetweenNames();
  REQUIRE(WriteFive(storage, Options()).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == Whole());
}

TEST_CASE_METHOD(World, "A foreign file under a noted name stays and is named",
                 "[pack][writer][killed]") {
  KillBetweenNames();
  // Its size is the same, too: it was not written when the note says.
  const std::string path =
      GENERATE(as<std::string>(), kFirst, kSecond, SidecarName(kSecond));
  const auto ours = storage.Get(kFirst);
  REQUIRE(ours.ok());
  storage.Put(path, std::string(ours->size(), 'x'));
  const Status refused = WriteFive(storage, Options());
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK(refused.where().path == path);
  CHECK_THAT(refused.message(), Contains("is not the file to which an "
                                         "interrupted run gave this name"));
  // All else is gone, and the way out leads out.
  CHECK(TakeSnapshot(storage, "out") ==
        Snapshot{{path.substr(4), std::string(ours->size(), 'x')}});
  CHECK_FALSE(storage.Stat("out/.pack").ok());
  CHECK(WriteFive(storage, Options()).code() == Code::kAlreadyExists);
  REQUIRE(storage.Rename(path, "moved").ok());
  REQUIRE(WriteFive(storage, Options()).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == Whole());
}

TEST_CASE_METHOD(World, "Notes that say nothing of files remove none",
                 "[pack][writer][killed]") {
  KillBetweenNames();
  const std::string note = "out/.pack/train-00000-of-00002.tfrecord.notes";
  REQUIRE(storage.Get(note).ok());
  const std::string text =
      GENERATE(as<std::string>(), "", "{}", "[]", "{\"files\":7}",
               "{\"files\":{\"train-00000-of-00002.tfrecord\":[]}}",
               "{\"files\":{\"train-00000-of-00002.tfrecord\":null}}",
               "{\"files\":[\"train-00000-of-00002.tfrecord\"]}");
  storage.Put(note, text);
  const std::string shard = *storage.Get(kFirst);
  const Status refused = WriteFive(storage, Options());
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK(refused.where().path == kFirst);
  CHECK(*storage.Get(kFirst) == shard);
}

TEST_CASE_METHOD(World, "Notes with other names than a shard's remove nothing",
                 "[pack][writer][killed]") {
  KillBetweenNames();
  storage.Put("mine.tfrecord", "mine");
  const auto info = storage.Stat("mine.tfrecord");
  REQUIRE(info.ok());
  const std::string identity = "[" + std::to_string(info->size) + "," +
                               std::to_string(info->mtime_ns) + "]";
  for (const char* name : {"x.tfrecord", "..", "train-0-of-1.tfrecord"}) {
    storage.Put("out/.pack/" + std::string(name) + ".notes",
                "{\"files\":{\"../mine.tfrecord\":" + identity + "}}");
  }
  storage.Put("out/.pack/train-00000-of-00001.tfrecord.notes",
              "{\"files\":{\"../mine.tfrecord\":" + identity + "}}");
  REQUIRE(WriteFive(storage, Options()).ToString() == "OK");
  CHECK(*storage.Get("mine.tfrecord") == "mine");
}

}  // namespace
}  // namespace shardine::writer_killed_test
