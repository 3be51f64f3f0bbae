// Ctrl-C and SIGTERM as a stop request, so that work ends where it can go on.
#ifndef SHARDINE_CLI_INTERRUPT_H_
#define SHARDINE_CLI_INTERRUPT_H_

#include <csignal>
#include <stop_token>
#include <thread>

namespace shardine {

// From construction to destruction the first such signal requests a stop. If
// the work has not ended 1.5 s later, or at the next signal, the process ends
// with 130: work can be resumed from the files on disk then, too. A signal that
// the caller had ignored stays ignored.
//
// One at a time, and made before any thread: it blocks the signals for all
// threads to come. Where the system has no thread for it, such a signal ends
// the process.
class InterruptWatcher {
 public:
  InterruptWatcher();
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

  std::stop_token stop_token() const { return stop_.get_token(); }

 private:
  void Watch(const std::stop_token& ended);

  sigset_t signals_;
  std::stop_source stop_;
  std::jthread thread_;
};

// The message that a user reads after exit code 130.
inline constexpr char kInterruptedMessage[] =
    "interrupted; run the same command again to go on";

}  // namespace shardine

#endif  // SHARDINE_CLI_INTERRUPT_H_
