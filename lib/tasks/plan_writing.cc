#include "tasks/plan_writing.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "dataset/ignored.h"
#include "dataset/listed_files.h"
#include "io/attempt_storage.h"
#include "io/storage_for.h"
#include "pack/journal.h"
#include "pack/output_state.h"
#include "pack/shard_notes.h"
#include "shardine/version.h"
#include "tasks/plan_file.h"
#include "tasks/plan_numbers.h"
#include "tasks/plan_paths.h"
#include "tasks/plan_rows.h"
#include "tasks/task_size.h"

namespace shardine {
namespace {

Result<std::vector<PlanShard>> ShardsOf(const ShardPlan& plan) {
  std::vector<PlanShard> shards(plan.shards().size());
  const auto describe = [&](std::size_t number) {
    const PlannedShard& planned = plan.shards()[number];
    PlanShard shard{.planned = planned, .facts = FactsDigest(plan, planned)};
    for (std::uint64_t i = 0; i < planned.count; ++i) {
      shard.bytes +=
          plan.source().samples.facts(plan.SampleAt(planned, i)).size;
    }
    shards[number] = std::move(shard);
    return Status();
  };
  SHARDINE_RETURN_IF_ERROR(plan.ForEachShard(describe));
  return shards;
}

enum class FoundPlan { kNothing, kThisPlan, kEarlierPlan };

PlanLists ListsOf(const DatasetPlan& planned) {
  const SourceSet& source = planned.plan.source();
  return {.bad = source.bad, .ignored = source.ignored, .kept = planned.kept};
}

Result<bool> HasLists(const PlanFile& plan, const PlanLists& lists) {
  const auto there = plan.ReadLists();
  if (there.status().code() == Code::kCorrupt) return false;
  if (!there.ok()) return there.status();
  return EncodePlanLists(*there) == EncodePlanLists(lists);
}

// Finds the file with the name that the plan is to get.
Result<FoundPlan> FindPlan(Storage& storage, const std::string& path,
                           const PlanHead& head, const PlanLists& lists,
                           const std::vector<PlanShard>& shards,
                           const Job& job) {
  const auto there = storage.Stat(path);
  if (there.status().code() == Code::kNotFound) return FoundPlan::kNothing;
  if (!there.ok()) return there.status();
  const auto plan = PlanFile::Open(storage, path, job.formats);
  if (plan.status().code() == Code::kIo ||
      plan.status().code() == Code::kRemote) {
    return plan.status();
  }
  // A plan of an earlier version is replaced, since nobody can use it.
  if (plan.status().code() == Code::kChanged) return FoundPlan::kEarlierPlan;
  if (!plan.ok() || (*plan)->head().made != head.made ||
      (*plan)->head().pack.output != head.pack.output) {
    return Status(Code::kAlreadyExists,
                  "is there and is no plan of this command; choose another "
                  "name, or remove it")
        .At({.path = path});
  }
  const auto is_same = [](const PlanShard& a, const PlanShard& b) {
    return a.planned.digest == b.planned.digest && a.facts == b.facts;
  };
  const bool same = EncodePlanHead((*plan)->head()) == EncodePlanHead(head) &&
                    std::ranges::equal((*plan)->shards(), shards, is_same);
  if (!same) return FoundPlan::kEarlierPlan;
  SHARDINE_ASSIGN_OR_RETURN(const bool same_lists, HasLists(**plan, lists));
  return same_lists ? FoundPlan::kThisPlan : FoundPlan::kEarlierPlan;
}

// The contents of the output are only reported: planning changes nothing there,
// and the tasks go on with them. Returns the warnings.
Result<std::vector<std::string>> LookAtOutput(const TasksToWrite& tasks) {
  const OutputFolder& output = tasks.output;
  SHARDINE_ASSIGN_OR_RETURN(
      const OutputState state,
      OutputState::Of(output, tasks.planned, tasks.judged));
  if (state.is_complete()) {
    return std::vector{"the output is complete already: the tasks have " +
                       std::string("nothing to do")};
  }
  // Tasks make shards again, and no other file.
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    const auto& lost = state.variants[i].lost;
    if (std::ranges::find(lost, kIgnoredName) == lost.end()) continue;
    return LostFile(
        output.Below(tasks.planned.variants[i].folder).PathOf(kIgnoredName));
  }
  const auto folders = state.IncompleteFolders(tasks.planned);
  SHARDINE_RETURN_IF_ERROR(
      Journal::Check(output, JournalWork(tasks.planned), folders));
  return std::vector<std::string>();
}

// With their numbers in the input in front, if there is one.
std::string RowsOfShard(const TasksToWrite& tasks, const PlannedShard& shard) {
  const ShardPlan& plan = tasks.planned.plan;
  std::string rows;
  if (tasks.input != nullptr) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < shard.count; ++i) {
      numbers.push_back(tasks.input->NumberOf(plan.SampleAt(shard, i)));
    }
    rows = EncodePlanNumbers(numbers);
  }
  return rows + EncodePlanRows(plan, shard);
}

Result<std::uint64_t> Write(Storage& storage, const TasksToWrite& tasks,
                            const PlanLists& lists,
                            std::vector<PlanShard> shards,
                            const std::stop_token& stop) {
  OwnAttempt own(storage, tasks.path);
  SHARDINE_ASSIGN_OR_RETURN(
      PlanFileWriter writer,
      PlanFileWriter::Begin(own, tasks.path, tasks.head, lists));
  for (PlanShard& shard : shards) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    const std::string rows = RowsOfShard(tasks, shard.planned);
    SHARDINE_RETURN_IF_ERROR(writer.Add(std::move(shard), rows));
  }
  SHARDINE_RETURN_IF_ERROR(writer.Finish());
  return writer.bytes();
}

}  // namespace

PlanHead HeadOf(const std::string& output, const DatasetPlan& planned,
                std::uint64_t task_bytes, const Job& job) {
  const SourceSet& source = planned.plan.source();
  PlanHead head;
  head.tool_version = Version();
  head.codec_versions = planned.codec_versions;
  head.made = planned.made;
  head.shards_per_task = ShardsPerTask(planned.plan.shards().size(),
                                       planned.plan.bytes(), task_bytes);
  head.pack.output = PathForAll(job, output);
  head.plan_digest = planned.plan.digest();
  for (const std::string& root : source.roots) {
    head.roots.push_back(PathForAll(job, root));
  }
  head.splits = source.splits;
  head.classes = source.classes;
  head.text_fields = source.text_fields;
  head.categories = source.categories;
  head.columns = source.columns;
  head.has_boxes = !source.boxes.empty();
  return head;
}

PlanHead HeadOfPack(const PackOptions& pack, const DatasetPlan& planned,
                    std::uint64_t task_bytes, const Job& job) {
  PlanHead head = HeadOf(pack.output, planned, task_bytes, job);
  std::string output_for_all = std::move(head.pack.output);
  head.pack = pack;
  head.pack.source = {};
  head.pack.output = std::move(output_for_all);
  return head;
}

Result<TaskPlan> WritePlan(const TasksToWrite& tasks, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(Storage* const storage,
                            OutputStorageFor(job, tasks.path));
  const ShardPlan& plan = tasks.planned.plan;
  const PlanLists lists = ListsOf(tasks.planned);
  SHARDINE_ASSIGN_OR_RETURN(std::vector<PlanShard> shards, ShardsOf(plan));
  SHARDINE_ASSIGN_OR_RETURN(
      const FoundPlan there,
      FindPlan(*storage, tasks.path, tasks.head, lists, shards, job));
  const std::uint64_t each = tasks.head.shards_per_task;
  TaskPlan result{.plan = tasks.path,
                  .tasks = (shards.size() + each - 1) / each,
                  .shards = shards.size(),
                  .shards_per_task = each,
                  .samples = plan.source().samples.size(),
                  .bytes = plan.bytes(),
                  .warnings = tasks.planned.warnings};
  if (there == FoundPlan::kThisPlan) {
    // Its tasks may be at work.
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage->Stat(tasks.path));
    result.plan_bytes = info.size;
    return result;
  }
  SHARDINE_ASSIGN_OR_RETURN(const auto found, LookAtOutput(tasks));
  result.warnings.insert(result.warnings.end(), found.begin(), found.end());
  SHARDINE_ASSIGN_OR_RETURN(
      result.plan_bytes,
      Write(*storage, tasks, lists, std::move(shards), job.stop));
  return result;
}

}  // namespace shardine
