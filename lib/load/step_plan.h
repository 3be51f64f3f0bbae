// StepPlan: how the stream of samples is cut into steps, and a step among
// ranks. Pure arithmetic; every rank gets the same number of steps, always.
#ifndef SHARDINE_LOAD_STEP_PLAN_H_
#define SHARDINE_LOAD_STEP_PLAN_H_

#include <cstdint>

#include "load/step_walk.h"
#include "shardine/loader.h"

namespace shardine {

// The part of one rank in one step: `count` places of the stream from `first`
// on, each `stride` after the one before, of which the last `padding` repeat
// earlier places of the epoch.
struct RankSlice {
  StreamPosition first;
  std::uint32_t count = 0;
  std::uint32_t padding = 0;
  std::uint32_t stride = 1;
};

// How the samples of a step become those of ranks.
struct Dealing {
  // So many neighbours stay together: in a batch, and before or after a place
  // of the stream where a run resumes. They divide the batch size and the
  // samples of an epoch.
  std::uint64_t unit = 1;
  // Ranks get one after another in turn, not a run of neighbours each. Without
  // a unit.
  bool in_turn = false;
};

// Immutable, so thread-safe. K below is world * batch_size.
//
// Any StreamPosition of a walk can be handed to a plan of another batch size or
// world, which resumes from there.
class StepPlan final : public StepWalk {
 public:
  // REQUIRES: batch_size > 0, world > 0, rank < world, K < 2^62,
  // samples < 2^62; as Dealing demands.
  StepPlan(std::uint64_t samples, std::uint32_t batch_size, std::uint32_t rank,
           std::uint32_t world, LastBatch last_batch,
           const Dealing& dealing = {});

  // At 0; with kRoll at the first multiple of K in the stream of epochs (from
  // epoch 0 on) that is not before the epoch, and may be after it.
  StreamPosition Begin(std::uint64_t epoch) const override;
  std::uint64_t StepsOf(std::uint64_t epoch) const override {
    return StepsLeft(Begin(epoch));
  }
  //   kDrop: floor(left / K); kShort, kPad, kRoll: ceil(left / K).
  std::uint64_t StepsLeft(const StreamPosition& from) const override;
  StreamPosition Behind(const StreamPosition& from) const override;
  StreamPosition EndOf(const StreamPosition& from) const override;
  // Without a change of K this is Begin(end.epoch + 1).
  StreamPosition Next(const StreamPosition& end) const override;
  // With the others than kRoll at 0.
  std::uint64_t StepsOfEpochAt(const StreamPosition& from) const override;
  StreamPosition Canonical(const StreamPosition& place) const override;

  // kShort: the last m < K samples in `world` parts whose sizes differ by at
  // most one unit, the longer ones first; kPad: positions after the end
  // are those of the epoch's beginning; kRoll: of the epochs that follow.
  // REQUIRES: StepsLeft(from) > 0.
  RankSlice Slice(const StreamPosition& from) const;
  // The sample at `offset` of a slice: its own epoch, position < samples.
  // REQUIRES: offset < slice.count.
  StreamPosition At(const RankSlice& slice, std::uint32_t offset) const;

 private:
  std::uint64_t Left(const StreamPosition& from) const;

  std::uint64_t samples_;
  std::uint64_t batch_size_;
  std::uint64_t rank_;
  std::uint64_t world_;
  std::uint64_t step_;  // K
  LastBatch last_batch_;
  Dealing dealing_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_STEP_PLAN_H_
