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
#include "shardine/dataset.h"
#include "shardine/digest.h"
#include "shardine/entry_points.h"
#include "shardine/loader_stats.h"
#include "shardine/mixing.h"
#include "shardine/sampling.h"
#include "shardine/status.h"
#include "shardine/transform.h"

namespace shardine {

enum class SampleOrder : std::uint8_t {
  kShuffle,     // an exact permutation of all samples
  kBlocks,      // of blocks of neighbours, and inside a window: fewer seeks
  kSequential,  // as stored
  // Rectangular validation: by ascending width / height, equal ones as stored.
  // The sides of a square CenterCrop, which is the transform, become those of
  // each batch: the mean ratio of its images, the shorter side as it was, both
  // multiples of 8.
  kRatio,
};

struct OrderOptions {
  SampleOrder order = SampleOrder::kShuffle;
  std::uint64_t block = 1024;  // samples; of kBlocks
  std::uint64_t window = 16;   // blocks that are mixed
  // Machines that share the ranks of kBlocks or kSequential, as many each, one
  // machine's ranks being neighbours. Each reads a part of its own, neighbours
  // in the dataset and the same in every epoch, so that caches of machines hold
  // different samples; they are mixed inside the part alone. World is a
  // multiple of it; not with kRoll. Other nodes are another order.
  std::uint32_t nodes = 1;

  friend bool operator==(const OrderOptions&, const OrderOptions&) = default;
};

// What becomes of the samples that fill no whole step.
enum class LastBatch : std::uint8_t {
  kDrop,   // not delivered
  kShort,  // dealt out to all ranks, a sample more or less: nothing twice
  kPad,    // filled up from the epoch's beginning
  kRoll,   // filled up from the next epoch, which begins after them
};

// What becomes of a sample that cannot be read or decoded.
enum class OnBadSample : std::uint8_t {
  kFail,  // Next() fails with its shard, record and key
  kDrop,  // its batch is shorter
  kGray,  // gray pixels, its label stays
};

struct LoaderOptions {
  std::uint32_t batch_size = 0;  // samples of this rank in a step; above 0
  OrderOptions order;
  std::uint64_t seed = 0;
  std::uint32_t rank = 0;
  std::uint32_t world = 1;  // ranks
  LastBatch last_batch = LastBatch::kDrop;
  // None: the bytes of images as they are stored, or `fields` alone.
  std::optional<Transform> transform;
  // Beside the transform, which is view 0: 255 at most, of the same read.
  std::vector<Transform> more_views;
  // The field that a transform makes pixels of, and that is delivered where
  // there is neither a transform nor `fields`: an encoded image, or an array
  // |u1 of height x width, or height x width x 1, 3 or 4. Channels of arrays
  // stay in their order: of BGR, pixels are BGR. Gray becomes three channels, a
  // fourth is left out. Entry points are those of the field "image" alone.
  std::string image{kImageField};
  // Names of fields that are delivered as they are, with pixels or without.
  // Arrays have the type and shape in all samples that they have in the first;
  // a sample of another is a bad one. No transform moves their values: boxes()
  // say what became of the image.
  std::vector<std::string> fields;
  // The shapes of `fields` differ from sample to sample, and a sample may be
  // without (BatchField::present). One of another type than the first sample
  // that has the field is a bad one; that sample is looked for in the indexes,
  // in all of them if there is none.
  bool ragged = false;
  PixelFormat pixels;
  OnBadSample on_bad = OnBadSample::kFail;
  EntryPointTrust entry_points = EntryPointTrust::kTrusted;
  unsigned threads = 0;  // 0: this process's share of the processors
  // Threads that wait for storage, each for eight samples at a time; 0: two, or
  // more where there are many threads, and 64 of a server.
  unsigned readers = 0;
  std::uint32_t prefetch = 0;  // batches ready in advance; 0: as many as
                               // keep the threads busy
  // Of kBlocks and kSequential: what of the next samples is asked for in
  // advance, in ranges as large as their blocks; 0: nothing. A local disk reads
  // them into the kernel's cache. Of a server's answers so many bytes are held
  // at most: half of it for the window that samples are taken from, half for
  // the next; of a window that is larger, the rest is read sample by sample.
  // A rank of several holds its own samples, and up to 64 KiB in between.
  std::uint64_t fetch_bytes = std::uint64_t{512} << 20;
  // With a transform: batches of the same shapes whose content costs nothing:
  // noise, the first sample's labels, positions as ids: what none can beat.
  bool synthetic = false;
  // So many of the latest events are kept for WriteTrace().
  std::uint32_t trace_events = 0;
  // Of the dataset, each once: the samples of an epoch, in place of all. What
  // "as stored" and "neighbours" mean for orders is as they stand here.
  std::shared_ptr<const std::vector<std::uint64_t>> positions;
  // Of the pixels of one view, of samples with one label each.
  MixOptions mix;
  // Rows for Batch::one_hot(), of samples with one label each.
  OneHot one_hot;
  // Which of these an epoch has, and how often; by default each once.
  Sampling sampling;
};

// What a loader needs to go on exactly: the same whatever the rank, the number
// of ranks, threads or the batch size. After the last batch of an epoch it is
// the beginning of the next one.
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

  friend bool operator==(const LoaderState&, const LoaderState&) = default;
};

// Its place is where the next batch begins: after the last batch of an epoch at
// the beginning of the next epoch, whether or not the end was asked for.
//
// One consumer: Next() and what sets the place are for one thread at a time;
// Stop() and stats() for any. Threads run from the first Next() to Stop().
class Loader {
 public:
  // kInvalidArgument names the option; or no epoch would have a batch: there
  // are no samples or, with kDrop, fewer than all ranks take in a step.
  // kUnsupported, whatever `on_bad` says: a field that batches are made of is
  // not in a shard as such (compressed, or numbers in another form), with
  // shard, record and field. kCancelled: a stop was asked for.
  static Result<std::unique_ptr<Loader>> Create(
      std::shared_ptr<const Dataset> dataset, const LoaderOptions& options,
      const std::stop_token& stop = {});
  ~Loader();

  // Steps of the whole epoch that the place is in, wherever in it: the same on
  // every rank.
  std::uint64_t size() const;
  // Of those, the ones from the place on.
  std::uint64_t steps_left() const;
  std::uint64_t epoch() const;  // of the next batch
  // Steps of an epoch from its beginning.
  std::uint64_t StepsOf(std::uint64_t epoch) const;

  // The next batch; nullopt once between the last batch of an epoch and the
  // first of the next. kCancelled after Stop(). A failure is final until the
  // place is set anew.
  Result<std::optional<Batch>> Next();
  // What a loop that may leave early, or takes exactly size() batches, begins
  // with. An epoch of which batches were handed out is left for the next one.
  // A place that was set and nothing was taken from stays: after SetState the
  // rest of that epoch follows. Forgets the nullopt that was not asked for, and
  // a failure.
  void BeginIteration();
  // Whether Next() has something to return, waiting that long for it; for
  // consumers that have more to listen to.
  bool WaitFor(std::chrono::nanoseconds time);

  // Sets the place to the beginning of an epoch. It stays if it lies in that
  // epoch and no batch was taken: trainers say it after SetState, too.
  void SetEpoch(std::uint64_t epoch);
  // Counts every batch that Next() returned, none of those in advance.
  LoaderState State() const;
  // kInvalidArgument: another dataset, other positions of it, another sampling,
  // another seed, beyond the epoch's end, amid an episode, or nodes that there
  // cannot be.
  Status SetState(const LoaderState& state);

  // Wakes whoever waits, and ends the threads.
  void Stop();

  LoaderStats stats() const;
  // What each thread did and waited for, sample by sample, as Chrome's trace
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
