// PackPipeline: moves the samples of the unfinished shards from the sources
// into shard files, one of each variant.
//
//   workers (read, check, make sizes, digest) -> sequencer
//     -> writer (the calling thread) -> publisher thread (sync, read back,
//     publish)
//
// Values move forward; back go only a full queue, a stop request and the
// blocks' memory. Memory in flight is bounded, whatever the thread count.
#ifndef SHARDINE_PACK_PACK_PIPELINE_H_
#define SHARDINE_PACK_PACK_PIPELINE_H_

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "io/output_folder.h"
#include "pack/block.h"
#include "pack/dataset_plan.h"
#include "pack/image_tally.h"
#include "pack/shard_notes.h"
#include "pack/shard_publisher.h"
#include "pipeline/bounded_queue.h"
#include "pipeline/sequencer.h"
#include "shardine/progress.h"
#include "shardine/status.h"

namespace shardine {

// A shard that is not finished in every variant.
struct ShardWork {
  std::size_t shard = 0;  // into ShardPlan::shards()
  std::vector<const ShardPublisher*>
      publishers;  // of the variants that lack it
};

// Used once, by one thread.
class PackPipeline {
 public:
  struct Options {
    OutputFolder output;                // for notes
    unsigned threads = 1;               // workers, at least one
    std::uint64_t made_per_sample = 0;  // bytes to expect beside the source's
    Judgement judged = {};              // for notes
    // Called when a shard is there in all variants that lacked it; by a thread
    // of the pipeline. Empty: not called.
    std::function<Status(const PlannedShard&)> published = {};
  };

  // All referenced objects must outlive the pipeline.
  PackPipeline(const DatasetPlan& planned, const BlockPreparer& preparer,
               Options options);

  // Does the work, which is in plan order. The failure returned is the first in
  // plan order, so the same whatever the threads did; finished shards stay.
  Status Run(const std::vector<ShardWork>& work,
             const ProgressFunction& progress, Progress& done,
             const std::stop_token& stop);

  // The block that ended it, where that was for a bad image.
  const std::optional<PlannedBlock>& bad_block() const { return bad_block_; }
  // The images of the packed samples.
  const ImageTally& images() const { return images_; }

 private:
  struct Part {
    const ShardPublisher* publisher = nullptr;
    WrittenShard written;
  };
  // One shard in all variants that lack it.
  struct Parts {
    const PlannedShard* shard = nullptr;
    std::vector<Part> variants;
    ShardNotes notes;
  };

  void Work(Sequencer<PreparedBlock>& sequencer,
            const std::vector<PlannedBlock>& blocks,
            const std::stop_token& stop);
  void PublishAll(const std::stop_token& stop);
  Status Publish(Parts& parts, const std::stop_token& stop) const;
  Status Write(Sequencer<PreparedBlock>& sequencer,
               const std::vector<ShardWork>& work,
               const ProgressFunction& progress, Progress& done);
  Status BeginShard(const ShardWork& work);
  Status AppendBlock(const PreparedBlock& block);
  Status AppendTo(Part& part, const PreparedBlock& block) const;
  std::uint64_t TakeNotes(PreparedBlock& block);
  static void Abandon(Parts parts);
  PreparedBlock TakeUsedBlock();
  void KeepUsedBlock(PreparedBlock block);

  const DatasetPlan& planned_;
  const ShardPlan& plan_;
  const BlockPreparer& preparer_;
  const Options options_;
  const unsigned threads_;

  Parts current_;  // of the writer
  std::optional<PlannedBlock> bad_block_;
  ImageTally images_;
  BoundedQueue<Parts> finished_{1};  // shards, not bytes
  std::atomic<bool> publishing_failed_ = false;

  std::mutex mutex_;
  std::vector<PreparedBlock> used_blocks_;  // guarded by mutex_
  Status publish_status_;                   // guarded by mutex_
};

}  // namespace shardine

#endif  // SHARDINE_PACK_PACK_PIPELINE_H_
