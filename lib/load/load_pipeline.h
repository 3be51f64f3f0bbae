// LoadPipeline: the threads of a loader. Readers fetch samples, decoders write
// them into the slots of batches, batches come out in order. A fixed number of
// batches and of samples in between is on the way at any time.
#ifndef SHARDINE_LOAD_LOAD_PIPELINE_H_
#define SHARDINE_LOAD_LOAD_PIPELINE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "load/bad_report.h"
#include "load/batch_buffers.h"
#include "load/load_plan.h"
#include "load/read_ahead.h"
#include "load/trace_recorder.h"
#include "pipeline/bounded_queue.h"
#include "pipeline/stage_meter.h"
#include "pipeline/worker_group.h"
#include "shardine/status.h"

namespace shardine {

// The counts of a loader; they outlive its pipelines.
struct LoadMeters {
  explicit LoadMeters(std::size_t trace_events) : trace(trace_events) {}

  StageMeter read;
  StageMeter decode;
  std::atomic<std::uint64_t> refused_entry_points = 0;  // images
  TraceRecorder trace;
};

struct ReadyBatch {
  std::shared_ptr<BatchBuffers> buffers;
  StreamPosition behind;      // where the next one begins
  std::uint64_t samples = 0;  // slots, with those that were dropped
  BadSamples bad;
};

// Next() is for one thread; Stop() for any.
class LoadPipeline {
 public:
  // Begins at a place in the stream. All must outlive it.
  LoadPipeline(const LoadPlan& plan, const StreamPosition& from,
               BatchPool& pool, LoadMeters& meters);
  ~LoadPipeline();  // stops

  // Blocks. The failure of the first bad slot, if that is asked for; kCancelled
  // after Stop().
  Result<ReadyBatch> Next();
  // Whether Next() would return at once, or will within that time.
  bool WaitFor(std::chrono::nanoseconds time);

  void Stop();

 private:
  struct Job;    // a batch on its way
  struct Chunk;  // some neighbouring slots of one, with the data read for them
  // For a decoder: a chunk, or a batch whose pixels wait to be mixed.
  struct Work {
    std::uint64_t turn = 0;  // when it is wanted
    std::unique_ptr<Chunk> chunk;
    std::shared_ptr<Job> mixed;
  };

  Status Start();
  void ReadLoop(TraceRecorder::Lane lane);
  void DecodeLoop(TraceRecorder::Lane lane);
  void ReadChunk(Chunk& chunk, TraceRecorder::Lane lane);
  void FillChunk(SlotFiller& filler, Chunk& chunk, TraceRecorder::Lane lane);

  void MakeChunk();
  bool TakeWork(Chunk& chunk);
  bool BeginJob();
  void NoteBad(SlotFiller& filler, const Slot& slot, Job& job);
  void Finish(Chunk& chunk, TraceRecorder::Lane lane);
  void Mix(Job& job, TraceRecorder::Lane lane);
  void PushWork(Work work);
  void Deliver(Job& job);
  bool IsReady() const;

  const LoadPlan& plan_;
  BatchPool& pool_;
  LoadMeters& meters_;
  const std::size_t max_jobs_;
  BoundedQueue<std::unique_ptr<Chunk>> free_;  // chunks to read into
  BoundedQueue<Work> read_;                    // to decode, or to mix
  std::atomic<std::size_t> unmade_ = 0;        // chunks

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<std::shared_ptr<Job>> jobs_;  // in order
  StreamPosition next_;                    // after the last job
  std::uint32_t taken_ = 0;                // slots of the last job
  std::uint64_t turns_ = 0;                // chunks taken
  bool exhausted_ = false;
  bool stopped_ = false;  // by the caller, or by a failure
  Status failure_;        // no thread of a kind can be started

  ReadAhead ahead_;
  std::stop_source reading_;  // ends reads that wait for a server
  WorkerGroup workers_;       // joined before all else goes
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_LOAD_PIPELINE_H_
