// The samples that a loader has to deliver, worked out by brute force from the
// sentences of loader.h: lists of samples are dealt out one by one. Knows
// nothing of the product's plans; only the order inside an epoch is taken from
// a loader that has the epoch as one batch.
#ifndef SHARDINE_TESTS_UNIT_LOAD_LOADER_MODEL_H_
#define SHARDINE_TESTS_UNIT_LOAD_LOADER_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shardine/loader.h"

namespace shardine {

// An option that may be another one after a resume.
struct Spread {
  std::uint32_t world = 1;
  std::uint32_t batch_size = 1;
  LastBatch last_batch = LastBatch::kDrop;
};

struct ModelPlace {
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;
};

// A sample in an epoch: its box depends on both.
struct ModelSample {
  std::uint64_t epoch = 0;
  std::uint64_t id = 0;

  friend auto operator<=>(const ModelSample&, const ModelSample&) = default;
};

struct ModelBatch {
  std::vector<ModelSample> samples;
  std::uint32_t padding = 0;  // of them, at the end
};

struct ModelStep {
  std::vector<ModelBatch> ranks;
  ModelPlace behind;
};

class LoaderModel {
 public:
  LoaderModel(std::shared_ptr<const Dataset> dataset, OrderOptions order,
              std::uint64_t seed);

  const std::shared_ptr<const Dataset>& dataset() const { return dataset_; }
  std::uint64_t samples() const { return dataset_->size(); }
  const OrderOptions& order() const { return order_; }
  std::uint64_t seed() const { return seed_; }

  // The ids of an epoch in order: each once, or the test fails.
  const std::vector<std::uint64_t>& Epoch(std::uint64_t epoch);

  // nullopt: the epoch is over.
  std::optional<ModelStep> StepAt(const Spread& spread, ModelPlace from);
  std::uint64_t StepsLeft(const Spread& spread, ModelPlace from);
  // The place behind the end of an epoch.
  ModelPlace NextEpoch(ModelPlace end) const;
  // The place as a state says it: position < samples().
  ModelPlace Saved(ModelPlace place) const;
  LoaderState StateAt(const ModelPlace& saved) const;
  // Where a loader goes that gets such a state.
  ModelPlace Resumed(const Spread& spread, ModelPlace saved);
  // The beginning of an epoch, by going through all before it.
  ModelPlace Begin(const Spread& spread, std::uint64_t epoch);

 private:
  ModelSample At(const ModelPlace& place) {
    return {place.epoch, Epoch(place.epoch).at(place.position)};
  }

  std::shared_ptr<const Dataset> dataset_;
  OrderOptions order_;
  std::uint64_t seed_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> epochs_;
};

// Checks batches against the model, and that whatever a loader's threads, ranks
// and place, a sample has in an epoch one label, one box and one picture.
class BatchChecker {
 public:
  explicit BatchChecker(LoaderModel& model) : model_(model) {}

  // The ids without padding.
  std::vector<std::uint64_t> Check(const Batch& batch,
                                   const ModelBatch& expected,
                                   std::uint64_t epoch);

 private:
  struct Seen {
    std::string content;  // pixels, or the record
    CropBox box;

    friend bool operator==(const Seen&, const Seen&) = default;
  };

  LoaderModel& model_;
  std::map<ModelSample, Seen> decoded_;
  std::map<std::uint64_t, std::string> records_;
};

// The samples of all ranks of a job from a place to the end of its epoch: each
// checked, state and sizes all along. `loaders`: one for each rank, at `at`,
// which then are in the next epoch.
struct EpochWalk {
  std::vector<std::uint64_t> ids;         // without padding
  std::vector<ModelPlace> places;         // saved before each step, and after
  std::vector<std::size_t> ids_at_place;  // how many ids there were by then
};
EpochWalk WalkEpoch(const std::vector<std::unique_ptr<Loader>>& loaders,
                    const Spread& spread, LoaderModel& model,
                    BatchChecker& checker, ModelPlace at);

}  // namespace shardine

#endif  // SHARDINE_TESTS_UNIT_LOAD_LOADER_MODEL_H_
