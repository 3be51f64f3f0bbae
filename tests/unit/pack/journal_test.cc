#include "pack/journal.h"

#include <catch2/catch.hpp>

#include "io/atomic_file.h"
#include "pack/pack_plan.h"
#include "support/pack_fixture.h"

namespace shardine::journal_test {
namespace {

DatasetPlan PlanIn(Storage& storage, std::uint64_t seed = 7) {
  PackOptions options = PackOf("tree", "out");
  options.seed = seed;
  auto planned = MakePackPlan(storage, {storage, options.output}, options,
                              BuiltinFormats());
  REQUIRE(planned.status().ToString() == "OK");
  return *std::move(planned);
}

struct World {
  World() { PutTree(storage, "tree", 3, 5, 500); }
  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "Journal begins once and is taken up again",
                 "[pack][journal]") {
  const DatasetPlan planned = PlanIn(storage);
  {
    const auto journal = Journal::Begin({storage, "out"}, planned);
    REQUIRE(journal.status().ToString() == "OK");
    CHECK_FALSE(journal->resumed());
  }
  const auto again = Journal::Begin({storage, "out"}, planned);
  REQUIRE(again.ok());
  CHECK(again->resumed());
}

TEST_CASE_METHOD(World, "Journal lets one pack at a time work on a folder",
                 "[pack][journal]") {
  const DatasetPlan planned = PlanIn(storage);
  const auto first = Journal::Begin({storage, "out"}, planned);
  REQUIRE(first.ok());
  const auto second = Journal::Begin({storage, "out"}, planned);
  CHECK(second.status().code() == Code::kAlreadyExists);
}

TEST_CASE_METHOD(World, "Journal of another plan is refused",
                 "[pack][journal]") {
  REQUIRE(Journal::Begin({storage, "out"}, PlanIn(storage)).ok());
  const auto refused = Journal::Begin({storage, "out"}, PlanIn(storage, 8));
  CHECK(refused.status().code() == Code::kChanged);
}

TEST_CASE_METHOD(World, "Journal that was not written whole was never in force",
                 "[pack][journal]") {
  const DatasetPlan planned = PlanIn(storage);
  REQUIRE(Journal::Begin({storage, "out"}, planned).ok());
  const std::string whole = *storage.Get("out/.pack/journal");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    storage.Put("out/.pack/journal", whole.substr(0, size));
    const auto journal = Journal::Begin({storage, "out"}, planned);
    INFO("cut to " << size);
    REQUIRE(journal.status().ToString() == "OK");
    REQUIRE_FALSE(journal->resumed());
    REQUIRE(*storage.Get("out/.pack/journal") == whole);
  }
}

TEST_CASE_METHOD(World, "A file of somebody else is no journal to replace",
                 "[pack][journal]") {
  const DatasetPlan planned = PlanIn(storage);
  for (const char* contents : {"my notes\n", "s", "shardine"}) {
    storage.Put("out/.pack/journal", contents);
    const auto journal = Journal::Begin({storage, "out"}, planned);
    const bool may_be_ours =
        std::string_view("shardine journal ").starts_with(contents);
    CHECK(journal.ok() == may_be_ours);
    if (may_be_ours) continue;
    CHECK(journal.status().code() == Code::kAlreadyExists);
    CHECK(journal.status().where().path == "out/.pack/journal");
    CHECK(*storage.Get("out/.pack/journal") == contents);
  }
}

TEST_CASE_METHOD(World, "Journal with a flipped bit is not believed",
                 "[pack][journal][one_thread]") {
  const DatasetPlan planned = PlanIn(storage);
  REQUIRE(Journal::Begin({storage, "out"}, planned).ok());
  const std::string whole = *storage.Get("out/.pack/journal");
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] ^= 4;
    storage.Put("out/.pack/journal", damaged);
    const auto journal = Journal::Begin({storage, "out"}, planned);
    INFO("byte " << byte);
    if (byte < std::string_view("shardine journal ").size()) {
      REQUIRE(journal.status().code() == Code::kAlreadyExists);
      REQUIRE(*storage.Get("out/.pack/journal") == damaged);
      continue;
    }
    REQUIRE(journal.ok());
    REQUIRE_FALSE(journal->resumed());
  }
}

TEST_CASE_METHOD(World, "Journal removes what an interrupted run left",
                 "[pack][journal]") {
  const DatasetPlan planned = PlanIn(storage);
  REQUIRE(Journal::Begin({storage, "out"}, planned).ok());
  storage.Put(TemporaryName("out/train-00000-of-00003.rec"), "half");
  storage.Put(TemporaryName("out/.pack/x.rejected"), "half");
  const std::string others[] = {"out/keep.txt", "out/.keep.tmp",
                                "out/.pack/.keep.tmp", "out/.pack/keep"};
  for (const std::string& path : others) storage.Put(path, "not ours");
  REQUIRE(Journal::Begin({storage, "out"}, planned).ok());
  CHECK_FALSE(storage.Stat(TemporaryName("out/train-00000-of-00003.rec")).ok());
  CHECK_FALSE(storage.Stat(TemporaryName("out/.pack/x.rejected")).ok());
  CHECK(Journal::RemoveFolder({storage, "out"}).ok());
  for (const std::string& path : others) {
    INFO(path);
    CHECK(*storage.Get(path) == "not ours");
  }
  CHECK(storage.List("out/.pack")->size() == 2);
}

TEST_CASE_METHOD(World, "Journal is taken up whatever its sources hold by now",
                 "[pack][journal]") {
  REQUIRE(Journal::Begin({storage, "out"}, PlanIn(storage)).ok());
  REQUIRE(storage.Remove("tree/class2/1.jpg").ok());
  storage.Put("tree/class2/9.jpg", "new");
  const auto journal = Journal::Begin({storage, "out"}, PlanIn(storage));
  REQUIRE(journal.status().ToString() == "OK");
  CHECK(journal->resumed());
}

TEST_CASE_METHOD(World, "Journal of another tree is refused by its command",
                 "[pack][journal]") {
  REQUIRE(Journal::Begin({storage, "out"}, PlanIn(storage)).ok());
  PutTree(storage, "other", 2, 5, 500);
  auto planned = MakePackPlan(storage, {storage, "out"}, PackOf("other", "out"),
                              BuiltinFormats());
  REQUIRE(planned.ok());
  const Status refused = Journal::Begin({storage, "out"}, *planned).status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.message().find(" tree;") != std::string::npos);
  CHECK(refused.message().find(" other;") != std::string::npos);
}

TEST_CASE_METHOD(World,
                 "Journal knows a tree by its samples where it has moved",
                 "[pack][journal]") {
  REQUIRE(Journal::Begin({storage, "out"}, PlanIn(storage)).ok());
  PutTree(storage, "moved", 3, 5, 500);
  auto planned = MakePackPlan(storage, {storage, "out"}, PackOf("moved", "out"),
                              BuiltinFormats());
  REQUIRE(planned.ok());
  const auto journal = Journal::Begin({storage, "out"}, *planned);
  REQUIRE(journal.status().ToString() == "OK");
  CHECK(journal->resumed());
}

TEST_CASE_METHOD(World, "Journal folder is removed whole and only once needed",
                 "[pack][journal]") {
  CHECK(Journal::RemoveFolder({storage, "out"}).ok());
  REQUIRE(Journal::Begin({storage, "out"}, PlanIn(storage)).ok());
  storage.Put("out/.pack/a.rejected", "x");
  CHECK(Journal::RemoveFolder({storage, "out"}).ok());
  CHECK_FALSE(storage.Stat("out/.pack").ok());
  CHECK(storage.Stat("out").ok());
}

TEST_CASE_METHOD(World, "Journal refuses a folder with files it would replace",
                 "[pack][journal]") {
  const DatasetPlan planned = PlanIn(storage);
  const std::string name = GENERATE(
      "rejected.jsonl", "train-00002-of-00003.rec", "train-00000-of-00003.idx",
      ".shardine/train-00001-of-00003.rec.sdx");
  storage.Put("out/" + name, "mine");
  const Status refused = Journal::Begin({storage, "out"}, planned).status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.where().path == "out/" + name);
  CHECK(*storage.Get("out/" + name) == "mine");
  CHECK_FALSE(storage.Stat("out/.pack").ok());
}

}  // namespace
}  // namespace shardine::journal_test
