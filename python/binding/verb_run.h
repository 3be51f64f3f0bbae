// RunVerb: a verb of the library as Python runs it: interruptible, with its
// progress told, without the interpreter's lock.
#ifndef SHARDINE_BINDING_VERB_RUN_H_
#define SHARDINE_BINDING_VERB_RUN_H_

#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "binding/bindings.h"
#include "binding/interruptible.h"
#include "shardine/job.h"

namespace shardine::binding {

// The latest progress, from the threads that work to the one that tells: the
// threads that work never wait for Python. Thread-safe.
class LatestProgress {
 public:
  void Set(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    latest_ = progress;
  }

  // Calls `tell` with the progress set since the last call, if there is any.
  // REQUIRES: the GIL is held.
  void Tell(const nb::object& tell);

 private:
  std::mutex mutex_;
  std::optional<Progress> latest_;  // guarded by mutex_
};

// Returns the result of work(job), or raises its exception. `tell` is None or a
// function of a shardine.Progress, called on this thread at most every
// kSignalInterval, and once more at the end of work that succeeds; its
// exception ends the work as Ctrl-C does. REQUIRES: the GIL is held.
template <typename Work>
auto RunVerb(const nb::object& tell, const Work& work) {
  LatestProgress latest;
  const ProgressFunction set = [&latest](const Progress& progress) {
    latest.Set(progress);
  };
  const bool is_told = !tell.is_none();
  auto result = Interruptible(
      [&](const std::stop_token& stop) {
        return work(
            Job{.progress = is_told ? set : ProgressFunction(), .stop = stop});
      },
      [&] { latest.Tell(tell); });
  if (!result.ok()) Raise(result.status());
  latest.Tell(tell);
  return *std::move(result);
}

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_VERB_RUN_H_
