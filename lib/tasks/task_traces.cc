#include "tasks/task_traces.h"

#include <unistd.h>

#include <exception>
#include <nlohmann/json.hpp>

#include "io/atomic_file.h"
#include "shardine/escape.h"
#include "shardine/status_words.h"

namespace shardine {
namespace {

using nlohmann::json;

constexpr std::string_view kRunning = ".running";
constexpr std::string_view kFailed = ".failed";

std::string NameOf(std::uint64_t task) {
  return "task-" + std::to_string(task);
}

std::string FailurePath(const OutputFolder& output, std::uint64_t task) {
  return output.WorkPath(NameOf(task) + std::string(kFailed));
}

std::string HostName() {
  char host[256] = {};
  static_cast<void>(gethostname(host, sizeof host - 1));
  return host;
}

// A member that is a number, if there is one.
template <typename T>
bool GetNumber(const json& root, const char* name, T& number) {
  const auto found = root.find(name);
  if (found == root.end() || !found->is_number()) return false;
  if constexpr (std::is_integral_v<T>) {
    if (!found->is_number_unsigned()) return false;
  }
  number = found->template get<T>();
  return number >= 0;
}

bool GetText(const json& root, const char* name, std::string& text) {
  const auto found = root.find(name);
  if (found == root.end() || !found->is_string()) return false;
  auto plain = UnescapeBytes(found->get_ref<const std::string&>());
  if (!plain) return false;
  text = *std::move(plain);
  return true;
}

}  // namespace

Heartbeat::Heartbeat(const OutputFolder& output, std::uint64_t task,
                     const std::string& attempt, std::uint64_t samples_total,
                     std::chrono::duration<double> every)
    : output_(output),
      path_(output.WorkPath(NameOf(task) + "." + attempt +
                            std::string(kRunning))),
      every_(every),
      task_{.task = task,
            .host = HostName(),
            .process = static_cast<std::uint64_t>(getpid()),
            .samples_total = samples_total},
      thread_([this](const std::stop_token& stop) { Beat(stop); }) {}

Heartbeat::~Heartbeat() {
  thread_.request_stop();
  thread_.join();
  static_cast<void>(output_.Remove(path_));
}

void Heartbeat::Beat(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  do {
    try {
      Write();
    } catch (const std::exception&) {  // no memory for it now
    }
  } while (!stopped_.wait_for(lock, stop, every_,
                              [&] { return stop.stop_requested(); }));
}

void Heartbeat::Write() {
  task_.samples = samples_;
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begun_;
  const json root = {
      {"host", EscapeBytes(task_.host)}, {"process", task_.process},
      {"samples", task_.samples},        {"samples_total", task_.samples_total},
      {"seconds", seconds.count()},      {"task", task_.task}};
  auto file = AtomicFile::Create(output_.storage(), path_);
  if (!file.ok() || !file->Append(AsBytes(root.dump() + "\n")).ok()) return;
  static_cast<void>(file->PublishUnsynced());
}

void SaveEnd(const OutputFolder& output, std::uint64_t task,
             const Status& status) {
  if (status.code() == Code::kCancelled) return;
  if (status.ok()) {
    static_cast<void>(output.Remove(FailurePath(output, task)));
    return;
  }
  const json root = {{"code", WordOf(status.code())},
                     {"reason", EscapeBytes(status.ToString())},
                     {"task", task}};
  static_cast<void>(WriteFileAtomically(output.storage(),
                                        FailurePath(output, task),
                                        AsBytes(root.dump() + "\n")));
}

std::optional<RunningTask> ParseRunningTask(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  RunningTask task;
  if (!root.is_object() || !GetText(root, "host", task.host) ||
      !GetNumber(root, "process", task.process) ||
      !GetNumber(root, "samples", task.samples) ||
      !GetNumber(root, "samples_total", task.samples_total) ||
      !GetNumber(root, "seconds", task.seconds) ||
      !GetNumber(root, "task", task.task)) {
    return std::nullopt;
  }
  return task;
}

std::optional<FailedTask> ParseFailedTask(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  FailedTask task;
  if (!root.is_object() || !GetText(root, "code", task.code) ||
      !GetText(root, "reason", task.reason) ||
      !GetNumber(root, "task", task.task)) {
    return std::nullopt;
  }
  return task;
}

bool IsHeartbeatName(std::string_view name) {
  return name.starts_with("task-") && name.ends_with(kRunning);
}

bool IsFailureName(std::string_view name) {
  return name.starts_with("task-") && name.ends_with(kFailed);
}

}  // namespace shardine
