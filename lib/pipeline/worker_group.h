// WorkerGroup: the threads of a piece of work. The system may have fewer
// threads than were asked for, and their work may run out of memory: both are a
// Status here, never the end of the process.
#ifndef SHARDINE_PIPELINE_WORKER_GROUP_H_
#define SHARDINE_PIPELINE_WORKER_GROUP_H_

#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "shardine/status.h"

namespace shardine {

// work(), with an exception as the Status that it says: kFailed, "out of
// memory" for std::bad_alloc and the exceptions that stand for it, which takes
// no memory to say. A thread that others wait for does its work in here, the
// calling one, too.
Status Guarded(const std::function<Status()>& work);

// Start() and Join() are for one thread.
class WorkerGroup {
 public:
  // `close` lets every thread that waits for others, of this group or not, go
  // on to its end: it closes queues. Called, from any thread and maybe often,
  // when a worker fails and before threads are joined. It must not throw, and
  // the queues that it closes must outlive the group.
  explicit WorkerGroup(std::function<void()> close);
  ~WorkerGroup();  // closes, joins
  WorkerGroup(const WorkerGroup&) = delete;
  WorkerGroup& operator=(const WorkerGroup&) = delete;

  // Starts `count` threads, or as many as the system has, which then have to
  // do; each calls work(i), i from 0. kFailed if there is not one. May be
  // called for several kinds of work.
  Status Start(std::size_t count,
               const std::function<Status(std::size_t)>& work);

  // Waits until all have ended; closes nothing unless one failed. Returns the
  // failure of the failed worker that was started first.
  Status Join();

  // The failure that Join() would return now, without waiting. For any thread,
  // while none is started.
  Status failure() const;

  // The number of started threads.
  std::size_t size() const { return threads_.size(); }

 private:
  void Run(std::size_t place, const std::function<Status(std::size_t)>& work,
           std::size_t number, Status spare);

  const std::function<void()> close_;
  mutable std::mutex mutex_;
  std::vector<Status> failures_;  // by place; guarded by mutex_
  std::vector<std::jthread> threads_;
};

// For tests: while it lives, threads beyond the first `threads` cannot be
// started, as where the system has no more. One at a time.
class ThreadShortage {
 public:
  explicit ThreadShortage(unsigned threads);
  ~ThreadShortage();
};

}  // namespace shardine

#endif  // SHARDINE_PIPELINE_WORKER_GROUP_H_
