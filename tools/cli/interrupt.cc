#include "cli/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <string>
#include <system_error>

#include "cli/exit_code.h"

namespace shardine {
namespace {

// Wakes the watching thread when the work has ended; ours alone, since it is
// blocked and sent to that thread only.
constexpr int kWake = SIGUSR1;

constexpr timespec kPatience = {1, 500'000'000};

bool Ignored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

// Says so only if that cannot block: a terminal may be stopped, a pipe full.
[[noreturn]] void EndAtOnce() {
  const std::string text =
      std::string("\nshardine: ") + kInterruptedMessage + "\n";
  pollfd error = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&error, 1, 0) == 1 && (error.revents & POLLOUT) != 0) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    static_cast<void>(written);
  }
  _exit(static_cast<int>(ExitCode::kInterrupted));
}

}  // namespace

InterruptWatcher::InterruptWatcher() {
  sigemptyset(&signals_);
  sigaddset(&signals_, kWake);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!Ignored(signal)) sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  try {
    thread_ =
        std::jthread([this](const std::stop_token& ended) { Watch(ended); });
  } catch (const std::system_error&) {
    // Without a thread that waits for them signals have their default action,
    // after which work can be resumed as well.
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  }
}

InterruptWatcher::~InterruptWatcher() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), kWake);
  thread_.join();
  pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
}

void InterruptWatcher::Watch(const std::stop_token& ended) {
  int signal = 0;
  if (sigwait(&signals_, &signal) != 0 || ended.stop_requested()) return;
  stop_.request_stop();
  int woken = 0;
  do {
    woken = sigtimedwait(&signals_, nullptr, &kPatience);
  } while (woken < 0 && errno == EINTR);
  if (!ended.stop_requested()) EndAtOnce();
}

}  // namespace shardine
