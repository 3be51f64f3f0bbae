// Files of a planned dataset that are lost after it was complete.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "shardine/tasks.h"
#include "support/fault_storage.h"
#include "support/task_fixture.h"

namespace shardine::lost_files_test {
namespace {

// A planned dataset that is complete.
void Complete(MemoryStorage& storage, const PackOptions& pack) {
  REQUIRE(Plan(storage, TasksOf(pack)).ok());
  REQUIRE(RunSome(storage, {0, 1, 2}).ToString() == "OK");
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
}

std::vector<std::uint64_t> MissingTasksOf(Storage& storage) {
  const auto status = StatusOfTasks(kPlan, {.storage = &storage});
  REQUIRE(status.ok());
  CHECK(status->finalized == status->missing.empty());
  return status->missing;
}

TEST_CASE("A task makes its lost files of a complete dataset again (A4)",
          "[tasks][promise]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  Complete(storage, PackOf("tree", "out"));
  const Snapshot whole = TakeSnapshot(storage, "out");
  // A shard, a companion, and a file that a full disk emptied.
  const char* name =
      GENERATE("train-00001-of-00003.rec", "train-00001-of-00003.idx",
               ".shardine/train-00001-of-00003.rec.sdx");
  const std::string lost = JoinPath("out", name);
  CAPTURE(lost);
  if (GENERATE(false, true)) {
    storage.Put(lost, "");
  } else {
    REQUIRE(storage.Remove(lost).ok());
  }
  const Snapshot hurt = TakeSnapshot(storage, "out");
  CHECK(MissingTasksOf(storage) == std::vector<std::uint64_t>{1});
  // Other tasks have nothing to do, and finalize needs no source.
  REQUIRE(RunSome(storage, {0, 2}).ToString() == "OK");
  const Status named = FinalizeAll(storage);
  CHECK(named.code() == Code::kChanged);
  CHECK(named.where().path == lost);
  CHECK(named.message().find("task 1 makes it again") != std::string::npos);
  CHECK(TakeSnapshot(storage, "out") == hurt);

  REQUIRE(RunSome(storage, {1}).ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == whole);
  CHECK(MissingTasksOf(storage).empty());
  CHECK(FinalizeAll(storage).ToString() == "OK");
}

TEST_CASE("A lost file whose source is another is named and stays lost (A4)",
          "[tasks][promise]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  Complete(storage, PackOf("tree", "out"));
  const std::string lost = "out/train-00001-of-00003.rec";
  REQUIRE(storage.Remove(lost).ok());
  const Snapshot hurt = TakeSnapshot(storage, "out");
  for (const auto& [name, contents] : TakeSnapshot(storage, "tree")) {
    storage.Put(JoinPath("tree", name), contents + "rot");
  }
  const Status run = RunSome(storage, {1});
  CHECK(run.code() == Code::kChanged);
  CHECK(run.where().path == lost);
  CHECK(TakeSnapshot(storage, "out") == hurt);
}

TEST_CASE("A kill while a task makes a lost file again loses nothing (A4)",
          "[tasks][promise][fault]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 4, 9, 5000);
  Complete(storage, PackOf("tree", "out"));
  const Snapshot whole = TakeSnapshot(storage, "out");
  const std::string lost = "out/train-00001-of-00003.rec";
  bool killed = true;
  for (std::uint64_t call = 0; killed; ++call) {
    CAPTURE(call);
    REQUIRE(call < 1000);
    static_cast<void>(storage.Remove(lost));
    FaultStorage dying(storage,
                       {.call = call, .effect = Fault::Effect::kCrash});
    killed = !RunSome(dying, {1}).ok();
    static_cast<void>(storage.Remove("out/.pack/lock"));  // of the dead
    for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
      if (!name.starts_with(".pack/")) CHECK(whole.at(name) == contents);
    }
    REQUIRE(RunSome(storage, {1}).ToString() == "OK");
    REQUIRE(FinalizeAll(storage).ToString() == "OK");
    REQUIRE(TakeSnapshot(storage, "out") == whole);
  }
}

}  // namespace
}  // namespace shardine::lost_files_test
