// BucketPlan: epochs whose steps have images of one bucket each, all ranks of
// the same one.
#ifndef SHARDINE_LOAD_BUCKET_PLAN_H_
#define SHARDINE_LOAD_BUCKET_PLAN_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "load/step_plan.h"
#include "load/step_walk.h"
#include "shardine/buckets.h"
#include "shardine/digest.h"
#include "shardine/loader_options.h"
#include "shardine/status.h"

namespace shardine {

class SampleChoice;
class SampleSource;

// An epoch's samples come in the order of EpochOrder, and each joins its
// bucket. Whenever a bucket has K = world * batch_size of them, these are the
// next step. The rest of each bucket follows after the last sample, bucket by
// bucket as listed: kDrop leaves it out; kShort deals it out to the ranks; kPad
// fills it up from the beginning of the bucket's epoch, kRoll from its next
// one.
//
// So each bucket has a stream of epochs of its own, cut by a StepPlan, and a
// place is the count of samples that each bucket has handed out: a walk with
// another K goes on from the same counts. A StreamPosition has the sum of them.
// It belongs to the walk from the counts that MoveTo() had last.
//
// Thread-safe, but for MoveTo(). 1 byte of memory for each sample, and 4 bytes
// and a little more for each sample in each of the two epochs that were used
// last.
class BucketPlan final : public StepWalk {
 public:
  // One for each bucket, as listed.
  using Counts = std::vector<std::uint64_t>;

  // Reads the sizes of all images. kInvalidArgument: a size is unknown, with
  // the count of them and the first one, unless `on_bad` or `unsupported` says
  // that such samples may come (they join the first bucket); or a bucket has
  // less than a step and would never be whole with kDrop and kRoll.
  // kUnsupported: as of ForEachImageSize, or there are 2^32 samples or more.
  // REQUIRES: CheckLoaderOptions(options) is ok, and it has buckets.
  static Result<std::unique_ptr<BucketPlan>> Make(const SampleSource& source,
                                                  const SampleChoice& choice,
                                                  const LoaderOptions& options,
                                                  const std::stop_token& stop);

  // `bucket_of`: each sample's, below options.buckets.size().
  BucketPlan(const LoaderOptions& options, std::vector<std::uint8_t> bucket_of);

  StreamPosition Begin(std::uint64_t epoch) const override;
  std::uint64_t StepsOf(std::uint64_t epoch) const override;
  std::uint64_t StepsLeft(const StreamPosition& from) const override;
  StreamPosition Behind(const StreamPosition& from) const override;
  StreamPosition EndOf(const StreamPosition& from) const override;
  StreamPosition Next(const StreamPosition& end) const override;
  std::uint64_t StepsOfEpochAt(const StreamPosition& from) const override;
  StreamPosition Canonical(const StreamPosition& place) const override;

  // A step of this rank: a slice of the bucket's own stream.
  struct Part {
    std::uint32_t bucket = 0;
    RankSlice slice;
  };
  // REQUIRES: StepsLeft(from) > 0.
  Part PartAt(const StreamPosition& from) const;
  // The samples of a part from its slice's `first` on: their own epochs, and as
  // positions their numbers in the choice.
  void SamplesOf(const Part& part, std::uint32_t first,
                 std::span<StreamPosition> samples) const;

  // The counts at a place of the walk.
  Counts CountsAt(const StreamPosition& place) const;
  // The counts at Begin(epoch).
  Counts CountsOfBegin(std::uint64_t epoch) const;
  // kInvalidArgument: no place of an epoch can have these counts.
  Status CheckCounts(const Counts& counts) const;
  // Starts another walk, at that place; an epoch without a step left is left
  // for the next one. REQUIRES: CheckCounts is ok; no other thread uses the
  // plan.
  StreamPosition MoveTo(std::uint64_t epoch, Counts counts);
  // Whether that place would be this one.
  bool IsAt(const StreamPosition& place, std::uint64_t epoch,
            const Counts& counts) const;

  // Samples of each bucket.
  const Counts& samples() const { return samples_; }
  // XXH3-128 of the buckets' sides (height, width) and of each sample's bucket:
  // which samples are in which shapes.
  const Digest128& digest() const { return digest_; }

 private:
  struct Walk;   // an epoch's steps in numbers
  struct Table;  // an epoch's order
  Walk WalkOf(std::uint64_t epoch) const;
  std::uint64_t BaseOf(std::size_t bucket, std::uint64_t epoch) const;
  std::shared_ptr<Table> FindTable(std::uint64_t epoch, bool only_new) const;
  // `only_new`: null where another thread has made it, or is at it.
  std::shared_ptr<const Table> TableOf(std::uint64_t epoch,
                                       bool only_new = false) const;
  void Fill(Table& table) const;
  Status CheckWhole(const LoaderOptions& options) const;

  const OrderOptions order_;
  const std::uint64_t seed_;
  const std::uint64_t step_;  // K
  const LastBatch last_batch_;
  const unsigned threads_;
  const std::vector<std::uint8_t> bucket_of_;
  Counts samples_;
  Digest128 digest_;
  std::vector<StepPlan> plans_;  // of each bucket
  // Where the walk began.
  std::uint64_t begun_epoch_ = 0;
  Counts begun_;

  mutable std::mutex mutex_;
  // The latest one last; guarded by mutex_.
  mutable std::vector<std::shared_ptr<Table>> tables_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_BUCKET_PLAN_H_
