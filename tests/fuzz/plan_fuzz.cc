#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shardine/format.h"
#include "source/shard_plan.h"
#include "tasks/plan_file.h"
#include "tasks/plan_numbers.h"
#include "tasks/plan_rows.h"
#include "tasks/verify_head.h"

namespace shardine {
namespace {

// Rows of a verification can be written in one way only.
void ReadFacts(ByteView bytes) {
  std::vector<FileFacts> facts;
  if (DecodeFacts(bytes, facts) && EncodeFacts(facts) != AsText(bytes)) {
    std::abort();
  }
}

void ReadFactsOf(const PlanFile& plan) {
  for (const PlanShard& shard : plan.shards()) {
    const auto rows = plan.RowsOf(shard);
    if (rows.ok()) ReadFacts(AsBytes(*rows));
  }
}

void ReadFile(const std::string& bytes) {
  MemoryStorage storage;
  storage.Put("p", bytes);
  const auto plan = PlanFile::Open(storage, "p", BuiltinFormats());
  if (!plan.ok()) return;
  if ((*plan)->head().kind == TaskKind::kVerify) return ReadFactsOf(**plan);
  SourceSet source = (*plan)->head().Source();
  std::uint64_t samples = 0;
  for (const PlanShard& shard : (*plan)->shards()) {
    if (!(*plan)->ReadRows(shard, source).ok()) return;
    samples += shard.planned.count;
  }
  if (source.samples.size() != samples) std::abort();
  static_cast<void>((*plan)->ReadLists());
  static_cast<void>((*plan)->CheckDigest());
}

// A head can be written in one way only.
void ReadHead(ByteView bytes) {
  const auto head = DecodePlanHead(bytes);
  if (head && EncodePlanHead(*head) != AsText(bytes)) std::abort();
}

void ReadLists(ByteView bytes) {
  for (const TaskKind kind : {TaskKind::kPack, TaskKind::kConvert}) {
    PlanHead head;
    head.kind = kind;
    head.roots = {"a"};
    const auto lists = DecodePlanLists(bytes, head);
    if (lists && EncodePlanLists(*lists) != AsText(bytes)) std::abort();
  }
}

void ReadRows(ByteView bytes) {
  if (bytes.empty()) return;
  const auto flags = static_cast<std::uint8_t>(bytes[0]);
  SourceSet source;
  source.roots = {"a", "b"};
  source.splits = {"train"};
  if (flags >= 128) source.boxes.Add("", {});
  const std::uint64_t count = flags % 128;
  const ByteView rows = bytes.subspan(1);
  if (!DecodePlanRows(rows, count, 0, source)) return;
  if (source.samples.size() != count) std::abort();
  // Boxes are not compared: samples of one file each write its boxes again.
  if (flags >= 128 || count == 0) return;
  const PlannedShard shard{.name = "s", .count = count, .listed_at = 0};
  const ShardPlan plan = ShardPlan::Outline(std::move(source), {shard}, {});
  if (EncodePlanRows(plan, plan.shards()[0]) != AsText(rows)) std::abort();
}

// Numbers in an input, then rows of its records.
void ReadRecords(ByteView bytes) {
  if (bytes.empty()) return;
  const auto count = static_cast<std::uint8_t>(bytes[0]);
  const ByteView all = bytes.subspan(1);
  ByteView rows = all;
  std::vector<std::uint64_t> numbers;
  if (!DecodePlanNumbers(rows, count, numbers)) return;
  if (numbers.size() != count) std::abort();
  const ByteView read = all.first(all.size() - rows.size());
  if (EncodePlanNumbers(numbers) != AsText(read)) std::abort();
  SourceSet source;
  source.roots = {"a"};
  source.splits = {"train"};
  if (!DecodePlanRows(rows, count, 0, source, RowsOf::kRecords)) return;
  if (source.samples.size() != count) std::abort();
}

}  // namespace
}  // namespace shardine

// Frames are compressed, so that their contents are tried as they are, too:
// after an H a head, after an L lists, after an R rows, after an F rows of a
// verification.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  ReadFile(bytes);
  const ByteView view = AsBytes(bytes);
  if (bytes.starts_with('H')) ReadHead(view.subspan(1));
  if (bytes.starts_with('L')) ReadLists(view.subspan(1));
  if (bytes.starts_with('R')) ReadRows(view.subspan(1));
  if (bytes.starts_with('F')) ReadFacts(view.subspan(1));
  if (bytes.starts_with('N')) ReadRecords(view.subspan(1));
  return 0;
}
