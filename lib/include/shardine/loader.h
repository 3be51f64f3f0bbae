// Loader: a dataset to training batches. The order and each augmentation are
// functions of (seed, epoch, position) and (seed, epoch, sample id): threads,
// format and storage change nothing, and a few numbers resume it exactly.
#ifndef SHARDINE_LOADER_H_
#define SHARDINE_LOADER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "shardine/batch.h"
#include "shardine/buckets.h"
#include "shardine/dataset.h"
#include "shardine/digest.h"
#include "shardine/loader_options.h"
#include "shardine/loader_stats.h"
#include "shardine/status.h"

namespace shardine {

// The state from which a loader resumes exactly: the same whatever the rank,
// the number of ranks, threads or the batch size. After the last batch of an
// epoch it is the beginning of the next one.
struct LoaderState {
  Digest128 order_digest;  // of the dataset, of positions chosen of it, and of
                           // the sampling
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;  // samples of the epoch that were handed out
  // Among how many nodes the epoch's samples are shared, and how many each
  // takes in a step: the rest of the epoch stays so, whatever the loader's own
  // nodes are. One: they are not.
  std::uint32_t nodes = 1;
  std::uint64_t node_samples = 0;
  // The order that those samples are the first of: "shuffle/2" (version 2),
  // "sequential", "ratio" with the digest of the order, or "blocks/2 1024 16",
  // with block and window; then the version of a sampling's draws,
  // "weighted/2". Empty where there are none, or in a state that does not say:
  // then it is taken for this loader's.
  std::string order = "";
  // Amid an epoch in buckets (LoaderOptions::buckets): samples that each of
  // them has handed out, whose sum is `position`. Else empty.
  std::vector<std::uint64_t> bucket_samples = {};

  friend bool operator==(const LoaderState&, const LoaderState&) = default;
};

// Its place is where the next batch begins: after the last batch of an epoch at
// the beginning of the next epoch, whether or not the end was asked for.
//
// One consumer: Next() and functions that set the place are for one thread at a
// time; State(), the counts, Stop() and stats() for any. Threads run from the
// first Next() to Stop().
class Loader {
 public:
  // kInvalidArgument names the option; or no epoch would have a batch: there
  // are no samples or, with kDrop, fewer than all ranks take in a step.
  // kUnsupported, whatever `on_bad` says: a field that batches are made of is
  // not in a shard as such (compressed, or numbers in another form), with
  // shard, record and field; images have kinds that are not decoded, with
  // counts and the first of them, unless `unsupported` says kDrop and some
  // samples are left. kCancelled: a stop was asked for.
  static Result<std::unique_ptr<Loader>> Create(
      std::shared_ptr<const Dataset> dataset, const LoaderOptions& options,
      const std::stop_token& stop = {});
  ~Loader();

  // Steps of the whole epoch that the place is in, wherever in it: the same on
  // every rank.
  std::uint64_t size() const;
  // The steps of size() from the place on.
  std::uint64_t steps_left() const;
  std::uint64_t epoch() const;  // of the next batch
  // Steps of an epoch from its beginning.
  std::uint64_t StepsOf(std::uint64_t epoch) const;
  // LoaderOptions::buckets with the samples of each; none without buckets.
  std::vector<BucketSamples> buckets() const;

  // The next batch; nullopt once between the last batch of an epoch and the
  // first of the next. kCancelled after Stop(). A failure is final until the
  // place is set again.
  Result<std::optional<Batch>> Next();
  // Begins a loop that may leave early, or takes exactly size() batches. An
  // epoch of which batches were handed out is left for the next one. A place
  // that was set and nothing was taken from stays: after SetState the rest of
  // that epoch follows. Forgets the nullopt that was not asked for, and a
  // failure.
  void BeginIteration();
  // Whether Next() has something to return, waiting that long for it; for
  // consumers that have more to listen to.
  bool WaitFor(std::chrono::nanoseconds time);

  // Sets the place to the beginning of an epoch. It stays if it lies in that
  // epoch and no batch was taken: trainers say it after SetState, too.
  void SetEpoch(std::uint64_t epoch);
  // Counts every batch that Next() returned, not those made in advance.
  LoaderState State() const;
  // kInvalidArgument: another dataset, other positions of it, another sampling,
  // another seed, other buckets, beyond the epoch's end, amid an episode, or
  // nodes that there cannot be.
  Status SetState(const LoaderState& state);

  // The batch that Next() returned last was of no use to the caller: the place
  // is where it began, and Next() fails with `why` until the loader is moved,
  // as after a failure of its own.
  void TakeBack(const Status& why);

  // Wakes waiting threads, and ends the threads without waiting for them: a
  // TransformFunction may run until the loader is no more.
  void Stop();

  LoaderStats stats() const;
  // The work and waits of each thread, sample by sample, as Chrome's trace
  // events: a JSON file for Perfetto or chrome://tracing. kInvalidArgument:
  // LoaderOptions::trace_events is 0.
  Status WriteTrace(const std::string& path) const;

 private:
  struct Parts;
  explicit Loader(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace shardine

#endif  // SHARDINE_LOADER_H_
