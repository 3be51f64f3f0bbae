// The stop token of this thread's work, for waits far below it: a read from a
// server takes no token, and many calls stand between the read and the function
// that was asked to stop.
#ifndef SHARDINE_BASE_STOP_SCOPE_H_
#define SHARDINE_BASE_STOP_SCOPE_H_

#include <stop_token>

namespace shardine {

// From construction to destruction the work of this thread, and of the threads
// of WorkerGroups that it starts, ends with `stop`. They may be nested, where
// the innermost counts.
class StopScope {
 public:
  explicit StopScope(std::stop_token stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::stop_token stop_;
  const std::stop_token* const outer_;
};

// The token of this thread; without a scope, a token that is never stopped.
const std::stop_token& CurrentStop();

}  // namespace shardine

#endif  // SHARDINE_BASE_STOP_SCOPE_H_
