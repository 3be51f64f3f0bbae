// ReleasedLock, TakenLock: the interpreter's lock, let go while C++ works or
// waits, and taken by a thread that needs it.
#ifndef SHARDINE_BINDING_RELEASED_LOCK_H_
#define SHARDINE_BINDING_RELEASED_LOCK_H_

#include <unistd.h>

#include "binding/bindings.h"

namespace shardine::binding {

// Until the process exits. Before Python 3.14 the interpreter ends by
// pthread_exit() a daemon thread that asks for its lock while it ends itself,
// and the forced unwinding meets functions that are noexcept and aborts. Here
// such a thread stands still, as it does from Python 3.14 on. catch (...) meets
// that unwinding in libstdc++ and libc++, which have no name for it in common.
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
    } catch (...) {
      StandStill();
    }
  }
  ReleasedLock(const ReleasedLock&) = delete;
  ReleasedLock& operator=(const ReleasedLock&) = delete;

 private:
  PyThreadState* thread_;
};

// In the place of nb::gil_scoped_acquire, which is noexcept: the interpreter's
// lock, which this thread may hold already. A daemon thread that asks for it
// while the interpreter ends leaves by forced unwinding.
class TakenLock {
 public:
  TakenLock() : state_(PyGILState_Ensure()) {}
  ~TakenLock() { PyGILState_Release(state_); }
  TakenLock(const TakenLock&) = delete;
  TakenLock& operator=(const TakenLock&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_RELEASED_LOCK_H_
