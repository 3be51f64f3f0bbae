// WriterPipeline: samples that a caller appends are checked by several threads
// and written, in the order in which they came, by one.
//
//   caller (copies) -> workers (image, digest) -> writer (a SampleSink)
//
// Memory in flight is bounded: a caller that is faster than the disk waits.
#ifndef SHARDINE_PACK_WRITER_PIPELINE_H_
#define SHARDINE_PACK_WRITER_PIPELINE_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "pack/sample_batch.h"
#include "pipeline/bounded_queue.h"
#include "pipeline/worker_group.h"
#include "shardine/dataset_writer.h"
#include "shardine/status.h"

namespace shardine {

// For one thread.
class WriterPipeline {
 public:
  // `sink` is called by one thread, until Finish() or the destructor is done.
  WriterPipeline(const DatasetWriterOptions& options, SampleSink sink);
  // Gives up samples that were not written, and waits for the threads.
  ~WriterPipeline();
  WriterPipeline(const WriterPipeline&) = delete;
  WriterPipeline& operator=(const WriterPipeline&) = delete;

  // `threads` workers, at least one, and the writer. kFailed: the system has
  // not so many threads, not even two.
  Status Start(unsigned threads);

  // Copies a sample of NewSampleCheck. May block. Returns the failure of this
  // sample or of one before, the first in their order.
  Status Append(const CheckedSample& sample, std::string_view split);
  // Whether Append() of a sample of so many bytes would not block, or will not
  // within that time.
  bool WaitForRoom(std::uint64_t bytes, std::chrono::nanoseconds time);
  // Waits until all are written. REQUIRES: nothing is appended afterwards.
  Status Finish();

 private:
  using Shared = std::shared_ptr<SampleBatch>;

  bool Push();
  void GiveUp();
  Status CheckBatches();
  Status WriteBatches();

  const DatasetWriterOptions options_;
  const SampleSink sink_;
  Shared batch_;  // that is being filled
  // Each batch is in both. The order is bounded, so the other is, too.
  BoundedQueue<Shared> in_order_;
  BoundedQueue<Shared> to_check_;
  // The batches left in to_check_ are not wanted.
  std::atomic<bool> given_up_ = false;
  // Last: their threads end before the members that they use.
  WorkerGroup workers_;
  WorkerGroup writer_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_WRITER_PIPELINE_H_
