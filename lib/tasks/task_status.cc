#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/status_macros.h"
#include "io/output_names.h"
#include "pipeline/parallel_for.h"
#include "tasks/dataset_tasks.h"
#include "tasks/status_parts.h"
#include "tasks/task_folder.h"
#include "tasks/task_traces.h"
#include "tasks/task_waits.h"

namespace shardine {
namespace {

// A process that was silent for so long counts for nothing.
constexpr double kLost = 120;

double SecondsSince(std::int64_t time_ns) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now);
  // A clock that is ahead, such as a server's, must not make a task look
  // silent.
  return std::max(0.0, static_cast<double>(ns.count() - time_ns) / 1e9);
}

// Which shards are done; a failure that says nothing of that ends the search.
Result<std::vector<char>> FindDone(const TaskFolder& folder) {
  const std::vector<PlanShard>& shards = folder.plan().shards();
  std::vector<char> done(shards.size(), 0);
  SHARDINE_RETURN_IF_ERROR(ParallelFor(
      shards.size(), WaitingThreads(folder.output()), [&](std::size_t i) {
        const Status found = folder.FindDone(shards[i]).status();
        done[i] = found.ok() ? 1 : 0;
        return found.code() == Code::kIo || found.code() == Code::kRemote
                   ? found
                   : Status();
      }));
  return done;
}

// Which shards of a complete dataset lack no file.
Result<std::vector<char>> FindWhole(const TaskFolder& folder,
                                    const OutputState& state) {
  std::vector<char> whole(folder.plan().shards().size(), 1);
  for (std::uint64_t task = 0; task < folder.plan().tasks(); ++task) {
    for (const std::size_t shard : folder.LostShards(state, task)) {
      whole[shard] = 0;
    }
  }
  return whole;
}

// Reads traces of attempts at tasks that are not done. Absent and invalid
// traces are left out: their writers go on meanwhile.
Status ReadTraces(const OutputFolder& output, TaskStatus& status) {
  ReadableStorage& storage = output.storage();
  const auto entries = storage.List(output.PathOf(kWorkFolder));
  if (entries.status().code() == Code::kNotFound) return Status();
  if (!entries.ok()) return entries.status();
  const auto is_missing = [&](std::uint64_t task) {
    return std::ranges::binary_search(status.missing, task);
  };
  for (const DirEntry& entry : *entries) {
    const bool failure = IsFailureName(entry.name);
    if (!failure && !IsHeartbeatName(entry.name)) continue;
    const std::string path = output.WorkPath(entry.name);
    const auto text = ReadFile(storage, path, kMaxTrace);
    const auto info = storage.Stat(path);
    if (!text.ok() || !info.ok()) continue;
    if (failure) {
      auto failed = ParseFailedTask(*text);
      if (failed && is_missing(failed->task)) {
        status.failed.push_back(*std::move(failed));
      }
      continue;
    }
    auto running = ParseRunningTask(*text);
    if (!running || !is_missing(running->task)) continue;
    running->silent = SecondsSince(info->mtime_ns);
    status.running.push_back(*std::move(running));
  }
  std::ranges::sort(status.failed, {}, &FailedTask::task);
  std::ranges::sort(status.running, [](const auto& a, const auto& b) {
    return std::pair(a.task, a.silent) < std::pair(b.task, b.silent);
  });
  return Status();
}

// By the samples a second of those that are heard of.
void Estimate(TaskStatus& status) {
  double rate = 0;
  std::map<std::uint64_t, std::uint64_t> under_way;  // samples, by task
  for (const RunningTask& task : status.running) {
    if (task.silent > kLost || task.seconds <= 0) continue;
    rate += static_cast<double>(task.samples) / task.seconds;
    std::uint64_t& most = under_way[task.task];
    most = std::max(most, std::min(task.samples, task.samples_total));
  }
  std::uint64_t done = status.samples_done;
  for (const auto& [task, samples] : under_way) done += samples;
  if (rate <= 0 || done > status.samples) return;
  status.seconds_left = static_cast<double>(status.samples - done) / rate;
}

}  // namespace

MissingTasks FindMissing(const PlanFile& plan,
                         const std::vector<Status>& failures) {
  MissingTasks missing;
  for (std::uint64_t task = 0; task < plan.tasks(); ++task) {
    const PlanFile::Range range = plan.ShardsOf(task);
    for (std::size_t i = range.first; i < range.last; ++i) {
      if (failures[i].ok()) continue;
      if (missing.numbers.empty()) missing.first = failures[i].ToString();
      missing.numbers.push_back(task);
      break;
    }
  }
  return missing;
}

Status FillStatus(const PlanFile& plan, const OutputFolder& output,
                  const std::vector<char>& done, TaskStatus& status) {
  status.tasks = plan.tasks();
  status.samples = plan.samples();
  for (std::uint64_t task = 0; task < plan.tasks(); ++task) {
    const PlanFile::Range range = plan.ShardsOf(task);
    bool all = true;
    for (std::size_t i = range.first; i < range.last; ++i) {
      all = all && done[i] != 0;
      if (done[i] != 0) status.samples_done += plan.shards()[i].planned.count;
    }
    status.done += all ? 1 : 0;
    if (!all) status.missing.push_back(task);
  }
  SHARDINE_RETURN_IF_ERROR(ReadTraces(output, status));
  if (status.missing.empty()) {
    status.seconds_left = 0;
  } else {
    Estimate(status);
  }
  return Status();
}

Result<TaskStatus> StatusOfDatasetTasks(std::unique_ptr<PlanFile> plan,
                                        const Job& job) {
  SHARDINE_ASSIGN_OR_RETURN(const TaskFolder folder,
                            TaskFolder::Open(std::move(plan), job));
  const PlanFile& file = folder.plan();
  TaskStatus status{.tasks = file.tasks(), .samples = file.samples()};
  SHARDINE_ASSIGN_OR_RETURN(const OutputState state, folder.FindState());
  status.finalized = state.is_complete();
  if (status.finalized) {
    status.done = status.tasks;
    status.samples_done = status.samples;
    status.seconds_left = 0;
    return status;
  }
  SHARDINE_ASSIGN_OR_RETURN(
      const std::vector<char> done,
      state.has_all_manifests() ? FindWhole(folder, state) : FindDone(folder));
  SHARDINE_RETURN_IF_ERROR(FillStatus(file, folder.output(), done, status));
  return status;
}

}  // namespace shardine
