// A pack with sizes that was killed after one manifest and before another: the
// findings of the same command when its sources have changed by then.
#include <catch2/catch.hpp>
#include <string>

#include "dataset/manifest.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/dies_before.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::between_manifests_test {
namespace {

struct World {
  World() {
    PutImages(storage, "tree");
    options = VariantsOf("tree", "out");
    options.threads = 1;
    options.variants.original = GENERATE(true, false);
    // Manifests are written from the largest size down, the original's last.
    last = options.variants.original ? "out/shardine.json"
                                     : "out/sz/16/shardine.json";
  }

  void KillBeforeTheLast() {
    DiesBefore killed(storage, last);
    REQUIRE_FALSE(Pack(options, {.storage = &killed}).ok());
    REQUIRE(storage.Stat("out/sz/24/shardine.json").ok());
    REQUIRE_FALSE(storage.Stat(last).ok());
    REQUIRE(storage.Stat("out/.pack/journal").ok());
  }
  // The same command ends with the bytes of a run that nothing came before;
  // returns how many shards it kept.
  std::uint64_t GoOn() {
    const auto result = Pack(options, {.storage = &storage});
    REQUIRE(result.status().ToString() == "OK");
    PackOptions whole = options;
    whole.output = "whole";
    REQUIRE(Pack(whole, {.storage = &storage}).ok());
    CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole"));
    for (const char* folder : {"out/sz/16", "out/sz/24"}) {
      const auto verified =
          Verify({.target = folder, .against = {}}, {.storage = &storage});
      REQUIRE(verified.ok());
      CHECK(verified->findings.empty());
    }
    return result->shards_reused;
  }

  MemoryStorage storage;
  PackOptions options;
  std::string last;
};

TEST_CASE_METHOD(World, "A pack cut off between two manifests goes on",
                 "[pack][variants][killed]") {
  KillBeforeTheLast();
  CHECK(GoOn() == 3);
}

TEST_CASE_METHOD(World, "A source deleted between two manifests is no dead end",
                 "[pack][variants][killed]") {
  KillBeforeTheLast();
  REQUIRE(storage.Remove("tree/class1/2.jpg").ok());
  CHECK(GoOn() < 3);
}

TEST_CASE_METHOD(World, "A source added between two manifests is packed, too",
                 "[pack][variants][killed]") {
  KillBeforeTheLast();
  storage.Put("tree/class1/9.jpg", *storage.Get("tree/class0/0.jpg"));
  CHECK(GoOn() < 3);
}

TEST_CASE_METHOD(World, "Bad images may be judged otherwise between manifests",
                 "[pack][variants][killed]") {
  storage.Put("tree/class2/9.jpg", "<html>not a photo</html>");
  options.on_bad = OnBad::kSkip;
  KillBeforeTheLast();
  options.on_bad = OnBad::kQuarantine;
  // The shard with the bad image alone is made again.
  CHECK(GoOn() == 2);
}

TEST_CASE_METHOD(World, "Going on with other sources can be killed anywhere",
                 "[pack][variants][killed][one_thread]") {
  KillBeforeTheLast();
  const Snapshot begun = TakeSnapshot(storage, "out");
  REQUIRE(storage.Remove("tree/class1/2.jpg").ok());
  PackOptions whole = options;
  whole.output = "whole";
  REQUIRE(Pack(whole, {.storage = &storage}).ok());
  const Snapshot expected = TakeSnapshot(storage, "whole");
  for (std::uint64_t call = 0; call < 400; call += 29) {
    MemoryStorage copy;
    for (const auto& [name, contents] : TakeSnapshot(storage, "tree")) {
      copy.Put("tree/" + name, contents);
    }
    for (const auto& [name, contents] : begun) {
      copy.Put("out/" + name, contents);
    }
    FaultStorage killed(copy, {.call = call, .effect = Fault::Effect::kCrash});
    (void)Pack(options, {.storage = &killed});
    // No manifest stands over shards that are on their way.
    const auto seen =
        Verify({.target = "out/sz/24", .against = {}}, {.storage = &copy});
    INFO("killed at call " << call << ": " << seen.status().ToString());
    CHECK((!seen.ok() || seen->findings.empty()));
    const auto result = Pack(options, {.storage = &copy});
    REQUIRE(result.status().ToString() == "OK");
    CHECK(TakeSnapshot(copy, "out") == expected);
  }
}

TEST_CASE_METHOD(World, "A size of somebody else's is no unfinished work",
                 "[pack][variants][killed]") {
  KillBeforeTheLast();
  // The same images by another seed, put in the place of the output.
  PackOptions other = options;
  other.output = "other";
  other.seed = 8;
  REQUIRE(Pack(other, {.storage = &storage}).ok());
  const Snapshot theirs = TakeSnapshot(storage, "other/sz/24");
  for (const auto& [name, contents] : theirs) {
    storage.Put("out/sz/24/" + name, contents);
  }
  const Status refused = Pack(options, {.storage = &storage}).status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.where().path == "out/sz/24");
  CHECK_THAT(refused.message(), Catch::Contains("seed 8, now 7"));
  for (const auto& [name, contents] : theirs) {
    CHECK(*storage.Get("out/sz/24/" + name) == contents);
  }
}

TEST_CASE_METHOD(World, "A family that is whole is refused for other sources",
                 "[pack][variants][killed]") {
  KillBeforeTheLast();
  const std::string journal = *storage.Get("out/.pack/journal");
  CHECK(GoOn() == 3);
  // Killed while it cleared away: the journal is there, and nothing is missing.
  storage.Put("out/.pack/journal", journal);
  REQUIRE(storage.Remove("tree/class1/2.jpg").ok());
  CHECK(Pack(options, {.storage = &storage}).status().code() == Code::kChanged);
  // So is one without a journal, of which somebody removed a part.
  REQUIRE(storage.Remove("out/.pack/journal").ok());
  REQUIRE(storage.Remove(last).ok());
  CHECK(Pack(options, {.storage = &storage}).status().code() == Code::kChanged);
  CHECK(storage.Stat("out/sz/24/shardine.json").ok());
}

}  // namespace
}  // namespace shardine::between_manifests_test
