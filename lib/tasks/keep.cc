#include "shardine/keep.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "dataset/sample_source.h"
#include "pack/journal.h"
#include "pipeline/processor_share.h"
#include "pipeline/worker_group.h"
#include "shardine/environment.h"
#include "shardine/escape.h"
#include "tasks/dataset_tasks.h"
#include "tasks/kept_plan.h"
#include "tasks/kept_shards.h"
#include "tasks/shard_turns.h"

namespace shardine {
namespace {

// Between two looks for shards that other ranks have finished: longer each
// time, since a look may ask a shared disk for many files.
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{5000};

Result<std::uint32_t> SplitOf(const KeptPlan& plan, const std::string& wanted) {
  const std::vector<std::string>& splits = plan.planned().plan.source().splits;
  std::vector<bool> has_shards(splits.size());
  for (const PlannedShard& shard : plan.planned().plan.shards()) {
    has_shards[shard.split] = true;
  }
  std::string names;
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < splits.size(); ++i) {
    if (!has_shards[i]) continue;
    names += (names.empty() ? "" : ", ") + EscapeBytes(splits[i]);
    if (wanted.empty() || wanted == splits[i]) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  return Status(Code::kInvalidArgument,
                (wanted.empty() ? "there are several splits, name one of them: "
                                : "no split \"" + EscapeBytes(wanted) +
                                      "\"; there are: ") +
                    names)
      .At({.path = plan.output().path()});
}

unsigned PackingThreads(const PackOptions& pack) {
  if (pack.threads > 0) return pack.threads;
  return std::max(ThreadCount(0) / 4, 1U);
}

Result<std::shared_ptr<const Dataset>> OpenComplete(const KeptPlan& plan,
                                                    const std::string& split) {
  SHARDINE_ASSIGN_OR_RETURN(
      auto source,
      SampleSource::Open(plan.output().storage(), plan.output().path(),
                         {.split = split}, {}, plan.job().formats));
  return std::make_shared<const Dataset>(std::move(source));
}

// A kill may have come between the manifest and the removal of the notes.
Status SweepComplete(const KeptPlan& plan, const Job& job) {
  const std::string journal = Journal::PathIn(plan.output());
  if (!plan.output().storage().Stat(journal).ok()) return {};
  SHARDINE_ASSIGN_OR_RETURN(auto file, plan.OpenPlan());
  return FinalizeDatasetTasks(std::move(file), {}, job).status();
}

}  // namespace

struct Keep::Parts {
  // The thread's work.
  void Run(const std::stop_token& stop);
  Status PackOwn(const std::stop_token& stop);
  Status Publish(const std::stop_token& stop);
  Result<bool> TryPublish(const std::stop_token& stop);
  bool AreAllDone(const std::stop_token& stop);
  Job JobOf(const std::stop_token& stop) const;
  void End(const Status& status);

  std::shared_ptr<const KeptPlan> plan;
  std::shared_ptr<ShardTurns> turns;
  std::shared_ptr<KeptShards> shards;  // null: complete from the beginning
  std::shared_ptr<const Dataset> dataset;
  Environment environment = Environment::Current();

  std::mutex mutex;
  std::condition_variable_any changed;
  // Guarded by mutex.
  Status failure;
  bool complete = false;
  bool ended = false;
  bool packs = true;       // its own part
  std::uint64_t done = 0;  // shards, of all ranks
  std::jthread thread;     // the first to go
};

Job Keep::Parts::JobOf(const std::stop_token& stop) const {
  return {.stop = stop,
          .formats = plan->job().formats,
          .storage = plan->job().storage};
}

Status Keep::Parts::PackOwn(const std::stop_token& stop) {
  TaskRunOptions run;
  run.threads = PackingThreads(plan->pack());
  while (const std::optional<std::size_t> shard = turns->Take()) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    if (!shards->IsDone(*shard)) {
      run.tasks = {*shard};  // a task is a shard
      SHARDINE_ASSIGN_OR_RETURN(auto file, plan->OpenPlan());
      SHARDINE_RETURN_IF_ERROR(
          RunDatasetTasks(std::move(file), run, JobOf(stop)).status());
      shards->IsDone(*shard);  // from now on it is read
    }
    const std::lock_guard lock(mutex);
    ++done;
    changed.notify_all();
  }
  return {};
}

bool Keep::Parts::AreAllDone(const std::stop_token& stop) {
  std::uint64_t found = 0;
  const std::size_t count = plan->planned().plan.shards().size();
  for (std::size_t i = 0; i < count && !stop.stop_requested(); ++i) {
    found += shards->IsDone(i) ? 1 : 0;
  }
  const std::lock_guard lock(mutex);
  if (found > done) {
    done = found;
    changed.notify_all();
  }
  return found == count;
}

// False: another rank is at it, or has yet to finish a shard.
Result<bool> Keep::Parts::TryPublish(const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(auto file, plan->OpenPlan());
  auto finalized = FinalizeDatasetTasks(std::move(file), {}, JobOf(stop));
  if (finalized.status().code() == Code::kAlreadyExists) return false;
  if (!finalized.ok()) return std::move(finalized).status();
  return finalized->result.has_value();
}

Status Keep::Parts::Publish(const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex);
    packs = false;
    changed.notify_all();
  }
  std::chrono::milliseconds pause = kFirstPause;
  while (true) {
    if (AreAllDone(stop)) {
      SHARDINE_ASSIGN_OR_RETURN(const bool published, TryPublish(stop));
      if (published) return {};
    }
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, pause, [] { return false; });
    pause = std::min(2 * pause, kLongestPause);
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
  }
}

void Keep::Parts::End(const Status& status) {
  if (status.ok()) shards->SetAllDone();
  const std::lock_guard lock(mutex);
  ended = true;
  complete = status.ok();
  if (status.code() != Code::kCancelled) failure = status;
  changed.notify_all();
}

void Keep::Parts::Run(const std::stop_token& stop) {
  const EnvironmentScope variables(environment);
  const StopScope scope(stop);
  End(Guarded([&] {
    SHARDINE_RETURN_IF_ERROR(PackOwn(stop));
    return Publish(stop);
  }));
}

Keep::Keep(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Keep::~Keep() { Stop(); }

Result<std::unique_ptr<Keep>> Keep::Begin(const KeepOptions& options,
                                          const Job& job) {
  const StopScope scope(job.stop);
  if (options.world == 0 || options.rank >= options.world) {
    return Status(Code::kInvalidArgument, "rank: is not below world");
  }
  auto parts = std::make_unique<Parts>();
  SHARDINE_ASSIGN_OR_RETURN(parts->plan, KeptPlan::Make(options.pack, job));
  SHARDINE_ASSIGN_OR_RETURN(const std::uint32_t split,
                            SplitOf(*parts->plan, options.split));
  const ShardPlan& plan = parts->plan->planned().plan;
  if (parts->plan->is_complete()) {
    SHARDINE_RETURN_IF_ERROR(SweepComplete(*parts->plan, job));
    SHARDINE_ASSIGN_OR_RETURN(
        parts->dataset,
        OpenComplete(*parts->plan, plan.source().splits[split]));
    parts->complete = true;
    parts->ended = true;
    return std::unique_ptr<Keep>(new Keep(std::move(parts)));
  }
  SHARDINE_RETURN_IF_ERROR(parts->plan->Claim(job.stop));
  parts->turns = std::make_shared<ShardTurns>(
      ShardsOfRank(plan.shards(), split, options.rank, options.world));
  SHARDINE_ASSIGN_OR_RETURN(parts->shards,
                            KeptShards::Open(parts->plan, split, parts->turns));
  parts->dataset = std::make_shared<const Dataset>(
      SampleSource::Of(KeptShards::SourceOf(parts->shards)));
  Parts* const at_work = parts.get();
  SHARDINE_RETURN_IF_ERROR(Guarded([&] {
    parts->thread = std::jthread(
        [at_work](const std::stop_token& stop) { at_work->Run(stop); });
    return Status();
  }));
  return std::unique_ptr<Keep>(new Keep(std::move(parts)));
}

const std::shared_ptr<const Dataset>& Keep::dataset() const {
  return parts_->dataset;
}

Status Keep::failure() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->failure;
}

bool Keep::is_complete() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->complete;
}

Result<bool> Keep::Finish(std::chrono::nanoseconds patience,
                          const std::stop_token& stop) {
  Parts& parts = *parts_;
  std::unique_lock lock(parts.mutex);
  while (!parts.ended) {
    const std::uint64_t before = parts.done;
    const bool packs = parts.packs;
    const bool moved = parts.changed.wait_for(lock, stop, patience, [&] {
      return parts.ended || parts.packs != packs || parts.done != before;
    });
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    if (!moved && !packs) return false;
  }
  if (!parts.failure.ok()) return parts.failure;
  if (parts.complete) return true;
  return Status(Code::kCancelled, "packing was stopped");
}

void Keep::Stop() { parts_->thread.request_stop(); }

}  // namespace shardine
