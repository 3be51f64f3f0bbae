// Interruptible: work that may take minutes, of which Ctrl-C in Python is to be
// the end.
#ifndef SHARDINE_BINDING_INTERRUPTIBLE_H_
#define SHARDINE_BINDING_INTERRUPTIBLE_H_

#include <cxxabi.h>

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <stop_token>
#include <system_error>
#include <thread>
#include <type_traits>

#include "binding/bindings.h"
#include "binding/released_lock.h"
#include "shardine/environment.h"

namespace shardine::binding {

// How long Ctrl-C may have to wait.
inline constexpr std::chrono::milliseconds kSignalInterval{100};

// Returns the result of work(stop token), called without the interpreter's lock
// on a thread of its own, since only the main one hears signals. tick() is
// called every kSignalInterval with the lock held. If a signal or tick() raises
// an exception of Python, the work is asked to stop and waited for. The work
// makes things with the environment as it is now. REQUIRES: the GIL is held;
// the work does not need it.
template <typename Work, typename Tick>
auto Interruptible(const Work& work, const Tick& tick) {
  using Value = std::invoke_result_t<const Work&, const std::stop_token&>;
  std::stop_source stop;
  // os.environ changes with the lock held alone.
  const Environment environment = Environment::Read();
  std::packaged_task<Value()> task([&] {
    const EnvironmentScope scope(environment);
    return work(stop.get_token());
  });
  std::future<Value> done = task.get_future();
  std::jthread thread;
  try {
    thread = std::jthread(std::ref(task));
  } catch (const std::system_error&) {
    // The system has no more threads: then Ctrl-C has to wait.
    const ReleasedLock released;
    task();
  }
  const auto is_done = [&] {
    const ReleasedLock released;
    return done.wait_for(kSignalInterval) == std::future_status::ready;
  };
  std::exception_ptr thrown;  // by tick(), but for exceptions of Python
  const auto raised = [&] {
    try {
      if (PyErr_CheckSignals() != 0) return true;
      tick();
    } catch (nb::python_error& error) {
      error.restore();  // raised below, when nothing works any more
      return true;
    } catch (...) {
      thrown = std::current_exception();
      if (thrown == nullptr) StandStill();  // forced unwinding
      return true;
    }
    return false;
  };
  while (!is_done()) {
    if (!raised()) continue;
    stop.request_stop();
    const ReleasedLock released;
    done.wait();
    break;
  }
  if (thrown != nullptr) std::rethrow_exception(thrown);
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return done.get();
}

template <typename Work>
auto Interruptible(const Work& work) {
  return Interruptible(work, [] {});
}

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_INTERRUPTIBLE_H_
