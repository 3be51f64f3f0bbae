// A published dataset is a promise: the behaviour of commands where one stands,
// whole or hurt. The rows are those of a review of field reports (A1, A4, A5,
// A6).
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "shardine/convert.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/dies_before.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::promise_test {
namespace {

struct World {
  MemoryStorage storage;

  Result<PackResult> Run(const PackOptions& options) {
    return Pack(options, {.storage = &storage});
  }
  void RemoveBelow(const std::string& folder) {
    for (const auto& [name, contents] : TakeSnapshot(storage, folder)) {
      REQUIRE(storage.Remove(JoinPath(folder, name)).ok());
    }
  }
  // Every file of before has its bytes still.
  void CheckKept(const std::string& folder, const Snapshot& before) {
    const Snapshot now = TakeSnapshot(storage, folder);
    for (const auto& [name, contents] : before) {
      INFO(name);
      const auto found = now.find(name);
      REQUIRE(found != now.end());
      CHECK((found->second == contents));
    }
  }
  std::size_t Findings(const std::string& folder) {
    const auto verified =
        Verify({.target = folder, .against = {}}, {.storage = &storage});
    REQUIRE(verified.status().ToString() == "OK");
    return verified->findings.size();
  }
};

struct Family : World {
  Family() {
    PutImages(storage, "tree");
    options = VariantsOf("tree", "out");
    options.threads = 1;
    REQUIRE(Run(options).ok());
  }
  // One variant goes, and the command that makes it again is cut off.
  void HurtAndCutOff() {
    RemoveBelow("out/sz/16");
    RemoveBelow("out/sz/24");
    original = TakeSnapshot(storage, "out");
    DiesBefore killed(storage, "out/sz/24/shardine.json");
    REQUIRE_FALSE(Pack(options, {.storage = &killed}).ok());
    REQUIRE(storage.Stat("out/.pack/journal").ok());
  }

  // The original has no other fault than unfinished sizes.
  static constexpr std::size_t kSizes = 2;

  PackOptions options;
  Snapshot original;
};

TEST_CASE_METHOD(Family,
                 "A complete original outlives a cut-off size and other "
                 "sources (A1)",
                 "[pack][promise]") {
  HurtAndCutOff();
  REQUIRE(storage.Remove("tree/class1/2.jpg").ok());
  const Status refused = Run(options).status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.where().path == "out");
  CheckKept("out", original);
  CHECK(Findings("out") == kSizes);
}

TEST_CASE_METHOD(Family,
                 "A complete original outlives sources that rotted (A5)",
                 "[pack][promise]") {
  HurtAndCutOff();
  // The new bytes have the same size, so that the plan is the same.
  const std::string path = "tree/class1/2.jpg";
  storage.Put(path, std::string(storage.Get(path)->size(), 'x'));
  for (const OnBad on_bad : {OnBad::kFail, OnBad::kSkip}) {
    options.on_bad = on_bad;
    CHECK_FALSE(Run(options).ok());
    CheckKept("out", original);
    CHECK(Findings("out") == kSizes);
  }
  PutImages(storage, "tree");
  options.on_bad = OnBad::kFail;
  CHECK(Run(options).status().ToString() == "OK");
  CheckKept("out", original);
  CHECK(Findings("out") == 0);
}

TEST_CASE_METHOD(Family, "A variant that was removed is made again",
                 "[pack][promise]") {
  const Snapshot whole = TakeSnapshot(storage, "out");
  HurtAndCutOff();
  REQUIRE(Run(options).status().ToString() == "OK");
  CHECK((TakeSnapshot(storage, "out") == whole));
}

TEST_CASE_METHOD(World, "A lost file of a complete dataset is made again (A4)",
                 "[pack][promise]") {
  PutTree(storage, "tree", 3, 5, 500);
  PackOptions options = PackOf("tree", "out");
  options.format =
      GENERATE(as<std::string>{}, "recordio", "tfrecord", "lmdb:dir=yes");
  REQUIRE(Run(options).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  const bool emptied = GENERATE(false, true);
  std::vector<std::string> lost;
  for (const auto& [name, contents] : whole) {
    if (name != "shardine.json") lost.push_back(name);
  }
  SECTION("each file") {
    for (const std::string& name : lost) {
      INFO(name);
      REQUIRE(storage.Remove("out/" + name).ok());
      if (emptied) storage.Put("out/" + name, "");
      const auto result = Run(options);
      REQUIRE(result.status().ToString() == "OK");
      CHECK_FALSE(result->nothing_to_do);
      CHECK(result->shards_reused == 2);
      CHECK((TakeSnapshot(storage, "out") == whole));
    }
  }
  SECTION("all of them") {
    for (const std::string& name : lost) {
      REQUIRE(storage.Remove("out/" + name).ok());
    }
    REQUIRE(Run(options).status().ToString() == "OK");
    CHECK((TakeSnapshot(storage, "out") == whole));
    CHECK(Run(options)->nothing_to_do);
  }
}

TEST_CASE_METHOD(World, "A lost list of ignored files is made again, or named",
                 "[pack][promise][ignored]") {
  PutImages(storage, "tree");
  storage.Put("tree/notes.txt", "not an image");
  PackOptions options = PackOf("tree", "out");
  options.variants.original = GENERATE(true, false);
  if (!options.variants.original) options.variants.short_sides = {8};
  const std::string folder = options.variants.original ? "out" : "out/sz/8";
  REQUIRE(Run(options).status().ToString() == "OK");
  const Snapshot whole = TakeSnapshot(storage, "out");
  const std::string list = JoinPath(folder, "ignored.jsonl");
  REQUIRE(storage.Get(list).ok());
  const bool emptied = GENERATE(false, true);
  const auto lose = [&] {
    REQUIRE(storage.Remove(list).ok());
    if (emptied) storage.Put(list, "");
  };
  lose();
  CHECK(Findings(folder) == 1);
  const auto result = Run(options);
  REQUIRE(result.status().ToString() == "OK");
  CHECK_FALSE(result->nothing_to_do);
  CHECK((TakeSnapshot(storage, "out") == whole));
  CHECK(Run(options)->nothing_to_do);
  // An ignored file is no part of the plan, and may be something else by now.
  lose();
  storage.Put("tree/more.txt", "not an image");
  const Snapshot hurt = TakeSnapshot(storage, "out");
  const Status refused = Run(options).status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.where().path == list);
  CheckKept("out", hurt);
}

TEST_CASE_METHOD(World, "A lost file of a conversion is made again (A4)",
                 "[pack][promise][convert]") {
  PutTree(storage, "tree", 3, 5, 500);
  REQUIRE(Run(PackOf("tree", "in")).ok());
  ConvertOptions options;
  options.input = "in";
  options.output = "out";
  options.format = "webdataset";
  REQUIRE(Convert(options, {.storage = &storage}).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  REQUIRE(storage.Remove("out/train-00001-of-00003.tar").ok());
  const auto result = Convert(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK((TakeSnapshot(storage, "out") == whole));
}

TEST_CASE_METHOD(World, "A lost file that the sources no longer give is named",
                 "[pack][promise]") {
  PutTree(storage, "tree", 3, 5, 500);
  const PackOptions options = PackOf("tree", "out");
  REQUIRE(Run(options).ok());
  REQUIRE(storage.Remove("out/train-00001-of-00003.rec").ok());
  const Snapshot hurt = TakeSnapshot(storage, "out");
  // Each file of another content and the same size.
  for (const auto& [name, contents] : TakeSnapshot(storage, "tree")) {
    storage.Put("tree/" + name, std::string(contents.size(), 'x'));
  }
  const Status refused = Run(options).status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.where().path == "out/train-00001-of-00003.rec");
  CheckKept("out", hurt);
}

TEST_CASE_METHOD(World, "An edited file of a complete dataset is named",
                 "[pack][promise]") {
  PutTree(storage, "tree", 3, 5, 500);
  const PackOptions options = PackOf("tree", "out");
  REQUIRE(Run(options).ok());
  for (const char* name :
       {"train-00001-of-00003.rec", "train-00001-of-00003.idx",
        ".shardine/train-00001-of-00003.rec.sdx"}) {
    const std::string path = JoinPath("out", name);
    if (!storage.Stat(path).ok()) continue;
    const std::string before = *storage.Get(path);
    storage.Put(path, before + "edited");
    const Status refused = Run(options).status();
    CHECK(refused.code() == Code::kChanged);
    CHECK(refused.where().path == path);
    CHECK(*storage.Get(path) == before + "edited");
    storage.Put(path, before);
  }
}

TEST_CASE_METHOD(World, "Making lost files again can be killed anywhere",
                 "[pack][promise][killed][one_thread]") {
  PutTree(storage, "tree", 3, 5, 500);
  const PackOptions options = PackOf("tree", "out");
  REQUIRE(Run(options).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  const Snapshot tree = TakeSnapshot(storage, "tree");
  const auto [shard, companion] = GENERATE(
      std::pair{true, true}, std::pair{true, false}, std::pair{false, true});
  for (std::uint64_t call = 0; call < 150; ++call) {
    MemoryStorage copy;
    for (const auto& [name, bytes] : tree) copy.Put("tree/" + name, bytes);
    for (const auto& [name, bytes] : whole) copy.Put("out/" + name, bytes);
    if (shard) REQUIRE(copy.Remove("out/train-00000-of-00003.rec").ok());
    if (companion) {
      REQUIRE(copy.Remove("out/.shardine/train-00002-of-00003.rec.sdx").ok());
    }
    FaultStorage killed(copy, {.call = call, .effect = Fault::Effect::kCrash});
    (void)Pack(options, {.storage = &killed});
    INFO("killed at call " << call);
    REQUIRE(Pack(options, {.storage = &copy}).status().ToString() == "OK");
    CHECK((TakeSnapshot(copy, "out") == whole));
  }
}

TEST_CASE_METHOD(World,
                 "A finished shard that was replaced is not believed (A6)",
                 "[pack][promise]") {
  PutTree(storage, "tree", 3, 5, 500);
  const PackOptions options = PackOf("tree", "out");
  REQUIRE(StopAfterFirstShard(storage, options).code() == Code::kCancelled);
  const std::string path = "out/train-00000-of-00003.rec";
  const std::string other(storage.Get(path)->size(), 'x');
  storage.Put(path, other);
  const Status refused = Run(options).status();
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK(refused.where().path == path);
  CHECK(*storage.Get(path) == other);
}

TEST_CASE_METHOD(World, "A list of rejects of the user's own stays (A6)",
                 "[pack][promise]") {
  PutTree(storage, "tree", 3, 5, 500);
  PackOptions options = PackOf("tree", "out");
  REQUIRE(StopAfterFirstShard(storage, options).code() == Code::kCancelled);
  storage.Put("out/rejected.jsonl", "mine");
  SECTION("where nothing is rejected") {
    REQUIRE(Run(options).status().ToString() == "OK");
  }
  SECTION("where a list has to be written") {
    options.on_bad = OnBad::kSkip;
    options.check = ImageCheckLevel::kHeader;
    const Status refused = Run(options).status();
    CHECK(refused.code() == Code::kAlreadyExists);
    CHECK(refused.where().path == "out/rejected.jsonl");
  }
  CHECK(*storage.Get("out/rejected.jsonl") == "mine");
}

}  // namespace
}  // namespace shardine::promise_test
