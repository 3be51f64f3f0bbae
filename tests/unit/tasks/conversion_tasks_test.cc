// A dataset made by tasks of a conversion or a resize is, byte for byte, the
// one that convert or resize makes.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/permutation.h"
#include "base/philox.h"
#include "shardine/convert.h"
#include "shardine/resize.h"
#include "support/fault_storage.h"
#include "support/fault_sweep.h"
#include "support/plan_parts.h"
#include "support/png_maker.h"
#include "support/task_fixture.h"

namespace shardine::conversion_tasks_test {
namespace {

ConvertOptions ConversionTo(const std::string& format) {
  ConvertOptions options;
  options.input = "in";
  options.output = "out";
  options.format = format;
  options.threads = 2;
  return options;
}

ResizeShardsOptions ResizeOf(const std::string& source) {
  ResizeShardsOptions options;
  options.source.folders = {{"train", source}};
  options.output = "out";
  options.short_sides = {16, 24};
  options.threads = 2;
  return options;
}

Status Plan(Storage& storage, const ConvertOptions& options) {
  return PlanConvertTasks({.convert = options, .plan = kPlan, .task_bytes = 1},
                          {.storage = &storage})
      .status();
}

Status Plan(Storage& storage, const ResizeShardsOptions& options) {
  return PlanResizeTasks({.resize = options, .plan = kPlan, .task_bytes = 1},
                         {.storage = &storage})
      .status();
}

// OUT as one process makes it.
Snapshot Made(Storage& storage, ConvertOptions options) {
  options.output = "made";
  REQUIRE(Convert(options, {.storage = &storage}).status().ToString() == "OK");
  return TakeSnapshot(storage, "made");
}

Snapshot Made(Storage& storage, ResizeShardsOptions options) {
  options.output = "made";
  REQUIRE(ResizeShards(options, {.storage = &storage}).status().ToString() ==
          "OK");
  return TakeSnapshot(storage, "made");
}

std::vector<std::uint64_t> AllTasks(Storage& storage) {
  const auto count = CountTasks(kPlan, {.storage = &storage});
  REQUIRE(count.ok());
  std::vector<std::uint64_t> tasks(*count);
  for (std::uint64_t i = 0; i < *count; ++i) tasks[i] = i;
  return tasks;
}

// The dataset "in", of images.
void PutDataset(MemoryStorage& storage, const char* format = "recordio") {
  PutImages(storage, "tree");
  PackOptions pack = PackOf("tree", "in");
  pack.format = format;
  pack.check = ImageCheckLevel::kHeader;
  REQUIRE(Pack(pack, {.storage = &storage}).status().ToString() == "OK");
}

// Plans, does the tasks from the last one on, and finalizes.
template <typename Options>
void CheckTasksMake(MemoryStorage& storage, const Options& options) {
  const Snapshot made = Made(storage, options);
  REQUIRE(Plan(storage, options).ToString() == "OK");
  std::vector<std::uint64_t> tasks = AllTasks(storage);
  while (!tasks.empty()) {
    REQUIRE(RunSome(storage, {tasks.back()}).ToString() == "OK");
    tasks.pop_back();
  }
  REQUIRE(FinalizeAll(storage, 100).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == made);
}

TEST_CASE("Tasks of a conversion make the dataset that convert makes",
          "[tasks][convert]") {
  for (const char* from : {"recordio", "tfrecord", "lmdb", "hdf5"}) {
    for (const char* to : {"", "webdataset", "lmdb", "hdf5", "tfrecord"}) {
      INFO(from << " to " << to);
      MemoryStorage storage;
      PutDataset(storage, from);
      CheckTasksMake(storage, ConversionTo(to));
    }
  }
}

TEST_CASE("Tasks of a conversion follow each of its options",
          "[tasks][convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  ConvertOptions options = ConversionTo("tfrecord");
  SECTION("Another number of shards") { options.shards = 5; }
  SECTION("A new order") {
    options.shards = 4;
    options.reshuffle = 7;
  }
  SECTION("No suffix") { options.no_suffix = true; }
  SECTION("Some samples") { options.where = "label != 1 and key !~ \"*0*\""; }
  SECTION("The first of them") { options.limit = 5; }
  SECTION("Other labels") {
    storage.Put("map", "0 5\n1 -\n* 6\n");
    options.label_map = "map";
  }
  SECTION("No entry points") { options.entry_points = EntryPoints::kNone; }
  SECTION("No field beside the image") {
    options.fields = std::vector<std::string>();
  }
  CheckTasksMake(storage, options);
}

TEST_CASE("Tasks of a conversion decode images to arrays as convert does",
          "[tasks][convert]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  // Arrays are of one size.
  for (const char* copy : {"1", "2", "3", "4", "5"}) {
    storage.Put(std::string("same/a/") + copy + ".jpg",
                *storage.Get("tree/class0/0.jpg"));
  }
  PackOptions pack = PackOf("same", "in");
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  ConvertOptions options = ConversionTo("hdf5/caffe");
  SECTION("As the format asks") {}
  SECTION("In an order of their own") { options.pixels = PixelOrder::kBgr; }
  CheckTasksMake(storage, options);
}

TEST_CASE("Tasks of a conversion encode images as convert does",
          "[tasks][convert]") {
  MemoryStorage storage;
  for (const char* name : {"a/1.png", "a/2.png", "b/3.png"}) {
    storage.Put(std::string("deep/") + name,
                MakePng({.bits = 16, .color_type = 0}));
  }
  PackOptions pack = PackOf("deep", "in");
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  ConvertOptions options = ConversionTo("webdataset");
  SECTION("Encoded ones") {
    options.recode = {.recode = Encoding::kJpeg, .to_8_bits = true};
    options.quality = 60;
  }
  SECTION("Arrays") {
    ConvertOptions arrays = ConversionTo("webdataset");
    arrays.output = "arrays";
    arrays.pixels = PixelOrder::kBgr;
    REQUIRE(Convert(arrays, {.storage = &storage}).ok());
    options.input = "arrays";
    options.encode = Encoding::kJpeg;
    options.recode.to_8_bits = true;
    options.image_layout = ArrayLayout::kBgrPlanes;
  }
  CheckTasksMake(storage, options);
}

TEST_CASE("Images that were kept though bad are so by tasks, too",
          "[tasks][convert][rejects]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  storage.Put("tree/class0/bad.jpg", "no image");
  PackOptions pack = PackOf("tree", "in");
  pack.check = ImageCheckLevel::kHeader;
  pack.on_bad = OnBad::kKeep;
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  CheckTasksMake(storage, ConversionTo("webdataset"));
  CHECK(storage.Get("out/rejected.jsonl").ok());
}

TEST_CASE("Tasks of a resize make the datasets that resize makes",
          "[tasks][resize]") {
  MemoryStorage storage;
  PutDataset(storage, "tfrecord");
  ResizeShardsOptions options = ResizeOf("in");
  SECTION("Of a dataset") {}
  SECTION("Of a dataset, in another format and shards") {
    options.format = "webdataset";
    options.shards = 2;
  }
  SECTION("Of a tree") { options = ResizeOf("tree"); }
  CheckTasksMake(storage, options);
  CHECK_FALSE(storage.Stat("out/shardine.json").ok());
}

TEST_CASE("Tasks of a resize leave out bad images as resize does",
          "[tasks][resize][rejects]") {
  for (const OnBad on_bad : {OnBad::kSkip, OnBad::kQuarantine}) {
    MemoryStorage storage;
    PutImages(storage, "tree");
    storage.Put("tree/class0/bad.jpg", "no image");
    PackOptions pack = PackOf("tree", "in");
    pack.check = ImageCheckLevel::kNone;
    REQUIRE(Pack(pack, {.storage = &storage}).ok());
    ResizeShardsOptions options = ResizeOf("in");
    REQUIRE(Plan(storage, options).ToString() == "OK");
    CHECK(RunSome(storage, AllTasks(storage)).code() == Code::kCorrupt);
    options.on_bad = on_bad;
    CheckTasksMake(storage, options);
  }
}

TEST_CASE("Any tasks of a conversion, several times and at once: one dataset",
          "[tasks][convert][property]") {
  MemoryStorage base;
  PutDataset(base);
  ConvertOptions options = ConversionTo("tfrecord");
  options.shards = 5;
  options.reshuffle = 3;
  const Snapshot made = Made(base, options);
  for (std::uint32_t seed = 0; seed < 100 / kSweepStep; ++seed) {
    INFO("seed " << seed);
    MemoryStorage storage;
    PutDataset(storage);
    REQUIRE(Plan(storage, options).ToString() == "OK");
    const auto words = Philox4x32({seed, 0, 0, 0}, {1, 2});
    const std::uint32_t workers = 1 + words[0] % 7;
    std::vector<std::vector<std::uint64_t>> chosen(workers);
    for (std::uint32_t w = 0; w < workers; ++w) {
      const Permutation order(5, seed, "tasks", w);
      const std::uint64_t count = w == 0 ? 5 : 1 + words[1] % 5;
      for (std::uint64_t i = 0; i < count; ++i) chosen[w].push_back(order(i));
    }
    std::vector<Status> ends(workers);
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t w = 0; w < workers; ++w) {
        threads.emplace_back([&, w] { ends[w] = RunSome(storage, chosen[w]); });
      }
    }
    for (const Status& end : ends) CHECK(end.ToString() == "OK");
    REQUIRE(FinalizeAll(storage).ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "out") == made);
  }
}

TEST_CASE("A task of a conversion that is killed anywhere is done by the next",
          "[tasks][convert][killed]") {
  const ConvertOptions options = ConversionTo("webdataset");
  const Work work{
      .prepare =
          [&](MemoryStorage& storage) {
            PutDataset(storage);
            REQUIRE(Plan(storage, options).ok());
          },
      .run =
          [](Storage& storage) {
            return RunTasks({.plan = kPlan, .tasks = {0, 2}, .threads = 1},
                            {.storage = &storage})
                .status();
          }};
  MemoryStorage whole;
  work.prepare(whole);
  const Snapshot made = Made(whole, options);
  KillAtEachCall(work, 50, [&](const Aftermath& after) {
    CheckNothingHalfWritten(after.storage, made);
    REQUIRE(RunSome(after.storage, {0, 1, 2}).ToString() == "OK");
    REQUIRE(FinalizeAll(after.storage).ToString() == "OK");
    REQUIRE(TakeSnapshot(after.storage, "out") == made);
  });
}

TEST_CASE("A dataset that changed after it was planned is refused, by name",
          "[tasks][convert][changed]") {
  MemoryStorage storage;
  PutDataset(storage);
  REQUIRE(Plan(storage, ConversionTo("tfrecord")).ToString() == "OK");
  const std::string shard = "in/train-00001-of-00003.rec";
  const std::string sidecar = "in/.shardine/train-00001-of-00003.rec.sdx";
  std::string changed = shard;
  bool others_too = false;
  SECTION("A shard's time") { storage.Put(shard, *storage.Get(shard)); }
  SECTION("A shard's size") { storage.Put(shard, *storage.Get(shard) + "x"); }
  SECTION("A shard that is gone") { REQUIRE(storage.Remove(shard).ok()); }
  SECTION("A sidecar") {
    changed = sidecar;
    storage.Put(sidecar, *storage.Get(sidecar));
  }
  SECTION("The manifest") {
    changed = "in";
    others_too = true;
    PackOptions pack = PackOf("tree", "other");
    pack.format = "recordio";
    pack.seed = 5;
    REQUIRE(Pack(pack, {.storage = &storage}).ok());
    storage.Put("in/shardine.json", *storage.Get("other/shardine.json"));
  }
  SECTION("All of it is gone") {
    changed = "in";
    others_too = true;
    REQUIRE(storage.Remove("in/shardine.json").ok());
  }
  const Status status = RunSome(storage, {1});
  CHECK(status.code() == Code::kChanged);
  CHECK(status.where().path == changed);
  CHECK(status.message().find("plan again") != std::string::npos);
  const auto seen = StatusOfTasks(kPlan, {.storage = &storage});
  REQUIRE(seen.ok());
  REQUIRE(seen->failed.size() == 1);
  CHECK(seen->failed[0].code == "changed");
  // The other tasks read other files.
  CHECK(RunSome(storage, {0, 2}).ok() == !others_too);
}

TEST_CASE("A second plan of a changed dataset leads out",
          "[tasks][convert][changed]") {
  MemoryStorage storage;
  PutDataset(storage);
  const ConvertOptions options = ConversionTo("tfrecord");
  REQUIRE(Plan(storage, options).ToString() == "OK");
  REQUIRE(RunSome(storage, {0, 1}).ok());
  const std::string shard = "in/train-00002-of-00003.rec";
  storage.Put(shard, *storage.Get(shard));
  REQUIRE(RunSome(storage, {2}).code() == Code::kChanged);
  REQUIRE(Plan(storage, options).ToString() == "OK");
  REQUIRE(RunSome(storage, {0, 1, 2}).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == Made(storage, options));
}

TEST_CASE("Notes of a plan of another kind count for nothing",
          "[tasks][convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  const ConvertOptions options = ConversionTo("recordio");
  REQUIRE(Plan(storage, options).ToString() == "OK");
  REQUIRE(RunSome(storage, {0, 1, 2}).ToString() == "OK");
  const std::string note = "out/.pack/train-00001-of-00003.rec.done";
  const std::string of_conversion = *storage.Get(note);
  MemoryStorage other;
  PutImages(other, "tree");
  PackOptions pack = PackOf("tree", "out");
  pack.check = ImageCheckLevel::kHeader;
  REQUIRE(shardine::Plan(other, TasksOf(pack)).ok());
  REQUIRE(RunSome(other, {0, 1, 2}).ok());
  // The shards have the same names, samples and bytes.
  storage.Put(note, *other.Get(note));
  const auto done = FinalizeTasks({.plan = kPlan}, {.storage = &storage});
  REQUIRE(done.ok());
  CHECK(TaskListText(done->missing) == "1");
  storage.Put(note, of_conversion);
  CHECK(FinalizeAll(storage).ToString() == "OK");
}

TEST_CASE("Finalize refuses shards that are not the samples of the input",
          "[tasks][convert][finalize]") {
  MemoryStorage storage;
  PutDataset(storage);
  REQUIRE(Plan(storage, ConversionTo("recordio")).ToString() == "OK");
  // The proofs of the plan are known before a task reads anything.
  PlanParts parts = PlanParts::Of(storage, kPlan);
  REQUIRE(parts.head.input.bindings);
  REQUIRE(RunSome(storage, {0, 1, 2}).ok());
  parts.head.input.bindings->low ^= 1;
  storage.Put(kPlan, parts.Bytes());
  const Status status = FinalizeAll(storage);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.message().find("samples of the input") != std::string::npos);
}

TEST_CASE("Shards that are in no dataset are not planned", "[tasks][convert]") {
  MemoryStorage storage;
  PutDataset(storage);
  storage.Put("alone.rec", *storage.Get("in/train-00000-of-00003.rec"));
  ConvertOptions options = ConversionTo("tfrecord");
  options.input = "alone.rec";
  const Status status = Plan(storage, options);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.where().path == "alone.rec");
  CHECK_FALSE(storage.Stat(kPlan).ok());
}

TEST_CASE("Heads of conversions that cannot be are refused",
          "[tasks][convert][plan][hostile]") {
  MemoryStorage storage;
  PutDataset(storage);
  REQUIRE(Plan(storage, ConversionTo("recordio")).ToString() == "OK");
  const PlanParts parts = PlanParts::Of(storage, kPlan);
  const auto outcome = [&](const auto& lie) {
    PlanParts forged = parts;
    lie(forged);
    storage.Put(kPlan, forged.Bytes());
    return RunSome(storage, {0}).code();
  };
  using Parts = PlanParts;
  CHECK(outcome([](Parts& p) { p.head.roots.push_back("x"); }) ==
        Code::kCorrupt);
  CHECK(outcome([](Parts& p) { p.head.kind = TaskKind::kResize; }) ==
        Code::kCorrupt);
  CHECK(outcome([](Parts& p) { p.head.pack.variants.original = false; }) ==
        Code::kCorrupt);
  CHECK(outcome([](Parts& p) { p.head.input.fingerprint += "x"; }) ==
        Code::kCorrupt);
  CHECK(outcome([](Parts& p) { p.head.input.shards.pop_back(); }) ==
        Code::kChanged);
  CHECK(outcome([](Parts& p) { p.head.input.shards.emplace_back(); }) ==
        Code::kChanged);
  // The number of a missing sample: the highest byte of the first.
  CHECK(outcome([](Parts& p) {
          p.rows[0][7 * p.shards[0].planned.count] = 1;
        }) == Code::kChanged);
  CHECK(outcome([](Parts& p) { p.rows[0].resize(20); }) == Code::kCorrupt);
  CHECK(outcome([](Parts&) {}) == Code::kOk);
  PlanParts with_files = parts;
  with_files.lists.bad.push_back({"x", "missing", 0});
  storage.Put(kPlan, with_files.Bytes());
  CHECK(FinalizeAll(storage).code() == Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::conversion_tasks_test
