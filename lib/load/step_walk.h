// StepWalk: the steps of epochs, one after another, as a loader walks them.
#ifndef SHARDINE_LOAD_STEP_WALK_H_
#define SHARDINE_LOAD_STEP_WALK_H_

#include <cstdint>

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

// An epoch is walked from Begin() by Behind() until StepsLeft() is 0; the one
// that follows it begins at Next().
class StepWalk {
 public:
  virtual ~StepWalk() = default;

  // Where the first step of an epoch begins that was not walked to.
  virtual StreamPosition Begin(std::uint64_t epoch) const = 0;
  // Steps of an epoch from there.
  virtual std::uint64_t StepsOf(std::uint64_t epoch) const = 0;
  // Steps from here to the end of the epoch: those that begin in it.
  virtual std::uint64_t StepsLeft(const StreamPosition& from) const = 0;
  // Where the next step begins, in the same epoch: but for kRoll never after
  // its end. REQUIRES: StepsLeft(from) > 0.
  virtual StreamPosition Behind(const StreamPosition& from) const = 0;
  // After the last step of the epoch. REQUIRES: StepsLeft(from) > 0.
  virtual StreamPosition EndOf(const StreamPosition& from) const = 0;
  // Where the epoch begins that follows the one that ended here: after the
  // samples that this one took of it. REQUIRES: StepsLeft(end) == 0.
  virtual StreamPosition Next(const StreamPosition& end) const = 0;
  // Steps of the whole epoch that a walk is in: with kRoll an epoch begins
  // where the steps of this walk do, with the others at its beginning.
  virtual std::uint64_t StepsOfEpochAt(const StreamPosition& from) const = 0;
  // The same place with a position inside its epoch: past the epochs of kRoll
  // that no step begins in.
  virtual StreamPosition Canonical(const StreamPosition& place) const = 0;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_STEP_WALK_H_
