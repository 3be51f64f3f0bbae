// Notes of shards: read as they were saved, damaged, of another version or
// kind.
#include "pack/shard_notes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "pack/pack_plan.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::shard_notes_test {
namespace {

struct World {
  World() : output(storage, "out") {
    REQUIRE(storage.CreateDirectories("out/.pack").ok());
  }
  std::optional<NotedShard> ReadX() {
    const auto noted = ReadShardNotes(output, "x");
    REQUIRE(noted.ok());
    return *noted;
  }
  void PutX(const std::string& text) { storage.Put("out/.pack/x.notes", text); }

  MemoryStorage storage;
  OutputFolder output;
};

ShardNotes SomeNotes() {
  ShardNotes notes;
  notes.part = {90, 12};
  notes.judged = {OnBad::kSkip, ImageCheckLevel::kDecode};
  notes.facts = {12, 34};
  notes.files = {{0, {100, 1'700'000'000'000'000'000}}, {2, {50, -1}}};
  notes.source_digest = {56, 78};
  notes.sizes = {{1, 2}, {3, 4}};
  notes.rejects = {{"train", "a\n", "empty", "skip", "0 bytes"}};
  return notes;
}

TEST_CASE_METHOD(World, "Notes of a shard are read as they were saved",
                 "[pack][notes]") {
  CHECK_FALSE(ReadX());
  for (const bool rejects : {true, false}) {
    ShardNotes notes = SomeNotes();
    if (!rejects) notes.rejects.clear();
    REQUIRE(SaveShardNotes(output, "x", notes).ok());
    const auto noted = ReadX();
    REQUIRE(noted);
    CHECK(noted->part == notes.part);
    CHECK(noted->judged == notes.judged);
    CHECK(noted->facts == notes.facts);
    CHECK(noted->files == notes.files);
    CHECK(noted->FactsOf(2) == NotedFile{50, -1});
    CHECK_FALSE(noted->FactsOf(1));
    CHECK(noted->has_rejects == rejects);
    // A list of an earlier try does not stay beside notes without any.
    CHECK(storage.Stat("out/.pack/x.rejected").ok() == rejects);
  }
  REQUIRE(RemoveShardNotes(output, "x").ok());
  CHECK_FALSE(ReadX());
  CHECK(TakeSnapshot(storage, "out").empty());
  CHECK(RemoveShardNotes(output, "x").ok());
}

TEST_CASE_METHOD(World, "Notes that are cut off are none", "[pack][notes]") {
  REQUIRE(SaveShardNotes(output, "x", SomeNotes()).ok());
  const std::string whole = *storage.Get("out/.pack/x.notes");
  REQUIRE(whole.back() == '\n');
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    PutX(whole.substr(0, size));
    INFO("cut to " << size);
    REQUIRE_FALSE(ReadX());
  }
}

TEST_CASE_METHOD(World, "Notes with a damaged byte are never an error",
                 "[pack][notes]") {
  REQUIRE(SaveShardNotes(output, "x", SomeNotes()).ok());
  const std::string whole = *storage.Get("out/.pack/x.notes");
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    for (const int bit : {0, 4, 7}) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      PutX(damaged);
      const auto noted = ReadX();
      if (!noted) continue;
      // Whatever is believed has only choices that there are.
      REQUIRE(noted->judged.check <= ImageCheckLevel::kDecode);
      REQUIRE(noted->judged.on_bad <= OnBad::kKeep);
    }
  }
}

TEST_CASE_METHOD(World, "Notes of a newer version or another kind are none",
                 "[pack][notes]") {
  const std::string digest(32, '0');
  const auto text = [&](const std::string& check, const std::string& on_bad,
                        const std::string& facts, const std::string& rejects) {
    return "{\"check\":" + check + ",\"facts\":" + facts +
           ",\"has_rejects\":" + rejects + ",\"on_bad\":" + on_bad +
           ",\"part\":\"" + digest + "\"}";
  };
  const std::string facts = "\"" + digest + "\"";
  PutX(text("2", "3", facts, "false"));
  REQUIRE(ReadX());
  const std::string others[] = {
      text("3", "0", facts, "false"), text("0", "4", facts, "false"),
      text("-1", "0", facts, "false"), text("256", "0", facts, "false"),
      text("0.0", "0", facts, "false"), text("\"0\"", "0", facts, "false"),
      text("0", "null", facts, "false"), text("0", "0", "0", "false"),
      text("0", "0", "\"" + digest.substr(1) + "\"", "false"),
      text("0", "0", facts, "0"),
      // A version that did not note which part of a plan a shard is.
      "{\"check\":0,\"facts\":" + facts +
          ",\"has_rejects\":false,\"on_bad\":0}",
      "[]", "null", "{}", "{\"files\":{}}"};
  for (const std::string& other : others) {
    PutX(other);
    INFO(other);
    CHECK_FALSE(ReadX());
  }
  // A file that is too large to be notes is not loaded.
  PutX(text("2", "3", facts, "false") + std::string(kMaxShardNotes, ' '));
  CHECK_FALSE(ReadX());
}

TEST_CASE_METHOD(World, "A disk that cannot be read is not taken for no notes",
                 "[pack][notes][fault]") {
  REQUIRE(SaveShardNotes(output, "x", SomeNotes()).ok());
  FaultStorage faulty(storage, {.operation = Operation::kRead});
  CHECK(ReadShardNotes({faulty, "out"}, "x").status().code() == Code::kIo);
}

TEST_CASE_METHOD(World, "Shards with notes are listed by name",
                 "[pack][notes]") {
  CHECK(ListNotedShards(output)->empty());
  for (const char* name : {"b", "a", "c.notes"}) {
    REQUIRE(SaveShardNotes(output, name, {}).ok());
  }
  storage.Put("out/.pack/journal", "x");
  storage.Put("out/.pack/b.rejected", "x");
  CHECK(*ListNotedShards(output) ==
        std::vector<std::string>{"a", "b", "c.notes"});
}

TEST_CASE_METHOD(World, "What is noted of shards adds up for their manifests",
                 "[pack][notes]") {
  PutImages(storage, "tree");
  auto planned = MakePackPlan(storage, output, VariantsOf("tree", "out"),
                              BuiltinFormats());
  REQUIRE(planned.ok());
  ShardNotes expected;
  expected.sizes.resize(2);
  std::uint64_t number = 1;
  for (const PlannedShard& shard : planned->plan.shards()) {
    ShardNotes notes = SomeNotes();
    notes.sizes = {{number, 10 * number}, {100 * number, 1000 * number}};
    // The sum of all is beyond 2^128.
    notes.source_digest = {~number, ~std::uint64_t{0}};
    notes.rejects[0].key = shard.name;
    REQUIRE(SaveShardNotes(output, shard.name, notes).ok());
    expected.source_digest += notes.source_digest;
    for (const std::size_t i : {0u, 1u}) {
      expected.sizes[i].upscaled += notes.sizes[i].upscaled;
      expected.sizes[i].kept += notes.sizes[i].kept;
    }
    expected.rejects.push_back(notes.rejects[0]);
    ++number;
  }
  const auto sum = CollectNotes(output, *planned, OnBad::kSkip);
  REQUIRE(sum.status().ToString() == "OK");
  CHECK(sum->source_digest == expected.source_digest);
  CHECK(sum->sizes == expected.sizes);
  CHECK(sum->rejects == expected.rejects);
  // One size only, three sizes, a negative number: not these notes.
  const std::string path = "out/.pack/train-00001-of-00003.rec.notes";
  const std::string sizes = "[[2,20],[200,2000]]";
  std::string text = *storage.Get(path);
  const std::size_t at = text.find(sizes);
  REQUIRE(at != text.npos);
  for (const char* other : {"[[2,20]]", "[[2,20],[2,2],[2,2]]", "7",
                            "[[2,20],[-1,2]]", "[[2],[2,2]]", "[2,20]"}) {
    std::string damaged = text;
    damaged.replace(at, sizes.size(), other);
    storage.Put(path, damaged);
    const Status status = CollectNotes(output, *planned, OnBad::kSkip).status();
    INFO(other);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == path);
  }
}

TEST_CASE("A file of another size or time has other facts", "[pack][notes]") {
  const auto facts_of = [](std::uint64_t size, std::int64_t time, int samples) {
    SourceSet source;
    source.splits = {"train"};
    for (int i = 0; i < samples; ++i) {
      source.samples.Add("k" + std::to_string(i), static_cast<std::uint64_t>(i),
                         {}, 0);
      source.samples.SetFacts(static_cast<std::size_t>(i), {5, 6});
    }
    source.samples.SetFacts(0, {size, time});
    ShardPlanOptions options;
    options.shards = 1;
    const auto plan = ShardPlan::Make(std::move(source), options);
    REQUIRE(plan.ok());
    return FactsDigest(*plan, plan->shards()[0]);
  };
  const Digest128 facts = facts_of(1, 2, 3);
  CHECK(facts_of(1, 2, 3) == facts);
  CHECK(facts_of(2, 2, 3) != facts);
  CHECK(facts_of(1, 3, 3) != facts);
  CHECK(facts_of(2, 1, 3) != facts);
  CHECK(facts_of(1, 2, 4) != facts);
}

}  // namespace
}  // namespace shardine::shard_notes_test
