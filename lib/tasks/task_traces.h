// Traces of attempts at tasks in OUT/.pack, to watch the work by: signs of life
// and failures. No task, and no dataset, depends on them. Layout:
// tasks/FORMAT.md, "Traces".
#ifndef SHARDINE_TASKS_TASK_TRACES_H_
#define SHARDINE_TASKS_TASK_TRACES_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "io/output_folder.h"
#include "shardine/status.h"
#include "shardine/tasks.h"

namespace shardine {

// OUT/.pack/task-<k>.<attempt>.running, written again and again for as long as
// it lives. Thread-safe. A sign of life that cannot be written is left out.
class Heartbeat {
 public:
  // The storage of `output` must outlive it.
  Heartbeat(const OutputFolder& output, std::uint64_t task,
            const std::string& attempt, std::uint64_t samples_total,
            std::chrono::duration<double> every);
  ~Heartbeat();  // the file is gone then

  void Report(std::uint64_t samples) { samples_ = samples; }
  void Add(std::uint64_t samples) { samples_ += samples; }

 private:
  void Beat(const std::stop_token& stop);
  void Write();

  const OutputFolder output_;
  const std::string path_;
  const std::chrono::duration<double> every_;
  const std::chrono::steady_clock::time_point begun_ =
      std::chrono::steady_clock::now();
  RunningTask task_;
  std::atomic<std::uint64_t> samples_ = 0;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // the last member: it uses the others
};

// How an attempt ended: OUT/.pack/task-<k>.failed has a failure until one
// succeeds; a cancelled attempt changes nothing. Best effort.
void SaveEnd(const OutputFolder& output, std::uint64_t task,
             const Status& status);

// nullopt: the text is not one of these.
std::optional<RunningTask> ParseRunningTask(std::string_view text);
std::optional<FailedTask> ParseFailedTask(std::string_view text);

// Whether a file of OUT/.pack is one of these.
bool IsHeartbeatName(std::string_view name);
bool IsFailureName(std::string_view name);

inline constexpr std::uint64_t kMaxTrace = std::uint64_t{1} << 20;  // bytes

}  // namespace shardine

#endif  // SHARDINE_TASKS_TASK_TRACES_H_
