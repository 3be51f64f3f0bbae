// A dataset made by tasks is, byte for byte, the one that pack makes.
#include "shardine/tasks.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/permutation.h"
#include "base/philox.h"
#include "io/atomic_file.h"
#include "support/fault_storage.h"
#include "support/fault_sweep.h"
#include "support/task_fixture.h"

namespace shardine::tasks_test {
namespace {

std::vector<std::uint64_t> All(std::uint64_t count) {
  std::vector<std::uint64_t> tasks(count);
  for (std::uint64_t i = 0; i < count; ++i) tasks[i] = i;
  return tasks;
}

PackOptions SkippingOf(PackOptions pack, OnBad on_bad) {
  pack.on_bad = on_bad;
  return pack;
}

// A bad image in each class but one.
void PutBadImages(MemoryStorage& storage, const std::string& tree) {
  storage.Put(tree + "/class0/bad.jpg", "no image");
  storage.Put(tree + "/class1/empty.jpg", "");
}

TEST_CASE("Tasks in any order make the very dataset that pack makes",
          "[tasks]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  const PackOptions pack = PackOf("tree", "out");
  const Snapshot packed = Packed(storage, pack);
  const auto planned = PlanTasks(TasksOf(pack), {.storage = &storage});
  REQUIRE(planned.status().ToString() == "OK");
  CHECK(planned->tasks == 3);
  CHECK(planned->shards == 3);
  CHECK(planned->samples == 36);
  CHECK(planned->plan_bytes == storage.Get(kPlan)->size());
  for (const std::uint64_t task : {2, 0, 1}) {
    const auto run =
        RunTasks({.plan = kPlan, .tasks = {task}}, {.storage = &storage});
    REQUIRE(run.status().ToString() == "OK");
    CHECK(run->shards == 1);
    CHECK(run->samples == 12);
    CHECK(run->tasks_done_before == 0);
  }
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == packed);
}

TEST_CASE("Tasks in every format make the dataset that pack makes",
          "[tasks][formats]") {
  for (const char* format : {"recordio", "tfrecord", "lmdb", "hdf5",
                             "webdataset", "lmdb/folder2lmdb:dir=yes"}) {
    INFO(format);
    MemoryStorage storage;
    PutImages(storage, "tree");
    PackOptions pack = VariantsOf("tree", "out");
    pack.format = format;
    const Snapshot packed = Packed(storage, pack);
    REQUIRE(Plan(storage, TasksOf(pack)).ToString() == "OK");
    REQUIRE(RunSome(storage, {1, 2}).ToString() == "OK");
    REQUIRE(RunSome(storage, {0}).ToString() == "OK");
    REQUIRE(FinalizeAll(storage, 100).ToString() == "OK");
    CHECK(TakeSnapshot(storage, "out") == packed);
  }
}

TEST_CASE("Tasks deal with bad images as pack does", "[tasks][rejects]") {
  for (const OnBad on_bad : {OnBad::kSkip, OnBad::kQuarantine, OnBad::kKeep}) {
    INFO(static_cast<int>(on_bad));
    MemoryStorage storage;
    PutImages(storage, "tree");
    PutBadImages(storage, "tree");
    storage.PutSymlink("tree/class2/dangling.jpg", "nowhere");
    const PackOptions pack = SkippingOf(VariantsOf("tree", "out"), on_bad);
    const Snapshot packed = Packed(storage, pack);
    REQUIRE(Plan(storage, TasksOf(pack)).ToString() == "OK");
    REQUIRE(RunSome(storage, All(3)).ToString() == "OK");
    const auto again =
        RunTasks({.plan = kPlan, .tasks = All(3)}, {.storage = &storage});
    REQUIRE(again.ok());
    CHECK(again->left_out == 2);
    REQUIRE(FinalizeAll(storage).ToString() == "OK");
    CHECK(TakeSnapshot(storage, "out") == packed);
  }
}

TEST_CASE("A bad image fails its task alone, and status says why",
          "[tasks][rejects]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  storage.Put("tree/class1/bad.jpg", "no image");
  const PackOptions pack = VariantsOf("tree", "out");
  REQUIRE(Plan(storage, TasksOf(pack)).ToString() == "OK");
  std::vector<std::uint64_t> failed;
  for (const std::uint64_t task : All(3)) {
    const Status status = RunSome(storage, {task});
    if (status.ok()) continue;
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().key == "class1/bad.jpg");
    failed.push_back(task);
  }
  REQUIRE(failed.size() == 1);
  auto status = StatusOfTasks(kPlan, {.storage = &storage});
  REQUIRE(status.ok());
  CHECK(status->done == 2);
  CHECK(status->missing == failed);
  REQUIRE(status->failed.size() == 1);
  CHECK(status->failed[0].task == failed[0]);
  CHECK(status->failed[0].code == "corrupt");
  CHECK(status->failed[0].reason.find("class1/bad.jpg") != std::string::npos);
  const auto done = FinalizeTasks({.plan = kPlan}, {.storage = &storage});
  REQUIRE(done.ok());
  CHECK(done->missing == failed);
  CHECK_FALSE(storage.Stat("out/shardine.json").ok());

  // The way out: another plan of the same command, which leaves bad ones out.
  const PackOptions skipping = SkippingOf(pack, OnBad::kSkip);
  REQUIRE(Plan(storage, TasksOf(skipping)).ToString() == "OK");
  status = StatusOfTasks(kPlan, {.storage = &storage});
  REQUIRE(status.ok());
  CHECK(status->done == 2);
  REQUIRE(RunSome(storage, All(3)).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == Packed(storage, skipping));
}

TEST_CASE("A task that is done writes nothing when it is run again",
          "[tasks][again]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  REQUIRE(RunSome(storage, All(3)).ok());
  const auto counted = [&] {
    FaultStorage watched(storage,
                         {.operation = Operation::kLock, .call = UINT64_MAX});
    const auto run =
        RunTasks({.plan = kPlan, .tasks = All(3)}, {.storage = &watched});
    REQUIRE(run.ok());
    CHECK(run->tasks_done_before == 3);
    for (const Operation operation :
         {Operation::kCreate, Operation::kWrite, Operation::kRename,
          Operation::kRemove, Operation::kMakeDirectory, Operation::kLock}) {
      CHECK(watched.calls(operation) == 0);
    }
    return run->dataset_is_done;
  };
  CHECK_FALSE(counted());
  REQUIRE(FinalizeAll(storage).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  CHECK(counted());
  CHECK(TakeSnapshot(storage, "out") == whole);
}

TEST_CASE("Finalizing twice, or before all is done, changes nothing",
          "[tasks][finalize]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  REQUIRE(RunSome(storage, {1}).ok());
  const Snapshot before = TakeSnapshot(storage, "out");
  const auto early = FinalizeTasks({.plan = kPlan}, {.storage = &storage});
  REQUIRE(early.ok());
  CHECK(TaskListText(early->missing) == "0,2");
  CHECK_FALSE(early->result);
  CHECK(TakeSnapshot(storage, "out") == before);
  REQUIRE(RunSome(storage, {0, 2}).ok());
  REQUIRE(FinalizeAll(storage).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  const auto again = FinalizeTasks({.plan = kPlan}, {.storage = &storage});
  REQUIRE(again.ok());
  REQUIRE(again->result);
  CHECK(again->result->nothing_to_do);
  CHECK(TakeSnapshot(storage, "out") == whole);
  // So does the pack itself, and a plan of it.
  const auto packed = Pack(PackOf("tree", "out"), {.storage = &storage});
  REQUIRE(packed.ok());
  CHECK(packed->nothing_to_do);
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  CHECK(TakeSnapshot(storage, "out") == whole);
}

TEST_CASE("Any tasks, several times and at once, then finalize: one dataset",
          "[tasks][property]") {
  MemoryStorage base;
  PutImages(base, "tree");
  PutBadImages(base, "tree");
  PackOptions pack = SkippingOf(VariantsOf("tree", "out"), OnBad::kQuarantine);
  pack.shards = 5;
  const Snapshot packed = Packed(base, pack);
  constexpr std::uint64_t kTasks = 5;
  for (std::uint32_t seed = 0; seed < 100 / kSweepStep; ++seed) {
    INFO("seed " << seed);
    MemoryStorage storage;
    PutImages(storage, "tree");
    PutBadImages(storage, "tree");
    REQUIRE(Plan(storage, TasksOf(pack)).ToString() == "OK");
    // One to seven workers, each with tasks of its own choice.
    const auto words = Philox4x32({seed, 0, 0, 0}, {1, 2});
    const std::uint32_t workers = 1 + words[0] % 7;
    std::vector<std::vector<std::uint64_t>> chosen(workers);
    for (std::uint32_t w = 0; w < workers; ++w) {
      const Permutation order(kTasks, seed, "tasks", w);
      const std::uint64_t count = w == 0 ? kTasks : 1 + words[1] % kTasks;
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
    REQUIRE(TakeSnapshot(storage, "out") == packed);
  }
}

TEST_CASE("A task that is killed at any call is done by the next attempt",
          "[tasks][killed]") {
  const PackOptions pack = [] {
    PackOptions options = VariantsOf("tree", "out");
    options.on_bad = OnBad::kSkip;
    return options;
  }();
  const Work work{
      .prepare =
          [&](MemoryStorage& storage) {
            PutImages(storage, "tree");
            PutBadImages(storage, "tree");
            REQUIRE(Plan(storage, TasksOf(pack)).ok());
            REQUIRE(RunSome(storage, {1}).ok());
          },
      .run =
          [](Storage& storage) {
            return RunTasks({.plan = kPlan, .tasks = {0, 2}, .threads = 1},
                            {.storage = &storage})
                .status();
          }};
  MemoryStorage whole;
  work.prepare(whole);
  const Snapshot packed = Packed(whole, pack);
  KillAtEachCall(work, 100, [&](const Aftermath& after) {
    // No file under a final name has other contents than it has to have.
    CheckNothingHalfWritten(after.storage, packed);
    REQUIRE(RunSome(after.storage, All(3)).ToString() == "OK");
    REQUIRE(FinalizeAll(after.storage).ToString() == "OK");
    REQUIRE(TakeSnapshot(after.storage, "out") == packed);
  });
}

TEST_CASE("A finalize that is killed at any call is done by the next one",
          "[tasks][killed]") {
  const PackOptions pack = SkippingOf(VariantsOf("tree", "out"), OnBad::kSkip);
  const Work work{.prepare =
                      [&](MemoryStorage& storage) {
                        PutImages(storage, "tree");
                        PutBadImages(storage, "tree");
                        REQUIRE(Plan(storage, TasksOf(pack)).ok());
                        REQUIRE(RunSome(storage, All(3)).ok());
                      },
                  .run = [](Storage& storage) { return FinalizeAll(storage); }};
  MemoryStorage whole;
  work.prepare(whole);
  const Snapshot packed = Packed(whole, pack);
  KillAtEachCall(work, 50, [&](const Aftermath& after) {
    CheckNothingHalfWritten(after.storage, packed);
    REQUIRE(FinalizeAll(after.storage).ToString() == "OK");
    REQUIRE(TakeSnapshot(after.storage, "out") == packed);
  });
}

TEST_CASE("A task that a full disk ends at any call is done by the next try",
          "[tasks][faults]") {
  const PackOptions pack = SkippingOf(VariantsOf("tree", "out"), OnBad::kSkip);
  const Work work{.prepare =
                      [&](MemoryStorage& storage) {
                        PutImages(storage, "tree");
                        PutBadImages(storage, "tree");
                        REQUIRE(Plan(storage, TasksOf(pack)).ok());
                      },
                  .run =
                      [](Storage& storage) {
                        return RunTasks(
                                   {.plan = kPlan, .tasks = {1}, .threads = 1},
                                   {.storage = &storage})
                            .status();
                      }};
  MemoryStorage whole;
  work.prepare(whole);
  const Snapshot packed = Packed(whole, pack);
  for (const Operation operation : {Operation::kCreate, Operation::kWrite,
                                    Operation::kSync, Operation::kRename}) {
    StrikeEachCall(work, {.operation = operation, .error = 28}, kSweepStep, 1,
                   [&](const Aftermath& after) {
                     CheckNothingHalfWritten(after.storage, packed);
                     REQUIRE(RunSome(after.storage, All(3)).ToString() == "OK");
                     REQUIRE(FinalizeAll(after.storage).ToString() == "OK");
                     REQUIRE(TakeSnapshot(after.storage, "out") == packed);
                   });
  }
}

TEST_CASE("Finalize reads no rows of sidecars, unless it is to prove shards",
          "[tasks][finalize]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  REQUIRE(RunSome(storage, All(3)).ok());
  const std::string path = "out/.shardine/train-00001-of-00003.rec.sdx";
  std::string rows = *storage.Get(path);
  // After the page of the header.
  rows[4096 + 100] = static_cast<char>(rows[4096 + 100] ^ 1);
  storage.Put(path, rows);
  CHECK(FinalizeAll(storage, 100).code() == Code::kCorrupt);
  CHECK_FALSE(storage.Stat("out/shardine.json").ok());
  CHECK(FinalizeAll(storage).ToString() == "OK");
  // A finished set is proved, too.
  CHECK(FinalizeAll(storage).ToString() == "OK");
  const Status proved = FinalizeAll(storage, 100);
  CHECK(proved.code() == Code::kCorrupt);
  CHECK(proved.where().path == path);
  rows[4096 + 100] = static_cast<char>(rows[4096 + 100] ^ 1);
  storage.Put(path, rows);
  CHECK(FinalizeAll(storage, 100).ToString() == "OK");
}

TEST_CASE("Status tells what runs, what failed and what is left",
          "[tasks][status]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  REQUIRE(RunSome(storage, {0}).ok());
  storage.Put("out/.pack/task-1.x.running",
              R"({"task":1,"host":"h\\x01","process":7,"seconds":2.5,)"
              R"("samples":5,"samples_total":12})");
  storage.Put("out/.pack/task-0.y.running",
              R"({"task":0,"host":"h","process":7,"seconds":2.5,)"
              R"("samples":5,"samples_total":12})");
  // Whatever else lies there is left out.
  storage.Put("out/.pack/task-2.z.running", "{\"task\":2");
  storage.Put("out/.pack/task-2.failed", R"({"task":2,"code":5})");
  storage.Put("out/.pack/task-9.failed",
              R"({"task":9,"code":"io","reason":"x"})");
  const Snapshot before = TakeSnapshot(storage, "out");
  const auto status = StatusOfTasks(kPlan, {.storage = &storage});
  REQUIRE(status.status().ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == before);
  CHECK(status->tasks == 3);
  CHECK(status->done == 1);
  CHECK_FALSE(status->finalized);
  CHECK(TaskListText(status->missing) == "1-2");
  CHECK(status->failed.empty());
  REQUIRE(status->running.size() == 1);
  CHECK(status->running[0].host == "h\x01");
  CHECK(status->running[0].samples == 5);
  CHECK(status->samples == 36);
  CHECK(status->samples_done == 12);
  REQUIRE(RunSome(storage, All(3)).ok());
  REQUIRE(FinalizeAll(storage).ok());
  const auto end = StatusOfTasks(kPlan, {.storage = &storage});
  REQUIRE(end.ok());
  CHECK(end->finalized);
  CHECK(end->done == 3);
  CHECK(end->seconds_left == 0);
}

TEST_CASE("Lists of tasks are written and read in one way", "[tasks][list]") {
  using List = std::vector<std::uint64_t>;
  for (const auto& [text, tasks] : std::vector<std::pair<std::string, List>>{
           {"0", {0}}, {"3,7-9", {3, 7, 8, 9}}, {"0-1,3", {0, 1, 3}}}) {
    CHECK(TaskListText(tasks) == text);
    CHECK(*ParseTaskList(text, 10) == tasks);
  }
  CHECK(TaskListText({}).empty());
  CHECK(*ParseTaskList("4,2,2", 5) == List{4, 2, 2});
  for (const char* text : {"", ",", "1,", "-1", "1-", "2-1", "x", "1 ", "10",
                           "0-10", "99999999999999999999", "0-9,0-9,0-9"}) {
    INFO(text);
    CHECK(ParseTaskList(text, 10).status().code() == Code::kInvalidArgument);
  }
}

TEST_CASE("A pack goes on where tasks ended, and tasks where a pack did",
          "[tasks][pack]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  const PackOptions pack = PackOf("tree", "out");
  const Snapshot packed = Packed(storage, pack);
  SECTION("A pack after tasks") {
    REQUIRE(Plan(storage, TasksOf(pack)).ok());
    REQUIRE(RunSome(storage, {1}).ok());
    const auto went_on = Pack(pack, {.storage = &storage});
    REQUIRE(went_on.ok());
    CHECK(went_on->shards_reused == 1);
  }
  SECTION("Tasks after a pack") {
    REQUIRE(StopAfterFirstShard(storage, pack).code() == Code::kCancelled);
    REQUIRE(Plan(storage, TasksOf(pack)).ok());
    const auto run =
        RunTasks({.plan = kPlan, .tasks = All(3)}, {.storage = &storage});
    REQUIRE(run.status().ToString() == "OK");
    CHECK(run->shards == 2);
    REQUIRE(FinalizeAll(storage).ToString() == "OK");
  }
  CHECK(TakeSnapshot(storage, "out") == packed);
}

TEST_CASE("A source that changed since the plan is refused by its task",
          "[tasks][changed]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  const PackOptions pack = PackOf("tree", "out");
  REQUIRE(Plan(storage, TasksOf(pack)).ok());
  REQUIRE(RunSome(storage, {0}).ok());
  // The same size, at another time.
  const std::string path = "tree/class2/3.jpg";
  storage.Put(path, std::string(storage.Get(path)->size(), 'x'));
  std::uint64_t refused = 0;
  for (const std::uint64_t task : {1, 2}) {
    const Status status = RunSome(storage, {task});
    if (status.ok()) continue;
    CHECK(status.code() == Code::kChanged);
    CHECK(status.ToString().find("class2/3.jpg") != std::string::npos);
    ++refused;
  }
  // It may be in the shard that was made before: then nobody reads it again
  // under this plan, whose dataset has it as it was.
  REQUIRE(refused == 1);
  // Planned again, files made from the old file go and all else stays.
  REQUIRE(Plan(storage, TasksOf(pack)).ToString() == "OK");
  REQUIRE(RunSome(storage, All(3)).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == Packed(storage, pack));
}

TEST_CASE("A plan of other samples changes nothing of what stands (A1)",
          "[tasks][promise]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  const PackOptions pack = PackOf("tree", "out");
  REQUIRE(Plan(storage, TasksOf(pack)).ok());
  REQUIRE(RunSome(storage, {0, 1}).ok());
  const Snapshot begun = TakeSnapshot(storage, "out");
  REQUIRE(storage.Remove("tree/class2/3.jpg").ok());
  REQUIRE(Plan(storage, TasksOf(pack)).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == begun);
  // The tasks of the new plan take the folder over.
  REQUIRE(RunSome(storage, All(3)).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == Packed(storage, pack));
}

TEST_CASE("Tasks refuse what is in the way and leave it alone",
          "[tasks][foreign]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  const PackOptions pack = PackOf("tree", "out");
  REQUIRE(Plan(storage, TasksOf(pack)).ok());
  for (const char* name :
       {"train-00001-of-00003.rec", "train-00001-of-00003.idx",
        ".shardine/train-00001-of-00003.rec.sdx"}) {
    INFO(name);
    const std::string path = JoinPath("out", name);
    storage.Put(path, "somebody's");
    const Status status = RunSome(storage, {1});
    CHECK(status.code() == Code::kAlreadyExists);
    CHECK(status.where().path == path);
    CHECK(*storage.Get(path) == "somebody's");
    REQUIRE(storage.Remove(path).ok());
  }
  REQUIRE(RunSome(storage, All(3)).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
}

TEST_CASE("Tasks refuse an output that is another plan's", "[tasks][foreign]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  PackOptions pack = PackOf("tree", "out");
  REQUIRE(Plan(storage, TasksOf(pack)).ok());
  REQUIRE(RunSome(storage, {0}).ok());
  const std::string old_plan = *storage.Get(kPlan);
  PackOptions other = pack;
  other.seed = 8;
  // The name belongs to another plan, and so does the folder.
  CHECK(Plan(storage, TasksOf(other)).code() == Code::kAlreadyExists);
  TaskPlanOptions elsewhere = TasksOf(other);
  elsewhere.plan = "plan2";
  CHECK(Plan(storage, elsewhere).code() == Code::kChanged);
  CHECK_FALSE(storage.Stat("plan2").ok());
  // A plan of a folder that others took meanwhile.
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    REQUIRE(storage.Remove(JoinPath("out", name)).ok());
  }
  REQUIRE(Plan(storage, elsewhere).ToString() == "OK");
  REQUIRE(RunTasks({.plan = "plan2", .tasks = {1}}, {.storage = &storage})
              .status()
              .ToString() == "OK");
  const Status refused = RunSome(storage, {0});
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.message().find("--seed 8") != std::string::npos);
  const auto done = FinalizeTasks({.plan = kPlan}, {.storage = &storage});
  REQUIRE(done.ok());
  CHECK(done->missing.size() == 3);
}

TEST_CASE("Tasks do without the journal that a task wrote", "[tasks]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  const PackOptions pack = PackOf("tree", "out");
  const Snapshot packed = Packed(storage, pack);
  REQUIRE(Plan(storage, TasksOf(pack)).ok());
  // The plan file is all that a plan writes.
  CHECK_FALSE(storage.Stat("out").ok());
  REQUIRE(RunSome(storage, {1}).ToString() == "OK");
  REQUIRE(storage.Remove("out/.pack/journal").ok());
  REQUIRE(RunSome(storage, All(3)).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == packed);
}

TEST_CASE("What killed attempts leave is no other attempt's, and goes at last",
          "[tasks][killed]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  const PackOptions pack = PackOf("tree", "out");
  const Snapshot packed = Packed(storage, pack);
  REQUIRE(Plan(storage, TasksOf(pack)).ok());
  const std::string left = TemporaryName("out/train-00001-of-00003.rec.dead");
  storage.Put(left, "half");
  storage.Put("out/.pack/task-1.dead.running", "{}");
  REQUIRE(RunSome(storage, All(3)).ToString() == "OK");
  CHECK(*storage.Get(left) == "half");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == packed);
}

TEST_CASE("Plans of splits and of lists give the dataset that pack gives",
          "[tasks][splits]") {
  MemoryStorage storage;
  PutTree(storage, "a", 3, 7, 3000);
  PutTree(storage, "b", 3, 4, 3000);
  PackOptions pack = PackOf("a", "out");
  SECTION("Two folders") {
    pack.source.folders = {{"val", "b"}, {"train", "a"}};
  }
  SECTION("Shares of one folder") {
    pack.source.split_shares = {{"train", 0.7}, {"val", 0.3}};
  }
  SECTION("A list with several labels and a file twice") {
    storage.Put("list.lst",
                "7\t1\t2.5\tclass0/1.jpg\n9\t0.5\t3\tclass1/2.jpg\n"
                "11\t4\t4\tclass0/1.jpg\n");
    pack.source.list = "list.lst";
    pack.shards = 2;
    pack.format = "tfrecord";
    pack.lossy_labels = true;
  }
  SECTION("Boxes of one image") {
    storage.Put("boxes.csv",
                "class0/1.jpg,0.1,0.2,0.5,0.75\nclass0/1.jpg,0,0,1,1\n");
    pack.source.bounding_boxes = "boxes.csv";
    pack.format = "tfrecord";
  }
  const Snapshot packed = Packed(storage, pack);
  const auto planned = PlanTasks(TasksOf(pack), {.storage = &storage});
  REQUIRE(planned.status().ToString() == "OK");
  REQUIRE(RunSome(storage, All(planned->tasks)).ToString() == "OK");
  REQUIRE(FinalizeAll(storage, 50).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == packed);
}

}  // namespace
}  // namespace shardine::tasks_test
