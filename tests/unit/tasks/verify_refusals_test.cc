// Verifications by tasks: refusals, and the places that name them.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/sealed_text.h"
#include "support/fault_storage.h"
#include "support/verify_tasks_fixture.h"
#include "tasks/verify_note.h"

namespace shardine::verify_refusals_test {
namespace {

struct World {
  World() {
    PackFamily(storage, "recordio");
    REQUIRE(PlanVerify(storage, kOptions).ToString() == "OK");
  }
  void RunAll() { REQUIRE(RunSome(storage, AllTasks(storage)).ok()); }
  // Forges a note with a valid digest.
  void Forge(std::size_t shard, const VerifyNote& note) {
    storage.Put(PathOf(shard), VerifyNoteText(note));
  }
  VerifyNote NoteOf(std::size_t shard) {
    return *ParseVerifyNote(*storage.Get(PathOf(shard)));
  }
  static std::string PathOf(std::size_t shard) {
    return "plan.notes/shard-" + std::to_string(shard) + ".verified";
  }
  // The same bytes at another time.
  void Touch(const std::string& path) { storage.Put(path, *storage.Get(path)); }
  Status FinalizeStatus() {
    return FinalizeTasks({.plan = kPlan}, {.storage = &storage}).status();
  }

  const VerifyOptions kOptions{.target = "out"};
  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "A dataset that changed is refused, naming the file",
                 "[tasks][verify][changed]") {
  const std::vector<std::string> of_all = {
      "out/shardine.json", "out/sz/16/shardine.json", "out/rejected.jsonl"};
  RunAll();
  for (const std::string& path : of_all) {
    INFO(path);
    MemoryStorage& disk = storage;
    const std::string bytes = *disk.Get(path);
    disk.Put(path, bytes + " ");
    for (const Status& status :
         {RunSome(disk, {3}), FinalizeStatus(),
          StatusOfTasks(kPlan, {.storage = &disk}).status()}) {
      CHECK(status.code() == Code::kChanged);
      CHECK(status.where().path == path);
    }
    disk.Put(path, bytes);
    // Planning again is the way out, though the times have changed.
    REQUIRE(PlanVerify(disk, kOptions).ok());
    RunAll();
    Finalize(disk);
  }
}

TEST_CASE_METHOD(World, "A shard that changed makes its task undone",
                 "[tasks][verify][changed]") {
  RunAll();
  for (const char* const path :
       {"out/train-00001-of-00003.rec", "out/train-00001-of-00003.idx",
        "out/.shardine/train-00001-of-00003.rec.sdx"}) {
    INFO(path);
    Touch(path);
    CHECK(Missing(storage) == "1");
    const Status status = RunSome(storage, {1});
    CHECK(status.code() == Code::kChanged);
    CHECK(status.where().path == path);
    CHECK(FinalizeStatus().code() == Code::kChanged);
    CHECK(FinalizeStatus().where().path == path);
    REQUIRE(PlanVerify(storage, kOptions).ok());
    RunAll();
  }
  // One that went, and one that came.
  const std::string path = "out/train-00000-of-00003.rec";
  const std::string bytes = *storage.Get(path);
  REQUIRE(storage.Remove(path).ok());
  CHECK(RunSome(storage, {0}).code() == Code::kChanged);
  REQUIRE(PlanVerify(storage, kOptions).ok());
  REQUIRE(RunSome(storage, {0}).ok());
  storage.Put(path, bytes);
  CHECK(RunSome(storage, {0}).where().path == path);
}

TEST_CASE_METHOD(World, "Finalize says which tasks are missing, and why",
                 "[tasks][verify][finalize]") {
  REQUIRE(RunSome(storage, {0, 1, 3, 5, 6, 7, 8}).ok());
  const auto done = FinalizeTasks({.plan = kPlan}, {.storage = &storage});
  REQUIRE(done.status().ToString() == "OK");
  CHECK_FALSE(done->verified);
  CHECK_FALSE(done->result);
  CHECK(TaskListText(done->missing) == "2,4");
  CHECK(done->first_missing == "out/train-00002-of-00003.rec: it has no note");
  RunAll();
  Forge(4, NoteOf(3));
  const auto forged = FinalizeTasks({.plan = kPlan}, {.storage = &storage});
  REQUIRE(forged.ok());
  CHECK(TaskListText(forged->missing) == "4");
  CHECK(forged->first_missing == PathOf(4) + ": is the note of another plan");
}

TEST_CASE_METHOD(World, "Every damaged byte of a note is found",
                 "[tasks][verify][corruption]") {
  RunAll();
  const std::string whole = *storage.Get(PathOf(0));
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] ^= 8;
    INFO("byte " << byte);
    REQUIRE_FALSE(ParseVerifyNote(damaged));
    REQUIRE_FALSE(ParseVerifyNote(whole.substr(0, byte)));
  }
  CHECK_FALSE(ParseVerifyNote(whole + "x"));
  storage.Put(PathOf(0), whole.substr(1));
  CHECK(Missing(storage) == "0");
  REQUIRE(RunSome(storage, {0}).ok());
  CHECK(*storage.Get(PathOf(0)) == whole);
}

TEST_CASE_METHOD(World, "Notes of other plans, levels and shards are none",
                 "[tasks][verify][forged]") {
  RunAll();
  const VerifyNote note = NoteOf(1);
  SECTION("another shard's") { Forge(1, NoteOf(2)); }
  SECTION("another plan's") {
    VerifyNote other = note;
    other.plan.low ^= 1;
    Forge(1, other);
  }
  SECTION("of files that were others") {
    VerifyNote other = note;
    other.facts.high ^= 1;
    Forge(1, other);
  }
  SECTION("another level's") {
    const std::string before = *storage.Get(PathOf(1));
    REQUIRE(PlanVerify(storage, {.target = "out", .level = VerifyLevel::kQuick})
                .code() == Code::kAlreadyExists);
    REQUIRE(storage.Remove(kPlan).ok());
    REQUIRE(PlanVerify(storage, {.target = "out", .level = VerifyLevel::kQuick})
                .ok());
    CHECK(Missing(storage) == "0-8");
    RunAll();
    storage.Put(PathOf(1), before);
  }
  CHECK(Missing(storage) == "1");
  REQUIRE(RunSome(storage, {1}).ok());
  CHECK(Missing(storage).empty());
}

TEST_CASE_METHOD(World, "Notes that say what cannot be are none",
                 "[tasks][verify][forged]") {
  RunAll();
  const ShardOutcome whole = NoteOf(1).outcome;
  std::vector<ShardOutcome> forged(12, whole);
  forged[0].sums.ids.pop_back();
  forged[1].samples += 1;
  forged[2].sums.counts.unlabelled = 100;
  forged[3].kept["not-an-image"] = 1;  // only decoding finds these
  forged[4].findings.push_back(Status(Code::kRemote, "no server"));
  forged[5].findings.push_back(Status(Code::kChanged, "changed"));
  forged[6].sums.ids.clear();
  forged[7].kept["a\nb"] = 1;
  forged[8].kept["x"] = 0;
  forged[9].sums.counts.deep = 100;
  forged[10].sums.counts.fields.Add("x", 100);
  forged[11].sums.counts.images = 100;
  for (std::size_t i = 0; i < forged.size(); ++i) {
    INFO(i);
    VerifyNote note = NoteOf(2);
    note.shard = 1;
    note.plan = NoteOf(0).plan;
    note.outcome = forged[i];
    Forge(1, note);
    CHECK(Missing(storage) == "1");
    REQUIRE(RunSome(storage, {1}).ok());
  }
}

TEST_CASE_METHOD(World, "A lie that can be is found by proving",
                 "[tasks][verify][forged]") {
  const std::string path = "out/train-00001-of-00003.rec";
  std::string bytes = *storage.Get(path);
  const VerifyNote sound = [&] {
    RunAll();
    return NoteOf(1);
  }();
  bytes[bytes.size() / 2] ^= 1;
  storage.Put(path, bytes);
  REQUIRE(PlanVerify(storage, kOptions).ok());
  RunAll();
  VerifyNote lie = NoteOf(1);
  CHECK_FALSE(lie.outcome.findings.empty());
  lie.outcome = sound.outcome;
  Forge(1, lie);
  CHECK(Finalize(storage).findings.empty());
  const auto proved = FinalizeTasks({.plan = kPlan, .proved_percent = 100},
                                    {.storage = &storage});
  CHECK(proved.status().code() == Code::kCorrupt);
  CHECK(proved.status().where().path == PathOf(1));
  // The advice is followed.
  REQUIRE(storage.Remove(PathOf(1)).ok());
  REQUIRE(RunSome(storage, {1}).ok());
  CHECK_FALSE(Finalize(storage, 100).findings.empty());
}

TEST_CASE_METHOD(World, "Notes of findings are read as they were written",
                 "[tasks][verify][note]") {
  VerifyNote note{.plan = {.low = 1, .high = 2}, .shard = 3, .facts = {4, 5}};
  ShardOutcome& outcome = note.outcome;
  outcome.findings = {
      Status(Code::kCorrupt, "differs")
          .At({.path = "p\xff", .offset = 7, .record = 8, .key = "k\n"}),
      Status::FromErrno(5, "read", "q"), Status::FromErrno(2, "open", "r")};
  outcome.came_wrong = true;
  outcome.kept = {{"no-end-marker", 2}};
  outcome.samples = 9;
  outcome.bytes = 10;
  const auto read = ParseVerifyNote(VerifyNoteText(note));
  REQUIRE(read);
  CHECK(read->plan == note.plan);
  CHECK(read->shard == 3);
  CHECK(read->facts == note.facts);
  CHECK(read->outcome.came_wrong);
  CHECK(read->outcome.kept == outcome.kept);
  CHECK(read->outcome.samples == 9);
  CHECK(read->outcome.bytes == 10);
  REQUIRE(read->outcome.findings.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Status& found = read->outcome.findings[i];
    CHECK(found.ToString() == outcome.findings[i].ToString());
    CHECK(found.code() == outcome.findings[i].code());
    CHECK(found.system_error() == outcome.findings[i].system_error());
  }
}

TEST_CASE("A tree that a worker does not see is no damage of the dataset",
          "[tasks][verify][reach]") {
  MemoryStorage storage;
  PackFamily(storage, "recordio");
  const VerifyOptions options{.target = "out", .against = "seen"};
  CHECK(PlanVerify(storage, options).code() == Code::kNotFound);
  PutBadImages(storage, "seen");
  REQUIRE(PlanVerify(storage, options).ToString() == "OK");
  REQUIRE(RunSome(storage, {1, 2}).ToString() == "OK");
  REQUIRE(storage.Rename("seen", "elsewhere").ok());
  for (const Status& status :
       {RunSome(storage, {0}), RunSome(storage, {3, 4, 5, 6, 7, 8})}) {
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.where().path == "seen");
  }
  CHECK(Missing(storage) == "0,3-8");
  REQUIRE(storage.Rename("elsewhere", "seen").ok());
  REQUIRE(RunSome(storage, AllTasks(storage)).ToString() == "OK");
  CHECK(Finalize(storage) == Verified(storage, options));
}

TEST_CASE("A list of kept images that cannot be read fails the task",
          "[tasks][verify][reach][faults]") {
  MemoryStorage storage;
  PutBadImages(storage, "tree");
  PackOptions pack = PackOf("tree", "out");
  pack.check = ImageCheckLevel::kDecode;
  pack.on_bad = OnBad::kKeep;
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  const VerifyOptions deep{.target = "out", .level = VerifyLevel::kDeep};
  REQUIRE(PlanVerify(storage, deep).ok());
  const std::uint64_t calls = [&] {
    FaultStorage watched(storage, {.call = UINT64_MAX});
    REQUIRE(RunSome(watched, AllTasks(storage)).ok());
    return watched.calls(Operation::kOpen);
  }();
  const Report expected = Verified(storage, deep);
  CHECK(expected.findings.empty());
  for (std::uint64_t call = 0; call < calls; ++call) {
    INFO("call " << call);
    for (const auto& [name, bytes] : TakeSnapshot(storage, kNotes)) {
      REQUIRE(storage.Remove(JoinPath(kNotes, name)).ok());
    }
    FaultStorage broken(storage, {.operation = Operation::kOpen, .call = call});
    CHECK_FALSE(RunSome(broken, AllTasks(storage)).ok());
    REQUIRE(RunSome(storage, AllTasks(storage)).ToString() == "OK");
    REQUIRE(Finalize(storage) == expected);
  }
}

TEST_CASE("A verification is planned where it can be, or says why not",
          "[tasks][verify][plan]") {
  MemoryStorage storage;
  PackFamily(storage, "recordio");
  const auto plan = [&](const VerifyPlanOptions& options) {
    return PlanVerifyTasks(options, {.storage = &storage}).status();
  };
  const VerifyOptions all{.target = "out"};
  CHECK(plan({.verify = all, .plan = "out/plan"}).code() ==
        Code::kInvalidArgument);
  CHECK(plan({.verify = all, .plan = "plan", .notes = "out/notes"}).code() ==
        Code::kInvalidArgument);
  CHECK(plan({.verify = {.target = "out/train-00000-of-00003.rec"},
              .plan = "plan"})
            .code() == Code::kInvalidArgument);
  CHECK(plan({.verify = {.target = "out", .list = "x.lst"}, .plan = "plan"})
            .code() == Code::kInvalidArgument);
  CHECK(plan({.verify = {.target = "nowhere"}, .plan = "plan"}).code() ==
        Code::kNotFound);
  storage.Put("taken", "x");
  CHECK(plan({.verify = all, .plan = "taken"}).code() == Code::kAlreadyExists);
  CHECK_FALSE(storage.Stat("plan").ok());
  // The target may be the name of its manifest, the notes may lie elsewhere,
  // and planning again gives the same plan.
  const VerifyPlanOptions elsewhere{
      .verify = {.target = "out/shardine.json"}, .plan = "plan", .notes = "n"};
  REQUIRE(plan(elsewhere).ToString() == "OK");
  const std::string bytes = *storage.Get("plan");
  REQUIRE(RunSome(storage, AllTasks(storage)).ToString() == "OK");
  CHECK(storage.Stat("n/shard-0.verified").ok());
  REQUIRE(plan(elsewhere).ToString() == "OK");
  CHECK(*storage.Get("plan") == bytes);
  CHECK(Missing(storage).empty());
  storage.Put("out/shardine.json", "{}");
  CHECK(plan({.verify = all, .plan = "other"}).code() == Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::verify_refusals_test
