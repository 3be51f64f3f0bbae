// LoadPlan: everything about a loader's batches that is decided before a byte
// is read: which samples a step has, from which epoch, and of which size.
#ifndef SHARDINE_LOAD_LOAD_PLAN_H_
#define SHARDINE_LOAD_LOAD_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

#include "dataset/sample_source.h"
#include "load/batch_layout.h"
#include "load/bucket_plan.h"
#include "load/epoch_sampling.h"
#include "load/node_shares.h"
#include "load/rect_order.h"
#include "load/sample_choice.h"
#include "load/slot_filler.h"
#include "load/step_plan.h"
#include "pixels/pixels.h"
#include "shardine/loader.h"
#include "shardine/status.h"

namespace shardine {

// A step of this rank.
struct Step {
  StreamPosition from;
  StreamPosition behind;
  RankSlice slice;
  BatchShape shape;
  std::uint32_t bucket = 0;  // of LoaderOptions::buckets
};

// Immutable but for ShareEpoch() and MoveBucketsTo(), so thread-safe without
// it.
class LoadPlan {
 public:
  // kInvalidArgument names the option, or says that no epoch has a step;
  // kUnsupported the shard and field that cannot be streamed, whatever `on_bad`
  // says. Under SampleOrder::kRatio and in buckets reads all header facts;
  // reads the indexes until each ragged field was met.
  // `source` must outlive the plan.
  static Result<std::unique_ptr<LoadPlan>> Make(const SampleSource& source,
                                                const LoaderOptions& options,
                                                const std::stop_token& stop);

  const LoaderOptions& options() const { return options_; }
  const SampleSource& source() const { return source_; }
  const SampleChoice& choice() const { return choice_; }
  const EpochSampling& sampling() const { return *sampling_; }
  // The digest of the choice; with a sampling XXH3-128 of that digest, low half
  // first, of the sampling's name and of its parameters: it tells states of
  // other orders.
  const Digest128& order_digest() const { return order_digest_; }
  // For kRatio: which sample has which place.
  std::optional<Digest128> ratio_digest() const {
    return rect_ ? std::optional(rect_->digest()) : std::nullopt;
  }
  const StepWalk& steps() const {
    if (buckets_) return *buckets_;
    return steps_;
  }
  // Null without LoaderOptions::buckets.
  const BucketPlan* buckets() const { return buckets_.get(); }
  // Starts a walk at other counts (BucketPlan::MoveTo). REQUIRES: buckets();
  // no thread uses the plan.
  StreamPosition MoveBucketsTo(std::uint64_t epoch, BucketPlan::Counts counts) {
    return buckets_->MoveTo(epoch, std::move(counts));
  }
  const std::shared_ptr<const BatchLayout>& layout() const { return layout_; }
  // Names of the fields that batches are made of.
  const std::vector<std::string>& wanted() const { return wanted_; }
  bool of_server() const;  // not of a disk
  // Threads that wait for storage.
  std::size_t readers() const;
  // Whether crops are decoded by entry points, where there are some.
  EntryPointUse point_use() const;

  // How the epoch's samples are shared: as the options say, but for an epoch
  // that was begun by others.
  NodeSharing SharingOf(std::uint64_t epoch) const;
  // Keeps that epoch as other nodes began it; nullopt: no epoch is shared.
  // REQUIRES: no thread uses the plan.
  void ShareEpoch(std::uint64_t epoch, std::optional<NodeSharing> sharing);

  // The step that begins there, or in the epochs after it if that one is over;
  // nullopt if none ever comes: too few samples.
  std::optional<Step> StepAt(StreamPosition from) const;

  // Slots from number `first` on, many at a time: their order is set up once.
  // REQUIRES: first + slots.size() <= step.slice.count.
  void SlotsOf(const Step& step, std::uint32_t first,
               std::span<Slot> slots) const;

 private:
  LoadPlan(const SampleSource& source, const LoaderOptions& options,
           SampleChoice choice, std::unique_ptr<const EpochSampling> sampling);
  Status CheckHasSteps() const;
  Status Prepare(const std::stop_token& stop);
  Result<BatchLayout> MakeLayout(const std::stop_token& stop) const;
  Result<IndexEntry> FirstSample(const std::vector<std::string>& names,
                                 const std::stop_token& stop) const;
  Status CheckKinds(const std::stop_token& stop) const;
  Status SortByRatio(const std::stop_token& stop);
  void PlaceOfNodes(std::span<const StreamPosition> places,
                    std::span<SampledPlace> sampled) const;
  PixelSize TargetOf(const RankSlice& slice) const;
  BatchShape ShapeOf(const RankSlice& slice, PixelSize size) const;
  Step BucketStepAt(StreamPosition from) const;
  void BucketSlotsOf(const Step& step, std::uint32_t first,
                     std::span<Slot> slots) const;

  const SampleSource& source_;
  const LoaderOptions options_;
  const SampleChoice choice_;
  const std::unique_ptr<const EpochSampling> sampling_;
  const Digest128 order_digest_;
  const StepPlan steps_;
  std::shared_ptr<const BatchLayout> layout_;
  std::vector<std::string> wanted_;
  std::optional<RectOrder> rect_;  // of kRatio
  std::unique_ptr<BucketPlan> buckets_;
  std::uint64_t begun_epoch_ = 0;  // by others, as begun_ says
  std::optional<NodeSharing> begun_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_LOAD_PLAN_H_
