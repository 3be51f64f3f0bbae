// StepPlan: how the stream of samples is cut into steps, and a step among
// ranks. Pure arithmetic; every rank gets the same number of steps, always.
#ifndef SHARDINE_LOAD_STEP_PLAN_H_
#define SHARDINE_LOAD_STEP_PLAN_H_

#include <cstdint>

#include "shardine/loader.h"

namespace shardine {

// Where in the stream of epochs: `position` samples of `epoch` were delivered,
// by all ranks together. Positions from the epoch's size on lie in the epochs
// after it: a step of kRoll may take that many of them before they begin.
struct StreamPosition {
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;

  friend bool operator==(const StreamPosition&,
                         const StreamPosition&) = default;
};

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
// An epoch is walked from Begin() by Behind() until StepsLeft() is 0; the one
// that follows it begins at Next(). Any StreamPosition on the way can be handed
// to a plan of another batch size or world, which resumes from there.
class StepPlan {
 public:
  // REQUIRES: batch_size > 0, world > 0, rank < world, K < 2^62,
  // samples < 2^62; as Dealing demands.
  StepPlan(std::uint64_t samples, std::uint32_t batch_size, std::uint32_t rank,
           std::uint32_t world, LastBatch last_batch,
           const Dealing& dealing = {});

  // Where the first step of an epoch begins that was not walked to: at 0; with
  // kRoll at the first multiple of K in the stream of epochs (from epoch 0 on)
  // that is not before the epoch, and may be after it.
  StreamPosition Begin(std::uint64_t epoch) const;

  // Steps from here to the end of the epoch: those that begin in it.
  //   kDrop: floor(left / K); kShort, kPad, kRoll: ceil(left / K).
  std::uint64_t StepsLeft(const StreamPosition& from) const;

  // REQUIRES of both: StepsLeft(from) > 0.
  // kShort: the last m < K samples in `world` parts whose sizes differ by at
  // most one unit, the longer ones first; kPad: positions after the end
  // are those of the epoch's beginning; kRoll: of the epochs that follow.
  RankSlice Slice(const StreamPosition& from) const;
  // Where the next step begins, in the same epoch: of kDrop, kShort and kPad
  // never after its end.
  StreamPosition Behind(const StreamPosition& from) const;

  // Where the epoch begins that follows the one that ended here: after the
  // samples that this one took of it. Without a change of K this is
  // Begin(end.epoch + 1).
  // REQUIRES: StepsLeft(end) == 0.
  StreamPosition Next(const StreamPosition& end) const;

  // After the last step of the epoch. REQUIRES: StepsLeft(from) > 0.
  StreamPosition EndOf(const StreamPosition& from) const;

  // Steps of the whole epoch that a walk is in: with kRoll an epoch begins
  // where the steps of this walk do, with the others at 0.
  std::uint64_t StepsOfEpochAt(const StreamPosition& from) const;

  // The same place with a position inside its epoch: past the epochs of kRoll
  // that no step begins in.
  StreamPosition Canonical(const StreamPosition& place) const;

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
