#include "pipeline/parallel_for.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "pipeline/worker_group.h"

namespace shardine {
namespace {

// The work of one call.
class Pieces {
 public:
  Pieces(std::size_t count, const std::function<Status(std::size_t)>& work)
      : work_(work), end_(count) {}

  void DoThem() {
    for (std::size_t i = next_++; i < end_; i = next_++) {
      Status status = Guarded([&] { return work_(i); });
      if (!status.ok()) Fail(i, std::move(status));
    }
  }

  Status TakeFailure() { return std::move(failure_); }

 private:
  // All pieces before a failed one were begun, so the first failure is known in
  // the end, for any number of threads.
  void Fail(std::size_t piece, Status status) {
    const std::lock_guard lock(mutex_);
    if (piece >= end_) return;
    end_ = piece;
    failure_ = std::move(status);
  }

  const std::function<Status(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::atomic<std::size_t> end_;  // of the pieces to begin; the first failure
  Status failure_;                // guarded by mutex_
};

}  // namespace

Status ParallelFor(std::size_t count, unsigned threads,
                   const std::function<Status(std::size_t)>& work) {
  Pieces pieces(count, work);
  WorkerGroup others([] {});
  const auto help = [&](std::size_t) {
    pieces.DoThem();
    return Status();
  };
  const std::size_t wanted = std::min<std::size_t>(threads, count);
  // Having no other thread is no failure: this thread does their work.
  if (wanted > 1) static_cast<void>(others.Start(wanted - 1, help).ok());
  pieces.DoThem();
  Status ended = others.Join();
  Status failure = pieces.TakeFailure();
  return failure.ok() ? ended : failure;
}

}  // namespace shardine
