// ReleasedLock: the interpreter's lock, let go while C++ works or waits.
#ifndef SHARDINE_BINDING_RELEASED_LOCK_H_
#define SHARDINE_BINDING_RELEASED_LOCK_H_

#include <cxxabi.h>
#include <unistd.h>

#include "binding/bindings.h"

namespace shardine::binding {

// Until the process exits. Before Python 3.14 the interpreter ends by
// pthread_exit() a daemon thread that asks for its lock while it ends itself,
// and the unwinding (abi::__forced_unwind) meets functions that are noexcept
// and aborts. Here such a thread stands still, as it does from Python 3.14 on.
[[noreturn]] inline void StandStill() {
  while (true) pause();
}

// In the place of nb::gil_scoped_release, of which a daemon thread that comes
// back while the interpreter ends is the end of the process.
//
// REQUIRES: the lock is held where it begins, and not asked for until it ends.
class ReleasedLock {
 public:
  ReleasedLock() : thread_(PyEval_SaveThread()) {}
  ~ReleasedLock() {
    try {
      PyEval_RestoreThread(thread_);
    } catch (const abi::__forced_unwind&) {
      StandStill();
    }
  }
  ReleasedLock(const ReleasedLock&) = delete;
  ReleasedLock& operator=(const ReleasedLock&) = delete;

 private:
  PyThreadState* thread_;
};

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_RELEASED_LOCK_H_
