#include <algorithm>
#include <filesystem>
#include <list>
#include <utility>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/path_scheme.h"
#include "io/storage_for.h"
#include "pack/dataset_state.h"
#include "pack/journal.h"
#include "pack/leftovers.h"
#include "pack/pack_plan.h"
#include "pack/shard_notes.h"
#include "shardine/tasks.h"
#include "shardine/version.h"
#include "source/source_set.h"
#include "tasks/plan_file.h"
#include "tasks/plan_rows.h"

namespace shardine {
namespace {

constexpr std::uint64_t kTaskBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kTaskShards = 4;

// Other processes have other working folders. In a storage of the job's own all
// paths are whole. What ".." leads to is the system's business: a folder before
// it may be a link.
std::string PathForAll(const Job& job, std::string path) {
  if (job.storage != nullptr || !SchemeOf(path).empty()) return path;
  while (path.starts_with("./")) path.erase(0, 2);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty() || path == ".") {
    return std::filesystem::current_path().string();
  }
  return std::filesystem::absolute(path).string();
}

// As many to a task as have that many bytes, if all have as many.
std::uint64_t ShardsPerTask(const ShardPlan& plan, std::uint64_t task_bytes) {
  const std::uint64_t shards = plan.shards().size();
  const std::uint64_t mean = std::max<std::uint64_t>(plan.bytes() / shards, 1);
  const std::uint64_t wanted = task_bytes == 0 ? kTaskBytes : task_bytes;
  const std::uint64_t least = task_bytes == 0 ? kTaskShards : 1;
  return std::clamp<std::uint64_t>(wanted / mean, least,
                                   std::max(least, shards));
}

PlanHead HeadOf(const TaskPlanOptions& options, const DatasetPlan& planned,
                const Job& job) {
  const SourceSet& source = planned.plan.source();
  PlanHead head{
      .tool_version = Version(),
      .kind = TaskKind::kPack,
      .codec_versions = planned.codec_versions,
      .made = planned.made,
      .shards_per_task = ShardsPerTask(planned.plan, options.task_bytes),
      .pack = options.pack,
      .plan_digest = planned.plan.digest(),
      .roots = {},
      .splits = source.splits,
      .classes = source.classes,
      .bad = source.bad,
      .has_boxes = !source.boxes.empty()};
  head.pack.source = {};
  head.pack.output = PathForAll(job, options.pack.output);
  for (const std::string& root : source.roots) {
    head.roots.push_back(PathForAll(job, root));
  }
  return head;
}

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

enum class There { kNothing, kThisPlan, kEarlierPlan };

// What has the name that the plan is to get.
Result<There> FindPlan(Storage& storage, const std::string& path,
                       const PlanHead& head,
                       const std::vector<PlanShard>& shards, const Job& job) {
  const auto there = storage.Stat(path);
  if (there.status().code() == Code::kNotFound) return There::kNothing;
  if (!there.ok()) return there.status();
  const auto plan = PlanFile::Open(storage, path, job.formats);
  if (plan.status().code() == Code::kIo ||
      plan.status().code() == Code::kRemote) {
    return plan.status();
  }
  // One of an earlier version is replaced, as what nobody can use.
  if (plan.status().code() == Code::kChanged) return There::kEarlierPlan;
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
  return same ? There::kThisPlan : There::kEarlierPlan;
}

// What earlier runs and plans left of shards that are to be others goes.
Status TakeOutput(const OutputFolder& output, const DatasetPlan& planned,
                  const Judgement& judged, const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(auto complete,
                            FindComplete(output, planned, judged));
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < complete.size(); ++i) {
    if (!complete[i]) folders.push_back(planned.variants[i].folder);
  }
  if (folders.empty()) return Status();
  SHARDINE_ASSIGN_OR_RETURN(const Journal journal,
                            Journal::Begin(output, planned, folders));
  std::list<ShardPublisher> publishers;
  for (const PlannedVariant& variant : planned.variants) {
    publishers.emplace_back(output, planned, variant);
  }
  return ClearLeftovers(
             {output, planned, judged, journal.resumed(), publishers}, complete,
             job.stop)
      .status();
}

Result<std::uint64_t> Write(Storage& storage, const std::string& path,
                            const PlanHead& head, const ShardPlan& plan,
                            std::vector<PlanShard> shards,
                            const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(PlanFileWriter writer,
                            PlanFileWriter::Begin(storage, path, head));
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    SHARDINE_RETURN_IF_ERROR(writer.Add(
        std::move(shards[i]), EncodePlanRows(plan, plan.shards()[i])));
  }
  SHARDINE_RETURN_IF_ERROR(writer.Finish());
  return writer.bytes();
}

// A file of somebody else's in a dataset would be found by every verification.
Status CheckPlace(const std::string& plan, const std::string& output) {
  if (plan != output && !plan.starts_with(output + "/")) return Status();
  return Status(Code::kInvalidArgument,
                "the plan cannot lie in the output; choose another place")
      .At({.path = plan});
}

}  // namespace

Result<TaskPlan> PlanTasks(const TaskPlanOptions& options, const Job& job) {
  const StopScope scope(job.stop);
  const PackOptions& pack = options.pack;
  SHARDINE_RETURN_IF_ERROR(
      CheckPlace(PathForAll(job, options.plan), PathForAll(job, pack.output)));
  SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const sources,
                            StorageFor(job, FirstPath(pack.source)));
  SHARDINE_ASSIGN_OR_RETURN(const OutputFolder output,
                            OutputFolder::Of(job, pack.output));
  SHARDINE_ASSIGN_OR_RETURN(Storage* const storage,
                            OutputStorageFor(job, options.plan));
  SHARDINE_ASSIGN_OR_RETURN(const DatasetPlan planned,
                            MakePackPlan(*sources, output, pack, job.formats));
  const PlanHead head = HeadOf(options, planned, job);
  SHARDINE_ASSIGN_OR_RETURN(std::vector<PlanShard> shards,
                            ShardsOf(planned.plan));
  SHARDINE_ASSIGN_OR_RETURN(
      const There there, FindPlan(*storage, options.plan, head, shards, job));
  const PackPlan described = DescribePlan(output, planned, pack);
  const std::uint64_t each = head.shards_per_task;
  TaskPlan result{.plan = options.plan,
                  .tasks = (shards.size() + each - 1) / each,
                  .shards = shards.size(),
                  .shards_per_task = each,
                  .samples = described.samples,
                  .bytes = described.bytes,
                  .ignored = described.ignored,
                  .warnings = planned.warnings};
  if (there == There::kThisPlan) {
    // Its tasks may be at work.
    SHARDINE_ASSIGN_OR_RETURN(const FileInfo info, storage->Stat(options.plan));
    result.plan_bytes = info.size;
    return result;
  }
  SHARDINE_RETURN_IF_ERROR(
      TakeOutput(output, planned, {pack.on_bad, EffectiveCheck(pack)}, job));
  SHARDINE_ASSIGN_OR_RETURN(result.plan_bytes,
                            Write(*storage, options.plan, head, planned.plan,
                                  std::move(shards), job.stop));
  return result;
}

}  // namespace shardine
