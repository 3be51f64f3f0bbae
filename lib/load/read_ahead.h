// ReadAhead: goes through the order of the epochs before the readers do, and
// announces their next reads to storage.
#ifndef SHARDINE_LOAD_READ_AHEAD_H_
#define SHARDINE_LOAD_READ_AHEAD_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "dataset/ask_ahead.h"
#include "load/load_plan.h"
#include "load/step_plan.h"

namespace shardine {

// Two stretches of the order (EpochSampling::StretchAt) are asked for at any
// time: the one that readers are in, and the next, be it of the next epoch. A
// disk is asked for all of a stretch, whose other samples the other ranks read;
// of a server a rank among several asks for those that it gets in the steps
// that begin in the stretch, and holds these alone; in buckets each rank does.
class ReadAhead {
 public:
  // Whether neighbours of the order are neighbours in the dataset: single
  // samples from anywhere are asked for as soon as they are.
  static bool IsOfUse(const LoaderOptions& options);

  // Begins at a place in the stream. `plan` must outlive it.
  ReadAhead(const LoadPlan& plan, const StreamPosition& from);

  // The work of a thread, until Stop().
  void Run();
  // Readers have come here.
  void Reached(const StreamPosition& place);
  void Stop();

 private:
  // Positions that are asked for together: those of one block, ascending.
  using Group = std::vector<std::uint64_t>;

  struct Asked {
    StreamPosition end;  // of the stretch, or of the steps that begin in it
    std::vector<AheadBytes> groups;
  };

  Asked Ask(const StreamPosition& place) const;
  std::vector<Group> GroupsOfSteps(StreamPosition from,
                                   StreamPosition& end) const;
  // The place before that position, which may be the epoch's end.
  StreamPosition EndAt(std::uint64_t epoch, std::uint64_t end) const;
  bool WaitForRoom(std::deque<Asked>& asked);

  const LoadPlan& plan_;
  const StreamPosition from_;
  std::mutex mutex_;
  std::condition_variable changed_;
  StreamPosition reached_;  // guarded by mutex_
  StreamPosition awaited_;  // from which on there is room; guarded by mutex_
  bool stopped_ = false;    // guarded by mutex_
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_READ_AHEAD_H_
