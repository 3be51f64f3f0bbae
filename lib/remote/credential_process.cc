#include "remote/credential_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "base/variable_block.h"
#include "remote/credential_services.h"
#include "remote/secret.h"

namespace shardine {
namespace {

constexpr char kProgram[] = "credential_process";
constexpr std::size_t kMaxPrinted = 1 << 20;
constexpr int kLookAfterMs = 100;

// Ends a process and all that it started: a shell may wait for a program. They
// stay in the group of this process, since they may ask at the terminal.
void EndTree(pid_t process) {
  const std::string number = std::to_string(process);
  std::ifstream children("/proc/" + number + "/task/" + number + "/children");
  std::vector<pid_t> started;
  for (pid_t child = 0; children >> child;) started.push_back(child);
  ::kill(process, SIGKILL);
  for (const pid_t child : started) EndTree(child);
}

// A program that was started, and its output.
class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (output_ >= 0) ::close(output_);
    if (process_ <= 0) return;
    EndTree(process_);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  Status Start(const Environment& environment, std::string command) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      return Status::FromErrno(errno, "start", kProgram);
    }
    output_ = ends[0];
    const VariableBlock variables(environment);
    std::string shell = "sh";
    std::string flag = "-c";
    char* const words[] = {shell.data(), flag.data(), command.data(), nullptr};
    const int error = Spawn(ends[1], words, variables.data());
    ::close(ends[1]);
    return error == 0 ? Status() : Status::FromErrno(error, "start", kProgram);
  }

  // All that it prints.
  Result<SecretText> Read() const {
    SecretText text(kMaxPrinted, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
      if (CurrentStop().stop_requested()) {
        return Status(Code::kCancelled, "reading was stopped");
      }
      pollfd waiting{.fd = output_, .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, kLookAfterMs) <= 0) continue;
      const ssize_t got =
          ::read(output_, text.data() + size, text.size() - size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return text;
  }

  // Waits for its end. 0 as well where the system keeps no status.
  Result<int> ExitStatus() {
    ::close(std::exchange(output_, -1));  // ends one that prints more
    int status = 0;
    for (;;) {
      const pid_t ended = ::waitpid(process_, &status, WNOHANG);
      if (ended == process_ || (ended < 0 && errno != EINTR)) {
        process_ = 0;
        return ended < 0 ? 0 : status;
      }
      if (CurrentStop().stop_requested()) {
        return Status(Code::kCancelled, "reading was stopped");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

 private:
  int Spawn(int output, char* const* words, char* const* variables) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    const int error = ::posix_spawn(&process_, "/bin/sh", &actions, &attributes,
                                    words, variables);
    if (error != 0) process_ = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }

  int output_ = -1;
  pid_t process_ = 0;
};

}  // namespace

Result<FetchedCredentials> CredentialsOfProcess(const Environment& environment,
                                                const std::string& command) {
  Program program;
  SHARDINE_RETURN_IF_ERROR(program.Start(environment, command));
  SHARDINE_ASSIGN_OR_RETURN(const SecretText text, program.Read());
  SHARDINE_ASSIGN_OR_RETURN(const int status, program.ExitStatus());
  if (status != 0) {
    return Status(Code::kFailed, "the program of the profile failed")
        .At({.path = kProgram});
  }
  return ParseCredentials(text, kProgram);
}

}  // namespace shardine
