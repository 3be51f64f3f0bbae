#include "pipeline/worker_group.h"

#include <atomic>
#include <climits>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/stop_scope.h"
#include "shardine/environment.h"

namespace shardine {
namespace {

// How many threads may still start; less than any process has unless a test
// says so.
std::atomic<long> threads_left = LONG_MAX;

template <typename Work>
std::jthread StartThread(Work work) {
  if (threads_left.fetch_sub(1) <= 0) {
    throw std::system_error(
        std::make_error_code(std::errc::resource_unavailable_try_again));
  }
  return std::jthread(std::move(work));
}

Status OutOfMemory() { return Status(Code::kFailed, "out of memory"); }

// `spare` was made while there was memory.
Status GuardedWith(Status spare, const std::function<Status()>& work) noexcept {
  try {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      return spare;
    } catch (const std::length_error&) {
      // More than any memory holds was asked of a container.
      return spare;
    } catch (const std::exception& error) {
      return Status(Code::kFailed,
                    std::string("unexpected failure: ") + error.what());
    } catch (...) {
      return Status(Code::kFailed, "unexpected failure");
    }
  } catch (...) {
    return spare;
  }
}

// The variables that this thread makes things with, for those that it starts.
std::optional<Environment> ScopeOfStarter() {
  const Environment* const own = Environment::InScope();
  return own == nullptr ? std::nullopt : std::optional(*own);
}

}  // namespace

ThreadShortage::ThreadShortage(unsigned threads) {
  threads_left = static_cast<long>(threads);
}

ThreadShortage::~ThreadShortage() { threads_left = LONG_MAX; }

Status Guarded(const std::function<Status()>& work) {
  return GuardedWith(OutOfMemory(), work);
}

WorkerGroup::WorkerGroup(std::function<void()> close)
    : close_(std::move(close)) {}

WorkerGroup::~WorkerGroup() { close_(); }

Status WorkerGroup::Start(std::size_t count,
                          const std::function<Status(std::size_t)>& work) {
  for (std::size_t i = 0; i < count; ++i) {
    try {
      const std::size_t place = threads_.size();
      {
        // Room first: a failure must find its place without memory.
        const std::lock_guard lock(mutex_);
        failures_.resize(place + 1);
      }
      threads_.reserve(place + 1);
      threads_.push_back(StartThread(
          [this, place, work, i, stop = CurrentStop(),
           environment = ScopeOfStarter(), spare = OutOfMemory()]() mutable {
            const StopScope scope(std::move(stop));
            std::optional<EnvironmentScope> variables;
            if (environment) variables.emplace(*std::move(environment));
            Run(place, work, i, std::move(spare));
          }));
    } catch (const std::exception& error) {
      // The threads that were started do the work.
      if (i > 0) break;
      return Status(Code::kFailed, std::string("no thread can be started: ") +
                                       error.what() +
                                       "; give this process more of them "
                                       "(ulimit -u, pids cgroup) or memory");
    }
  }
  return Status();
}

void WorkerGroup::Run(std::size_t place,
                      const std::function<Status(std::size_t)>& work,
                      std::size_t number, Status spare) {
  // A reference is all that it holds: no memory is taken for it.
  const auto call = [&] { return work(number); };
  Status status = GuardedWith(std::move(spare), std::ref(call));
  if (status.ok()) return;
  {
    const std::lock_guard lock(mutex_);
    failures_[place] = std::move(status);
  }
  close_();
}

Status WorkerGroup::Join() {
  for (std::jthread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  return failure();
}

Status WorkerGroup::failure() const {
  const std::lock_guard lock(mutex_);
  for (const Status& failure : failures_) {
    if (!failure.ok()) return failure;
  }
  return Status();
}

}  // namespace shardine
