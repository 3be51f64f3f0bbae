// EpochSampling: which sample comes at each place of an epoch. The one seam
// between the stream of epochs that steps are cut from (step_plan.h) and the
// samples of a dataset (sample_choice.h). Pure functions of (samples, sampling,
// order, seed, epoch, position): any place can be asked for, none is kept.
#ifndef SHARDINE_LOAD_EPOCH_SAMPLING_H_
#define SHARDINE_LOAD_EPOCH_SAMPLING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

#include "base/checksum.h"
#include "dataset/sample_source.h"
#include "load/epoch_order.h"
#include "load/sample_choice.h"
#include "load/step_plan.h"
#include "shardine/loader.h"
#include "shardine/status.h"

namespace shardine {

// The sample at a place of an epoch.
struct SampledPlace {
  std::uint64_t number = 0;  // of the sample among those of the choice
  // Differs between all places of the epoch with this sample.
  std::uint64_t repetition = 0;

  friend bool operator==(const SampledPlace&, const SampledPlace&) = default;
};

// Immutable, so thread-safe.
class EpochSampling {
 public:
  // The sampling of `options.sampling` for the chosen samples. Where it goes by
  // classes, reads the labels of all of them. kInvalidArgument names the part
  // that does not fit: weights, orders, batches, labels.
  // REQUIRES: choice.size() > 0.
  static Result<std::unique_ptr<const EpochSampling>> Make(
      const LoaderOptions& options, const SampleSource& source,
      const SampleChoice& choice, const std::stop_token& stop);

  virtual ~EpochSampling() = default;
  EpochSampling(const EpochSampling&) = delete;
  EpochSampling& operator=(const EpochSampling&) = delete;

  // Samples of each epoch, the same in all.
  virtual std::uint64_t size() const = 0;
  // How steps are cut from it.
  virtual Dealing dealing() const { return {}; }
  // "class-balanced"; empty: each sample once, as without any.
  virtual std::string_view name() const = 0;
  // A state amid an epoch has this version of the draws of each epoch. Empty:
  // it draws by EpochOrder alone, or has had one version.
  virtual std::string_view draws() const { return ""; }
  // Adds the parameters that distinguish samplings of the same samples.
  virtual void AddTo(Xxh3Stream& stream) const = 0;

  // Several places at a time: each epoch is set up once for its places.
  // REQUIRES: positions < size(); as many places as results.
  virtual void At(std::span<const StreamPosition> places,
                  std::span<SampledPlace> sampled) const = 0;
  // Places from this one on whose samples are, in some order, those of blocks,
  // as numbers of the choice. Only of RepeatedSampling, and not of kShuffle.
  virtual EpochOrder::Stretch StretchAt(const StreamPosition& place) const;

 protected:
  EpochSampling() = default;
};

// The order of one epoch or another, set up when it is another one.
class LatestOrder {
 public:
  LatestOrder(std::uint64_t samples, const OrderOptions& options,
              std::uint64_t seed)
      : samples_(samples), options_(options), seed_(seed) {}

  const EpochOrder& operator()(std::uint64_t epoch) {
    if (!order_ || epoch != epoch_) {
      order_.emplace(samples_, options_, seed_, epoch);
      epoch_ = epoch;
    }
    return *order_;
  }

 private:
  const std::uint64_t samples_;
  const OrderOptions options_;
  const std::uint64_t seed_;
  std::uint64_t epoch_ = 0;
  std::optional<EpochOrder> order_;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_EPOCH_SAMPLING_H_
