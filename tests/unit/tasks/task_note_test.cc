// Notes of finished shards: as they were written, damaged, stale, forged.
#include "tasks/task_note.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "base/checksum.h"
#include "support/fault_storage.h"
#include "support/task_fixture.h"

namespace shardine::task_note_test {
namespace {

constexpr char kNote[] = "out/.pack/train-00001-of-00003.rec.done";

// A text of a note with its digest.
std::string Sealed(std::string body) {
  return body + Xxh3_128(AsBytes(body)).ToHex() + "\n";
}

struct World {
  World() {
    PutImages(storage, "tree");
    storage.Put("tree/class0/bad.jpg", "no image");
    storage.Put("tree/class1/bad.jpg", "no image");
    storage.Put("tree/class2/bad.jpg", "no image");
    pack = VariantsOf("tree", "out");
    pack.on_bad = OnBad::kSkip;
    packed = Packed(storage, pack);
    REQUIRE(Plan(storage, TasksOf(pack)).ok());
    REQUIRE(RunSome(storage, {0, 1, 2}).ToString() == "OK");
    text = *storage.Get(kNote);
    note = *ParseTaskNote(text);
  }

  // The tasks that a finalize with this note misses.
  std::string MissingWith(const std::string& note_text) {
    storage.Put(kNote, note_text);
    const auto done = FinalizeTasks({.plan = kPlan}, {.storage = &storage});
    REQUIRE(done.status().ToString() == "OK");
    return TaskListText(done->missing);
  }
  // The same of a note that is like the true one but for a lie.
  std::string MissingWith(const std::function<void(TaskNote&)>& lie) {
    TaskNote forged = note;
    lie(forged);
    return MissingWith(TaskNoteText(forged));
  }
  // The task is the way out, whatever was wrong.
  void CheckWayOut() {
    REQUIRE(RunSome(storage, {1}).ToString() == "OK");
    REQUIRE(FinalizeAll(storage).ToString() == "OK");
    CHECK(TakeSnapshot(storage, "out") == packed);
  }

  MemoryStorage storage;
  PackOptions pack;
  Snapshot packed;
  std::string text;
  TaskNote note;
};

TEST_CASE_METHOD(World, "A note is read as it was written", "[tasks][note]") {
  CHECK(TaskNoteText(note) == text);
  CHECK(note.shard == "train-00001-of-00003.rec");
  CHECK(note.variants.size() == 3);
  CHECK(note.sizes.size() == 2);
  CHECK(note.rejects == note.left_out.size());
}

TEST_CASE_METHOD(World, "A note that is damaged or cut off is none",
                 "[tasks][note][corruption]") {
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    std::string damaged = text;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 1);
    REQUIRE_FALSE(ParseTaskNote(damaged));
    REQUIRE_FALSE(ParseTaskNote(text.substr(0, byte)));
  }
  CHECK(MissingWith(text.substr(0, text.size() - 1)) == "1");
  CHECK(MissingWith("") == "1");
  CheckWayOut();
}

TEST_CASE_METHOD(World, "Notes with other members are none",
                 "[tasks][note][hostile]") {
  const std::string body = text.substr(0, text.size() - 33);
  REQUIRE(ParseTaskNote(Sealed(body)));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string other = body;
    const std::size_t at = other.find(from);
    REQUIRE(at != std::string::npos);
    return Sealed(other.replace(at, from.size(), to));
  };
  CHECK_FALSE(ParseTaskNote(with("\"check\":2", "\"check\":3")));
  CHECK_FALSE(ParseTaskNote(with("\"check\":2", "\"check\":-1")));
  CHECK_FALSE(ParseTaskNote(with("\"check\":2", "\"check\":\"2\"")));
  CHECK_FALSE(ParseTaskNote(with("\"check\":2,", "")));
  CHECK_FALSE(ParseTaskNote(with("\"check\":2", "\"check\":2,\"more\":1")));
  CHECK_FALSE(ParseTaskNote(with("\"sizes\":[", "\"sizes\":[7,")));
  CHECK_FALSE(ParseTaskNote(with("\"variants\":[", "\"variants\":[{},")));
  CHECK_FALSE(ParseTaskNote(with("note 1", "note 2")));
}

TEST_CASE_METHOD(World, "Forged notes are refused, whatever they say",
                 "[tasks][note][hostile]") {
  using Note = TaskNote;
  const std::function<void(TaskNote&)> lies[] = {
      [](Note& n) { n.shard = "train-00000-of-00003.rec"; },
      [](Note& n) { n.plan_digest.low ^= 1; },
      [](Note& n) { n.part.low ^= 1; },
      [](Note& n) { n.facts.low ^= 1; },
      [](Note& n) { n.judged.on_bad = OnBad::kKeep; },
      [](Note& n) { n.judged.check = ImageCheckLevel::kNone; },
      [](Note& n) { n.left_out.push_back(0); },
      [](Note& n) { n.left_out.assign(5, 0); },
      [](Note& n) { n.left_out = {UINT64_MAX}; },
      [](Note& n) { n.sizes.pop_back(); },
      [](Note& n) { n.variants.pop_back(); },
      [](Note& n) { std::swap(n.variants[0], n.variants[1]); },
      [](Note& n) { ++n.variants[1].shard.samples; },
      [](Note& n) { n.variants[1].shard.plan_digest.low ^= 1; },
      [](Note& n) { n.variants[1].shard.file.path = "../x"; },
      [](Note& n) { ++n.variants[1].shard.file.bytes; },
      [](Note& n) { n.variants[1].shard.file.digest.low ^= 1; },
      [](Note& n) { n.variants[1].shard.companions.pop_back(); },
      [](Note& n) { n.variants[1].shard.companions[0].path = "../../x"; },
      [](Note& n) { ++n.variants[1].shard.companions[0].bytes; },
      [](Note& n) { n.variants[0].image_bytes = UINT64_MAX; },
      [](Note& n) { n.variants[0].counts.unlabelled = UINT64_MAX; },
      [](Note& n) { n.variants[0].counts.images = UINT64_MAX; },
      [](Note& n) { n.variants[0].counts.deep = UINT64_MAX; },
      [](Note& n) { n.variants[0].counts.fields.Add("x", UINT64_MAX); },
      [](Note& n) { n.variants[0].counts.fields.Add("x", 0); },
      [](Note& n) { n.variants[0].entry_points.images = UINT64_MAX; },
  };
  int number = 0;
  for (const auto& lie : lies) {
    INFO("lie " << number++);
    CHECK(MissingWith(lie) == "1");
  }
  CheckWayOut();
}

// The plan's own samples are compared with the note.
TEST_CASE_METHOD(World, "Notes of other samples end a finalize, and name it",
                 "[tasks][note][hostile]") {
  using Note = TaskNote;
  const std::function<void(TaskNote&)> lies[] = {
      [](Note& n) { n.variants[0].names_digest.low ^= 1; },
      [](Note& n) { n.variants[2].order_digest.low ^= 1; },
      [](Note& n) { n.variants[1].counts.unlabelled = 1; },
      [](Note& n) { n.rejects_digest.low ^= 1; },
      [](Note& n) { ++n.rejects; },
  };
  for (const auto& lie : lies) {
    TaskNote forged = note;
    lie(forged);
    storage.Put(kNote, TaskNoteText(forged));
    const Status status = FinalizeAll(storage);
    // A shard without rejects has no list that could be another.
    if (forged.rejects == 0 && status.ok()) continue;
    CHECK(status.code() != Code::kOk);
    CHECK(status.ToString().find("train-00001-of-00003.rec") !=
          std::string::npos);
    CHECK_FALSE(storage.Stat("out/shardine.json").ok());
  }
  REQUIRE(storage.Remove(kNote).ok());
  CheckWayOut();
}

TEST_CASE_METHOD(World,
                 "A share of the shards is proved when that is asked for",
                 "[tasks][note][hostile]") {
  TaskNote forged = note;
  forged.variants[0].content_digest.low ^= 1;
  storage.Put(kNote, TaskNoteText(forged));
  const Status status = FinalizeAll(storage, 100);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.message().find("train-00001-of-00003.rec") != std::string::npos);
  REQUIRE(storage.Remove(kNote).ok());
  CheckWayOut();
}

TEST_CASE_METHOD(World, "A shard whose files are gone or cut is made again",
                 "[tasks][note]") {
  for (const char* name :
       {"out/train-00001-of-00003.rec", "out/train-00001-of-00003.idx",
        "out/.shardine/train-00001-of-00003.rec.sdx",
        "out/.pack/train-00001-of-00003.rec.rejected",
        "out/sz/16/train-00001-of-00003.rec"}) {
    INFO(name);
    REQUIRE(storage.Remove(name).ok());
    CHECK(MissingWith(text) == "1");
    REQUIRE(RunSome(storage, {1}).ToString() == "OK");
  }
  CheckWayOut();
}

TEST_CASE_METHOD(World,
                 "A shard whose list of rejects is another is made again",
                 "[tasks][note][hostile]") {
  const std::string name = "out/.pack/train-00001-of-00003.rec.rejected";
  const std::string lines = *storage.Get(name);
  std::string another = lines;  // as well formed
  const std::size_t action = another.find("skip");
  REQUIRE(action != another.npos);
  another.replace(action, 4, "keep");
  for (const std::string& given : {std::string("{"), another, lines + lines}) {
    INFO(given);
    storage.Put(name, given);
    CHECK(MissingWith(text) == "1");
    REQUIRE(RunSome(storage, {1}).ToString() == "OK");
    CHECK(*storage.Get(name) == lines);
  }
  CheckWayOut();
}

// Others finalize as soon as a note has its name.
class FinalizedAtNote : public FaultStorage {
 public:
  explicit FinalizedAtNote(MemoryStorage& below)
      : FaultStorage(below,
                     {.operation = Operation::kLock, .call = UINT64_MAX}),
        others_(below) {}
  Status Rename(const std::string& from, const std::string& to) override {
    Status renamed = FaultStorage::Rename(from, to);
    if (to.ends_with(".done")) CHECK(FinalizeAll(others_).ToString() == "OK");
    return renamed;
  }

 private:
  MemoryStorage& others_;
};

TEST_CASE("A task whose note is read before it is synced is done",
          "[tasks][note]") {
  MemoryStorage base;
  PutTree(base, "tree", 3, 3, 900);
  PackOptions pack = PackOf("tree", "out");
  pack.shards = 3;
  const Snapshot packed = Packed(base, pack);
  REQUIRE(Plan(base, TasksOf(pack)).ok());
  REQUIRE(RunSome(base, {0, 2}).ok());
  FinalizedAtNote storage(base);
  CHECK(RunSome(storage, {1}).ToString() == "OK");
  CHECK(TakeSnapshot(base, "out") == packed);
}

}  // namespace
}  // namespace shardine::task_note_test
