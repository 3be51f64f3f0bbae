#include "pack/list_bad_images.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/status_macros.h"
#include "dataset/bad_images.h"
#include "dataset/rejects.h"
#include "io/atomic_file.h"
#include "pack/journal.h"
#include "pipeline/in_order.h"
#include "shardine/escape.h"

namespace shardine {
namespace {

constexpr std::size_t kMostHeld = std::size_t{256} << 20;

// Blocks in plan order, those before the first bad image left out.
std::vector<PlannedBlock> BlocksFrom(const ShardPlan& plan,
                                     const BadImageSearch& work) {
  std::vector<PlannedBlock> blocks =
      CutBlocks(plan, work.shards, work.made_per_sample);
  // The block of the first bad image is looked at again, from its beginning:
  // the pack stopped in the middle of it, and of the images after that one
  // nothing is known.
  std::erase_if(blocks, [&](const PlannedBlock& block) {
    return std::pair(block.shard, block.first) <
           std::pair(work.from.shard, work.from.first);
  });
  return blocks;
}

class Looker {
 public:
  Looker(const BlockPreparer& preparer, const ProgressFunction& progress,
         const Progress& done, const std::stop_token& stop)
      : preparer_(preparer), report_(progress), progress_(done), stop_(stop) {}

  // All that is bad, in plan order; up to the first failure.
  std::vector<Reject> Look(const std::vector<PlannedBlock>& blocks,
                           unsigned threads) {
    const OrderedWork work{
        .count = blocks.size(),
        .threads = std::clamp(threads, preparer_.min_threads(),
                              preparer_.max_threads()),
        .most_bytes = kMostHeld,
        .bytes = [&](std::uint64_t i) { return blocks[i].weight; }};
    std::vector<Reject> all;
    status_ = WorkInOrder<Looked>(
        work, {.make = [&](std::uint64_t i) { return LookAt(blocks[i]); },
               .take = [&](std::uint64_t, Looked looked) -> Result<bool> {
                 std::ranges::move(looked.found, std::back_inserter(all));
                 if (!looked.status.ok()) return std::move(looked.status);
                 return true;
               }});
    return all;
  }

  const Status& status() const { return status_; }

 private:
  struct Looked {
    std::vector<Reject> found;
    Status status;
  };

  Looked LookAt(const PlannedBlock& planned) {
    Looked looked;
    PreparedBlock block = preparer_.Prepare(planned, Take(), stop_);
    for (PreparedSample& sample : block.samples) {
      if (!sample.reject) continue;
      looked.found.push_back(*std::move(sample.reject));
    }
    looked.status = std::move(block.status);
    const std::lock_guard lock(mutex_);
    progress_.samples += planned.count;
    progress_.bytes += planned.bytes;
    progress_.rejected += looked.found.size();
    if (report_) report_(progress_);
    // The memory of a block is lent to the next one. The number of blocks here
    // is bounded by the threads, since each takes one before it returns one.
    used_.push_back(std::move(block));
    return looked;
  }

  PreparedBlock Take() {
    const std::lock_guard lock(mutex_);
    if (used_.empty()) return {};
    PreparedBlock block = std::move(used_.back());
    used_.pop_back();
    return block;
  }

  const BlockPreparer& preparer_;
  const ProgressFunction& report_;
  std::mutex mutex_;
  Progress progress_;                // guarded by mutex_
  std::vector<PreparedBlock> used_;  // guarded by mutex_
  const std::stop_token& stop_;
  Status status_;
};

}  // namespace

std::string BadImagesPath(const OutputFolder& output) {
  return output.WorkPath("bad.jsonl");
}

Status ListBadImages(const DatasetPlan& planned, const BlockPreparer& looker,
                     const BadImageSearch& work, const Status& first,
                     const Job& job) {
  Looker look(looker, job.progress, work.done, job.stop);
  std::vector<Reject> found =
      look.Look(BlocksFrom(planned.plan, work), work.threads);
  return SayOthers(work.output.storage(), BadImagesPath(work.output),
                   std::move(found), look.status(), first);
}

}  // namespace shardine
