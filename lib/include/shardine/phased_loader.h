// PhasedLoader: a loader whose images and batches change at given epochs, as in
// training that begins with small images: small ones in large batches first,
// larger ones in smaller batches later, in one exact stream of samples.
#ifndef SHARDINE_PHASED_LOADER_H_
#define SHARDINE_PHASED_LOADER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "shardine/loader.h"

namespace shardine {

// The epochs from its first one to the next phase's first.
struct Phase {
  std::uint64_t first_epoch = 0;
  // A variant of the same samples. Phases may share one: then nothing is opened
  // again, whatever else they change.
  std::shared_ptr<const Dataset> dataset;
  std::optional<Transform> transform;  // as LoaderOptions::transform
  std::uint32_t batch_size = 0;
  // As those of LoaderOptions, in whose place they stand if they are set: a
  // curriculum.
  std::shared_ptr<const std::vector<std::uint64_t>> positions = {};
  std::optional<Sampling> sampling = {};
};

// As Loader, whose place goes from one phase to the next; threads run for one
// phase at a time.
class PhasedLoader {
 public:
  // Makes the loaders of all phases, so that no phase fails hours later; their
  // common settings are in `options`, whose transform and batch_size do not
  // matter. kInvalidArgument: no phase, the first does not begin with epoch 0,
  // first epochs do not ascend, or datasets have not the same samples in the
  // same order; or as Loader::Create, naming the phase.
  //
  // Without `same_samples` sets may have been packed apart, of other samples or
  // in another order: each phase begins with its set's own epoch of that
  // number. The same where positions or sampling are others from phase to
  // phase. kInvalidArgument with LastBatch::kRoll, which would make a batch of
  // two sets.
  static Result<std::unique_ptr<PhasedLoader>> Create(
      const std::vector<Phase>& phases, const LoaderOptions& options,
      bool same_samples = true);

  // As the loader of the phase that the place is in.
  std::uint64_t size() const { return loader().size(); }
  std::uint64_t steps_left() const { return loader().steps_left(); }
  std::uint64_t epoch() const { return loader().epoch(); }
  // The number of that phase, from 0.
  std::size_t phase() const { return phase_; }
  Loader& loader() { return *loaders_[phase_].loader; }
  const Loader& loader() const { return *loaders_[phase_].loader; }

  // These act as in Loader.
  std::uint64_t StepsOf(std::uint64_t epoch) const;
  Result<std::optional<Batch>> Next();
  void BeginIteration();
  void SetEpoch(std::uint64_t epoch);
  LoaderState State() const { return loader().State(); }
  Status SetState(const LoaderState& state);
  // Stops the loaders of all phases; for any thread.
  void Stop();

 private:
  struct Entry {
    std::uint64_t first_epoch = 0;
    std::unique_ptr<Loader> loader;
  };

  PhasedLoader(std::vector<Entry> loaders, bool one_stream)
      : loaders_(std::move(loaders)), one_stream_(one_stream) {}
  std::size_t PhaseOf(std::uint64_t epoch) const;
  Status EnterPhase();

  const std::vector<Entry> loaders_;  // by first epoch
  // A place in a phase is one in the others.
  const bool one_stream_;
  std::size_t phase_ = 0;
  // The last batch of a phase was handed out, its end not yet said.
  bool phase_ended_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_PHASED_LOADER_H_
