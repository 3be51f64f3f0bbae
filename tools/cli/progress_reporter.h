// Says on standard error how far the work has come: one line written over and
// over on a terminal, as wide as that is at the moment; else, or where TERM is
// "dumb", a line with the time of day every ten seconds.
#ifndef SHARDINE_CLI_PROGRESS_REPORTER_H_
#define SHARDINE_CLI_PROGRESS_REPORTER_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "shardine/progress.h"
#include "shardine/status.h"

namespace shardine {

// From here on no reporter of this process prints anything.
void SilenceProgress();

// From here on reporters append to this file: each second, and when the work
// has ended, a line with a JSON object. A quiet process does so, too. kIo: it
// cannot be opened. kInvalidArgument: it has other contents.
Status WriteProgressTo(const std::string& path);

// Thread-safe.
class ProgressReporter {
 public:
  // Prints `first` at once; from the first report on it prints `doing`.
  ProgressReporter(const std::string& first, std::string doing);
  ~ProgressReporter() { Stop(); }

  void Report(const Progress& progress);
  ProgressFunction function() {
    return [this](const Progress& progress) { Report(progress); };
  }

  // A line that stays.
  void Say(const std::string& line) const;
  SayFunction say() {
    return [this](const std::string& line) { Say(line); };
  }

  // Wipes the line; nothing is printed after it.
  void Stop();
  // Since construction.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;

  void Run(const std::stop_token& stop);
  bool SayNext(const std::stop_token& stop);
  std::size_t Columns() const;
  void Print(const std::string& line, bool stays = false) const;
  void Write(const Progress& now, bool ended) const;
  Clock::duration Pause() const;

  const std::string doing_;
  const bool terminal_;
  const Clock::time_point begin_ = Clock::now();

  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool reported_ = false;         // guarded by mutex_
  Progress first_;                // guarded by mutex_: not this run's work
  Clock::time_point first_time_;  // guarded by mutex_
  Progress last_;                 // guarded by mutex_
  Clock::time_point next_line_;   // of the thread alone
  Clock::time_point next_object_ = begin_;  // of the thread alone

  std::jthread thread_;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_PROGRESS_REPORTER_H_
