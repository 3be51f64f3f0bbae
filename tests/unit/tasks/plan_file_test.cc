// Plan files: read as they were written, damaged, cut off, made up.
#include "tasks/plan_file.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "base/checksum.h"
#include "base/compress.h"
#include "support/plan_parts.h"
#include "support/task_fixture.h"
#include "tasks/plan_fields.h"
#include "tasks/plan_rows.h"

namespace shardine::plan_file_test {
namespace {

const FormatRegistry& kFormats = BuiltinFormats();

struct World {
  World() {
    PutTree(storage, "tree", 2, 4, 300);
    REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
    whole = *storage.Get(kPlan);
  }
  Result<std::unique_ptr<PlanFile>> Open() {
    return PlanFile::Open(storage, kPlan, kFormats);
  }
  // The first failure of a reader of all of it.
  Status ReadAll() {
    const auto plan = Open();
    if (!plan.ok()) return plan.status();
    SourceSet source = (*plan)->head().Source();
    for (const PlanShard& shard : (*plan)->shards()) {
      const Status read = (*plan)->ReadRows(shard, source);
      if (!read.ok()) return read;
    }
    const Status lists = (*plan)->ReadLists().status();
    return lists.ok() ? (*plan)->CheckDigest() : lists;
  }
  Status ReadAllOf(std::string bytes) {
    storage.Put(kPlan, std::move(bytes));
    return ReadAll();
  }

  MemoryStorage storage;
  std::string whole;
};

TEST_CASE_METHOD(World, "A plan is read as it was written", "[tasks][plan]") {
  const auto plan = Open();
  REQUIRE(plan.status().ToString() == "OK");
  CHECK((*plan)->samples() == 8);
  CHECK((*plan)->tasks() == 3);
  CHECK((*plan)->head().pack.output == "out");
  CHECK((*plan)->head().roots == std::vector<std::string>{"tree"});
  CHECK((*plan)->head().made.command == "pack");
  CHECK(EncodePlanHead((*plan)->head()) ==
        EncodePlanHead(
            *DecodePlanHead(AsBytes(EncodePlanHead((*plan)->head())))));
  CHECK((*plan)->shards()[1].planned.name == "train-00001-of-00003.rec");
  CHECK((*plan)->shards()[1].planned.first ==
        (*plan)->shards()[0].planned.count);
  CHECK(ReadAll().ok());
}

TEST_CASE_METHOD(World, "Every damaged byte of a plan is found",
                 "[tasks][plan][corruption]") {
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      const Status status = ReadAllOf(damaged);
      INFO("byte " << byte << " of " << whole.size());
      REQUIRE(status.code() == Code::kCorrupt);
      REQUIRE(status.where().path == kPlan);
    }
  }
}

TEST_CASE_METHOD(World, "A plan that is cut off or longer is none",
                 "[tasks][plan][corruption]") {
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO("cut to " << size);
    REQUIRE(ReadAllOf(whole.substr(0, size)).code() == Code::kCorrupt);
  }
  CHECK(ReadAllOf(whole + '\0').code() == Code::kCorrupt);
  CHECK(ReadAllOf(whole + whole).code() == Code::kCorrupt);
}

TEST_CASE_METHOD(World, "A plan of another version says to plan again",
                 "[tasks][plan]") {
  PlanParts parts = PlanParts::Of(storage, kPlan);
  parts.head.tool_version = "0.0.1";
  const Status status = ReadAllOf(parts.Bytes());
  CHECK(status.code() == Code::kChanged);
  CHECK(status.message().find("plan again") != std::string::npos);
}

TEST_CASE_METHOD(World, "A plan of an earlier layout says to plan again",
                 "[tasks][plan]") {
  std::string older = whole;
  older.replace(0, 16, "shardine plan 1\n");
  const Status status = ReadAllOf(older);
  CHECK(status.code() == Code::kChanged);
  CHECK(status.message().find("plan again") != std::string::npos);
  // Planning again gives a plan of today.
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  CHECK(*storage.Get(kPlan) == whole);
}

// Lists may be longer than all else of a plan, and each task read them.
TEST_CASE_METHOD(World, "Files that are left out are read by finalize alone",
                 "[tasks][plan]") {
  for (int i = 0; i < 3000; ++i) {
    storage.Put("tree/class0/" + std::to_string(i) + ".txt", "x");
  }
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  const std::string good = *storage.Get(kPlan);
  const PlanParts parts = PlanParts::Of(storage, kPlan);
  CHECK(parts.lists.ignored.size() == 3000);
  CHECK(EncodePlanHead(parts.head).size() < 1000);

  std::string damaged = good;
  const std::size_t end = good.size() - 104;
  const auto at = LoadLe<std::uint64_t>(&AsBytes(good)[end + 28]);
  damaged[at + 20] = static_cast<char>(damaged[at + 20] ^ 1);
  storage.Put(kPlan, damaged);
  REQUIRE(RunSome(storage, {0, 1, 2}).ToString() == "OK");
  const Status status = FinalizeAll(storage);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.where().offset == at);
  // A plan with another list is no plan of the same tree.
  storage.Put("tree/class0/more.txt", "x");
  storage.Put(kPlan, good);
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  CHECK(PlanParts::Of(storage, kPlan).lists.ignored.size() == 3001);
  REQUIRE(FinalizeAll(storage).ToString() == "OK");
  CHECK(std::ranges::count(*storage.Get("out/ignored.jsonl"), '\n') == 3001);
}

// Forgeries with valid checksums.
TEST_CASE_METHOD(World, "Plans that contradict themselves are refused",
                 "[tasks][plan][hostile]") {
  const PlanParts parts = PlanParts::Of(storage, kPlan);
  REQUIRE(ReadAllOf(parts.Bytes()).ToString() == "OK");
  const auto refused = [&](const char* what, const auto& lie) {
    PlanParts forged = parts;
    lie(forged);
    INFO(what);
    CHECK(ReadAllOf(forged.Bytes()).code() == Code::kCorrupt);
  };
  using Parts = PlanParts;
  refused("no shards", [](Parts& p) { p.shards.clear(); });
  refused("split", [](Parts& p) { p.shards[0].planned.split = 1; });
  refused("an empty shard", [](Parts& p) { p.shards[0].planned.count = 0; });
  refused("more samples than rows",
          [](Parts& p) { ++p.shards[0].planned.count; });
  refused("fewer samples than rows",
          [](Parts& p) { --p.shards[0].planned.count; });
  refused("more samples than there can be",
          [](Parts& p) { p.shards[0].planned.count = std::uint64_t{1} << 40; });
  refused("samples that wrap", [](Parts& p) {
    for (PlanShard& shard : p.shards) shard.planned.count = UINT64_MAX / 2;
  });
  refused("bytes that wrap", [](Parts& p) {
    for (PlanShard& shard : p.shards) shard.bytes = UINT64_MAX / 2;
  });
  refused("an unknown format", [](Parts& p) { p.head.pack.format = "zip"; });
  refused("no folder", [](Parts& p) { p.head.roots.clear(); });
  refused("no split", [](Parts& p) { p.head.splits.clear(); });
  refused("a split that leaves the folder",
          [](Parts& p) { p.head.splits[0] = "../x"; });
  refused("no shards in a task", [](Parts& p) { p.head.shards_per_task = 0; });
  refused("a quality that no encoder takes",
          [](Parts& p) { p.head.pack.variants.image.quality = 101; });
  refused("a bad file of no folder", [](Parts& p) {
    p.lists.bad.push_back({"x", "missing", 1});
  });
  refused("an ignored file of no folder", [](Parts& p) {
    p.lists.ignored.push_back({"x", "not-an-image", 1});
  });
  refused("an image of no dataset", [](Parts& p) {
    p.lists.kept.push_back({"train", "x", "no-end-marker", "keep", ""});
  });
  refused("rows that are none", [](Parts& p) { p.rows[0] = "rows"; });
  refused("rows of another shard",
          [](Parts& p) { p.rows[0] = p.rows[0] + "x"; });
}

// Parsers review 13: a few kilobytes claimed 1 GiB.
TEST_CASE_METHOD(World, "A frame of a plan claims no more than its bytes allow",
                 "[tasks][plan][hostile]") {
  PlanParts parts = PlanParts::Of(storage, kPlan);
  parts.rows[0] = std::string(5'000'000, 'x');
  storage.Put(kPlan, parts.Bytes());
  const auto plan = Open();
  REQUIRE(plan.status().ToString() == "OK");
  const auto rows = (*plan)->RowsOf((*plan)->shards()[0]);
  REQUIRE(rows.status().ToString() == "OK");
  CHECK(*rows == parts.rows[0]);

  // The sizes in the head: 8 bytes of offset, 8 stored, 8 plain.
  const std::size_t end = whole.size() - 104;
  const auto stored = LoadLe<std::uint64_t>(&AsBytes(whole)[end + 8]);
  const auto claim = [&](std::uint64_t plain) {
    std::string forged = whole.substr(0, end + 16);
    AppendLe(plain, forged);
    forged += whole.substr(end + 24, 100 - 24);
    AppendLe(Crc32c(AsBytes(forged).subspan(end)), forged);
    return ReadAllOf(forged).message();
  };
  CHECK(claim(kZstdMostRatio * (stored + 1)) ==
        "has a frame that is too large");
  CHECK(claim(kZstdMostRatio * stored) ==
        "has a frame of another size than it says");
}

// Rows with one sample, in which one value is changed.
struct RowWorld {
  RowWorld() {
    source.roots = {"tree"};
    source.splits = {"train"};
    const Label label(3);
    source.samples.Add("a/b.jpg", 5, {&label, 1}, 0);
    source.samples.SetFacts(0, {.size = 77, .mtime_ns = -12});
  }
  std::string Rows() {
    SourceSet copy;
    copy.roots = source.roots;
    copy.splits = source.splits;
    std::vector<Label> labels;
    for (std::size_t i = 0; i < source.samples.size(); ++i) {
      source.samples.GetLabels(i, labels);
      const std::size_t at = copy.samples.Add(source.samples.path(i),
                                              source.samples.id(i), labels, 0);
      copy.samples.SetFacts(at, source.samples.facts(i));
      copy.samples.SetRoot(at, source.samples.root(i));
      if (source.samples.key(i) != source.samples.path(i)) {
        copy.samples.SetKey(at, source.samples.key(i));
      }
      copy.samples.SetFields(at, source.samples.fields(i));
    }
    copy.boxes = source.boxes;
    copy.columns = source.columns;
    const std::uint64_t count = source.samples.size();
    PlannedShard shard{.name = "x", .count = count, .listed_at = 0};
    const ShardPlan plan = ShardPlan::Outline(std::move(copy), {shard}, {});
    return EncodePlanRows(plan, plan.shards()[0]);
  }
  bool Decode(const std::string& rows, std::uint64_t count, SourceSet& to) {
    to.roots = {"tree"};
    to.splits = {"train"};
    if (!source.boxes.empty()) to.boxes.Add("", {});
    to.columns = source.columns;
    return DecodePlanRows(AsBytes(rows), count, 0, to);
  }

  SourceSet source;
};

TEST_CASE_METHOD(RowWorld, "Rows hold all that is known of a sample",
                 "[tasks][plan]") {
  const std::vector<Label> several = {Label(1), Label::FromReal(0.25),
                                      Label(-9)};
  source.samples.Add("c/d.jpg", UINT64_MAX, several, 0);
  source.samples.SetKey(1, "c/d#2.jpg");
  source.samples.Add("plain", 6, {}, 0);
  const Label real = Label::FromReal(2.5);
  source.samples.Add("\xff\x01", 7, {&real, 1}, 0);
  source.boxes.Add("a/b.jpg", std::vector<BoundingBox>{{0, 0.5, 1, 1}});
  SourceSet read;
  REQUIRE(Decode(Rows(), 4, read));
  REQUIRE(read.samples.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(read.samples.key(i) == source.samples.key(i));
    CHECK(read.samples.path(i) == source.samples.path(i));
    CHECK(read.samples.id(i) == source.samples.id(i));
    CHECK(read.samples.facts(i) == source.samples.facts(i));
    std::vector<Label> there;
    std::vector<Label> expected;
    read.samples.GetLabels(i, there);
    source.samples.GetLabels(i, expected);
    CHECK(there == expected);
  }
  REQUIRE(read.boxes.Find("a/b.jpg").size() == 1);
  CHECK(read.boxes.Find("a/b.jpg")[0].ymin == 0.5F);
}

TEST_CASE_METHOD(RowWorld, "Rows hold the fields of a table",
                 "[tasks][plan][table]") {
  source.columns = {{"path", ColumnType::kNone}, {"n", ColumnType::kInt64}};
  std::string bytes;
  AppendCells({{CellKind::kPlain, "-7", 1}}, bytes);
  source.samples.SetFields(0, bytes);
  const std::string rows = Rows();
  SourceSet read;
  REQUIRE(Decode(rows, 1, read));
  CHECK(read.samples.fields(0) == bytes);
  for (std::size_t size = 0; size < rows.size(); ++size) {
    SourceSet other;
    REQUIRE_FALSE(Decode(rows.substr(0, size), 1, other));
  }
  // A value that is not of its column's type, and a column that is not there.
  source.columns[1].type = ColumnType::kBool;
  SourceSet wrong;
  CHECK_FALSE(Decode(rows, 1, wrong));
  source.columns[1].type = ColumnType::kTextFile;
  SourceSet no_file;
  CHECK_FALSE(Decode(rows, 1, no_file));
  source.columns.pop_back();
  SourceSet strange;
  CHECK_FALSE(Decode(rows, 1, strange));
}

TEST_CASE_METHOD(RowWorld, "Rows that are cut off are none",
                 "[tasks][plan][corruption]") {
  const std::string rows = Rows();
  for (std::size_t size = 0; size < rows.size(); ++size) {
    SourceSet read;
    REQUIRE_FALSE(Decode(rows.substr(0, size), 1, read));
  }
  SourceSet read;
  CHECK_FALSE(Decode(rows + "x", 1, read));
  CHECK_FALSE(Decode(rows, 2, read));
}

TEST_CASE_METHOD(RowWorld, "Paths that leave their folder are refused",
                 "[tasks][plan][hostile]") {
  const std::vector<std::string> paths = {
      "../x", "a/../../x", "/etc/x", "a/..", "..", std::string("a\0b", 3)};
  for (const std::string& path : paths) {
    source.samples = SourceList();
    source.samples.Add(path, 1, {}, 0);
    SourceSet read;
    CHECK_FALSE(Decode(Rows(), 1, read));
    // Beside a key that is fine, too.
    source.samples.SetKey(0, "fine.jpg");
    CHECK_FALSE(Decode(Rows(), 1, read));
  }
  source.samples = SourceList();
  source.samples.Add("a/..b/c..", 1, {}, 0);
  SourceSet read;
  CHECK(Decode(Rows(), 1, read));
}

TEST_CASE_METHOD(World, "Rows of other samples are refused by their task",
                 "[tasks][plan][hostile]") {
  PlanParts parts = PlanParts::Of(storage, kPlan);
  SECTION("Another label") {
    // Ids take eight planes and kinds one; the lowest plane of words follows.
    const std::uint64_t count = parts.shards[0].planned.count;
    parts.rows[0][9 * count] ^= 1;
  }
  SECTION("Another time") { parts.shards[0].facts.low ^= 1; }
  SECTION("Another part") { parts.shards[0].planned.digest.low ^= 1; }
  storage.Put(kPlan, parts.Bytes());
  const Status status = RunSome(storage, {0});
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.message().find("train-00000-of-00003.rec") != std::string::npos);
  CHECK(RunSome(storage, {1}).ok());
}

}  // namespace
}  // namespace shardine::plan_file_test
