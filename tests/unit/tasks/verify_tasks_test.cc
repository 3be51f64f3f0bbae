// Tasks of a verification have the findings of verify.
#include "shardine/verify_tasks.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/permutation.h"
#include "base/philox.h"
#include "io/output_names.h"
#include "support/fault_sweep.h"
#include "support/sanitized.h"
#include "support/verify_tasks_fixture.h"

namespace shardine::verify_tasks_test {
namespace {

const char* const kFormats[] = {"recordio", "tfrecord", "lmdb", "hdf5",
                                "webdataset"};

// Planned, run and finalized, it is the report of verify, which is returned.
Report CheckEqual(MemoryStorage& storage, const VerifyOptions& options) {
  const Report expected = Verified(storage, options);
  const Snapshot dataset = TakeSnapshot(storage, "out");
  static_cast<void>(storage.Remove(kPlan).ok());  // of other options
  REQUIRE(PlanVerify(storage, options).ToString() == "OK");
  REQUIRE(RunSome(storage, AllTasks(storage)).ToString() == "OK");
  const Report report = Finalize(storage);
  CHECK(report.findings == expected.findings);
  CHECK(report == expected);
  CHECK(TakeSnapshot(storage, "out") == dataset);
  return report;
}

// A byte of the file differs, half of it is there, or nothing.
enum class Way { kFlip, kCut, kRemove };

void Damage(MemoryStorage& storage, const std::string& path, Way way) {
  std::string bytes = *storage.Get(path);
  if (way == Way::kFlip) bytes[bytes.size() / 2] ^= 4;
  if (way == Way::kCut) bytes.resize(bytes.size() / 2);
  storage.Put(path, bytes);
  if (way == Way::kRemove) REQUIRE(storage.Remove(path).ok());
}

TEST_CASE("Tasks report of sound datasets what verify does",
          "[tasks][verify][formats]") {
  for (const char* format : kFormats) {
    MemoryStorage storage;
    PackFamily(storage, format);
    for (const VerifyLevel level :
         {VerifyLevel::kQuick, VerifyLevel::kFull, VerifyLevel::kDeep}) {
      INFO(format << " at level " << static_cast<int>(level));
      const Report report =
          CheckEqual(storage, {.target = "out", .level = level});
      CHECK(report.findings.empty());
      CHECK(report.shards == 9);
      CHECK(report.samples == (level == VerifyLevel::kQuick ? 0 : 3 * kImages));
      CHECK(report.notes.empty());
      CHECK(Finalize(storage, 100) == report);
    }
  }
}

TEST_CASE("Tasks report of damage in any file what verify does",
          "[tasks][verify][formats][corruption]") {
  for (const char* format : kFormats) {
    MemoryStorage storage;
    PackFamily(storage, format);
    for (const auto& [name, bytes] : TakeSnapshot(storage, "out")) {
      if (name == kManifestName || bytes.empty()) continue;
      for (const Way way : {Way::kFlip, Way::kCut, Way::kRemove}) {
        if (kSanitized && way != Way::kFlip) continue;
        INFO(format << ": " << name << ", way " << static_cast<int>(way));
        Damage(storage, "out/" + name, way);
        CHECK_FALSE(CheckEqual(storage, {.target = "out"}).findings.empty());
        storage.Put("out/" + name, bytes);
      }
    }
  }
}

TEST_CASE("Tasks report of damage at other levels what verify does",
          "[tasks][verify][corruption]") {
  MemoryStorage storage;
  PackFamily(storage, "recordio");
  for (const auto& [name, bytes] : TakeSnapshot(storage, "out")) {
    if (name == kManifestName || bytes.empty()) continue;
    INFO(name);
    Damage(storage, "out/" + name, Way::kFlip);
    CheckEqual(storage, {.target = "out", .level = VerifyLevel::kQuick});
    CheckEqual(storage, {.target = "out", .level = VerifyLevel::kDeep});
    storage.Put("out/" + name, bytes);
  }
  // Several at a time, and files that belong to no shard.
  storage.Put("out/stray", "x");
  Damage(storage, "out/rejected.jsonl", Way::kFlip);
  Damage(storage, "out/train-00002-of-00003.rec", Way::kFlip);
  Damage(storage, "out/train-00000-of-00003.rec", Way::kCut);
  Damage(storage, "out/sz/16/shardine.json", Way::kRemove);
  Damage(storage, "out/sz/24/train-00001-of-00003.rec", Way::kRemove);
  const Report report =
      CheckEqual(storage, {.target = "out", .level = VerifyLevel::kDeep});
  CHECK(report.findings.size() > 4);
  CHECK_FALSE(report.notes.empty());
}

TEST_CASE("Tasks compare with a tree or a list as verify does",
          "[tasks][verify]") {
  MemoryStorage storage;
  PackFamily(storage, "tfrecord");
  storage.Put("tree/class2/new.jpg", "an image that the dataset lacks");
  storage.Put("tree/class0/1.jpg", "another");
  const Report report =
      CheckEqual(storage, {.target = "out", .against = "tree"});
  CHECK(report.findings.size() == 1);
  CHECK(report.notes.size() == 1);
  storage.Put("tree.lst", "0\t0\tclass0/0.jpg\n1\t0\tclass0/1.jpg\n");
  const VerifyOptions by_list{
      .target = "out", .against = "tree", .list = "tree.lst"};
  CHECK(CheckEqual(storage, by_list).findings.size() == 11);
  // Which list it is was planned.
  storage.Put("tree.lst", *storage.Get("tree.lst"));
  const Status status = RunSome(storage, {0});
  CHECK(status.code() == Code::kChanged);
  CHECK(status.where().path == "tree.lst");
}

TEST_CASE("Tasks know which bad images were kept", "[tasks][verify][rejects]") {
  MemoryStorage storage;
  PutBadImages(storage, "tree");
  PackOptions pack = PackOf("tree", "out");
  pack.check = ImageCheckLevel::kDecode;
  pack.on_bad = OnBad::kKeep;
  REQUIRE(Pack(pack, {.storage = &storage}).status().ToString() == "OK");
  const VerifyOptions deep{.target = "out", .level = VerifyLevel::kDeep};
  const Report report = CheckEqual(storage, deep);
  CHECK(report.findings.empty());
  CHECK(report.notes.size() == 2);
  // A list that cannot be read excuses none.
  Damage(storage, "out/rejected.jsonl", Way::kCut);
  CHECK(CheckEqual(storage, deep).findings.size() > 2);
}

TEST_CASE("Empty datasets and shards are verified by tasks, too",
          "[tasks][verify]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  PackOptions pack = PackOf("tree", "out");
  pack.shards = 20;  // more than there are images
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  CheckEqual(storage, {.target = "out"});
}

TEST_CASE("Any tasks of a verification, in any order, at once and again",
          "[tasks][verify][property]") {
  MemoryStorage base;
  PackFamily(base, "webdataset");
  Damage(base, "out/train-00001-of-00003.tar", Way::kFlip);
  Damage(base, "out/sz/24/train-00002-of-00003.tar", Way::kCut);
  const Report expected = Verified(base, {.target = "out"});
  REQUIRE(PlanVerify(base, {.target = "out"}).ok());
  constexpr std::uint64_t kTasks = 9;
  for (std::uint32_t seed = 0; seed < 100 / kSweepStep; ++seed) {
    INFO("seed " << seed);
    for (const auto& [name, bytes] : TakeSnapshot(base, kNotes)) {
      REQUIRE(base.Remove(JoinPath(kNotes, name)).ok());
    }
    const auto words = Philox4x32({seed, 0, 0, 0}, {1, 2});
    const std::uint32_t workers = 1 + words[0] % 7;
    std::vector<Status> ends(workers);
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t w = 0; w < workers; ++w) {
        const Permutation order(kTasks, seed, "tasks", w);
        const std::uint64_t count = w == 0 ? kTasks : 1 + words[1] % kTasks;
        std::vector<std::uint64_t> chosen;
        for (std::uint64_t i = 0; i < count; ++i) chosen.push_back(order(i));
        threads.emplace_back(
            [&, w, chosen] { ends[w] = RunSome(base, chosen); });
      }
    }
    for (const Status& end : ends) CHECK(end.ToString() == "OK");
    REQUIRE(Finalize(base) == expected);
  }
}

TEST_CASE("A finished task of a verification reads no shard again",
          "[tasks][verify][again]") {
  MemoryStorage storage;
  PackFamily(storage, "recordio");
  REQUIRE(PlanVerify(storage, {.target = "out"}).ok());
  REQUIRE(RunSome(storage, AllTasks(storage)).ok());
  const Snapshot notes = TakeSnapshot(storage, kNotes);
  FaultStorage watched(storage,
                       {.operation = Operation::kLock, .call = UINT64_MAX});
  const auto run = RunTasks({.plan = kPlan, .tasks = AllTasks(storage)},
                            {.storage = &watched});
  REQUIRE(run.ok());
  CHECK(run->tasks_done_before == 9);
  CHECK(run->shards == 0);
  for (const Operation operation :
       {Operation::kCreate, Operation::kWrite, Operation::kRename,
        Operation::kRemove, Operation::kMakeDirectory, Operation::kLock}) {
    CHECK(watched.calls(operation) == 0);
  }
  // The plan; of each member its manifest, twice; and the notes.
  CHECK(watched.calls(Operation::kOpen) == 1 + 2 * 3 + 9);
  CHECK(TakeSnapshot(storage, kNotes) == notes);
}

TEST_CASE("A verification that is killed at any call is done by the next one",
          "[tasks][verify][killed]") {
  const auto prepare = [](MemoryStorage& storage) {
    PackFamily(storage, "recordio");
    Damage(storage, "out/train-00001-of-00003.rec", Way::kFlip);
    REQUIRE(PlanVerify(storage, {.target = "out"}).ok());
  };
  MemoryStorage whole;
  prepare(whole);
  const Report expected = Verified(whole, {.target = "out"});
  const Snapshot dataset = TakeSnapshot(whole, "out");
  const Work work{.prepare = prepare, .run = [](Storage& storage) {
                    return RunTasks(
                               {.plan = kPlan, .tasks = {1, 4}, .threads = 1},
                               {.storage = &storage})
                        .status();
                  }};
  KillAtEachCall(work, 50, [&](const Aftermath& after) {
    REQUIRE(RunSome(after.storage, AllTasks(after.storage)).ok());
    REQUIRE(Finalize(after.storage) == expected);
    REQUIRE(TakeSnapshot(after.storage, "out") == dataset);
    // Nothing but notes is left.
    REQUIRE(TakeSnapshot(after.storage, kNotes).size() == 9);
  });
}

TEST_CASE("A verification that a full disk ends is done by the next try",
          "[tasks][verify][faults]") {
  const Work work{.prepare =
                      [](MemoryStorage& storage) {
                        PackFamily(storage, "recordio");
                        REQUIRE(PlanVerify(storage, {.target = "out"}).ok());
                      },
                  .run =
                      [](Storage& storage) {
                        return RunTasks(
                                   {.plan = kPlan, .tasks = {2}, .threads = 1},
                                   {.storage = &storage})
                            .status();
                      }};
  for (const Operation operation : {Operation::kCreate, Operation::kWrite,
                                    Operation::kSync, Operation::kRename}) {
    StrikeEachCall(
        work, {.operation = operation, .error = 28}, kSweepStep, 1,
        [&](const Aftermath& after) {
          // A sign of life that cannot be written is left out.
          if (!after.status.ok()) REQUIRE(Missing(after.storage) == "0-8");
          REQUIRE(RunSome(after.storage, AllTasks(after.storage)).ok());
          REQUIRE(Finalize(after.storage).findings.empty());
        });
  }
}

TEST_CASE("A report that is interrupted anywhere is given by the next one",
          "[tasks][verify][killed]") {
  const Work work{
      .prepare =
          [](MemoryStorage& storage) {
            PackFamily(storage, "recordio");
            Damage(storage, "out/train-00001-of-00003.rec", Way::kFlip);
            REQUIRE(PlanVerify(storage, {.target = "out"}).ok());
            REQUIRE(RunSome(storage, AllTasks(storage)).ok());
            storage.Put("plan.notes/.pack/task-1.failed", "{}");
          },
      .run =
          [](Storage& storage) {
            return FinalizeTasks({.plan = kPlan}, {.storage = &storage})
                .status();
          }};
  MemoryStorage whole;
  work.prepare(whole);
  const Report expected = Verified(whole, {.target = "out"});
  KillAtEachCall(work, 20, [&](const Aftermath& after) {
    REQUIRE(Finalize(after.storage) == expected);
  });
}

TEST_CASE("A file that cannot be read is a finding, and is read again",
          "[tasks][verify][faults]") {
  MemoryStorage storage;
  PackFamily(storage, "recordio");
  REQUIRE(PlanVerify(storage, {.target = "out"}).ok());
  REQUIRE(RunSome(storage, {1, 2, 3, 4, 5, 6, 7, 8}).ok());
  bool found = false;
  for (std::uint64_t call = 0; !found; ++call) {
    REQUIRE(call < 100);
    FaultStorage broken(storage, {.operation = Operation::kRead, .call = call});
    const Status status = RunSome(broken, {0});
    if (status.code() != Code::kIo || Missing(storage) != "") continue;
    found = true;
    CHECK(status.where().path.starts_with("out/"));
    // A user may finalize the report as it is.
    const Report report = Finalize(storage);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].starts_with("io 5 "));
  }
  REQUIRE(RunSome(storage, {0}).ToString() == "OK");
  CHECK(Finalize(storage) == Verified(storage, {.target = "out"}));
}

}  // namespace
}  // namespace shardine::verify_tasks_test
