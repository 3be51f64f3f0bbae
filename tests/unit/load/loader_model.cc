#include "unit/load/loader_model.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/bytes.h"

namespace shardine {

LoaderModel::LoaderModel(std::shared_ptr<const Dataset> dataset,
                         OrderOptions order, std::uint64_t seed)
    : dataset_(std::move(dataset)), order_(order), seed_(seed) {}

const std::vector<std::uint64_t>& LoaderModel::Epoch(std::uint64_t epoch) {
  const auto [found, is_new] = epochs_.try_emplace(epoch);
  std::vector<std::uint64_t>& ids = found->second;
  if (!is_new || samples() == 0) return ids;
  LoaderOptions options;
  options.batch_size = static_cast<std::uint32_t>(samples());
  options.order = order_;
  options.seed = seed_;
  options.threads = 1;
  options.prefetch = 1;
  auto loader = Loader::Create(dataset_, options);
  REQUIRE(loader.status().ToString() == "OK");
  (*loader)->SetEpoch(epoch);
  const auto batch = (*loader)->Next();
  REQUIRE(batch.status().ToString() == "OK");
  REQUIRE(batch->has_value());
  ids.assign((*batch)->ids().begin(), (*batch)->ids().end());
  REQUIRE(std::set(ids.begin(), ids.end()).size() == samples());
  return ids;
}

std::optional<ModelStep> LoaderModel::StepAt(const Spread& spread,
                                             ModelPlace from) {
  const std::uint64_t left = samples() - std::min(from.position, samples());
  const std::uint64_t whole = std::uint64_t{spread.world} * spread.batch_size;
  if (left == 0) return std::nullopt;
  if (spread.last_batch == LastBatch::kDrop && left < whole)
    return std::nullopt;
  ModelStep step;
  step.ranks.resize(spread.world);
  ModelPlace at = from;
  std::uint64_t taken = 0;
  for (std::uint32_t rank = 0; rank < spread.world; ++rank) {
    std::uint64_t count = spread.batch_size;
    if (spread.last_batch == LastBatch::kShort && left < whole) {
      count = left / spread.world + (rank < left % spread.world ? 1 : 0);
    }
    ModelBatch& batch = step.ranks[rank];
    for (std::uint64_t i = 0; i < count; ++i, ++taken) {
      if (at.position == samples()) {
        at = {at.epoch + (spread.last_batch == LastBatch::kRoll ? 1 : 0), 0};
      }
      batch.samples.push_back(At(at));
      ++at.position;
      const bool again = spread.last_batch == LastBatch::kPad && taken >= left;
      batch.padding += again ? 1 : 0;
    }
  }
  step.behind = {from.epoch, from.position + taken};
  if (spread.last_batch != LastBatch::kRoll) {
    step.behind.position = std::min(step.behind.position, samples());
  }
  return step;
}

std::uint64_t LoaderModel::StepsLeft(const Spread& spread, ModelPlace from) {
  std::uint64_t steps = 0;
  for (auto step = StepAt(spread, from); step;
       step = StepAt(spread, step->behind)) {
    ++steps;
  }
  return steps;
}

ModelPlace LoaderModel::NextEpoch(ModelPlace end) const {
  return {end.epoch + 1,
          end.position > samples() ? end.position - samples() : 0};
}

ModelPlace LoaderModel::Saved(ModelPlace place) const {
  while (place.position >= samples()) {
    place = {place.epoch + 1, place.position - samples()};
  }
  return place;
}

LoaderState LoaderModel::StateAt(const ModelPlace& saved) const {
  const auto in_words = [&]() -> std::string {
    switch (order_.order) {
      case SampleOrder::kShuffle:
        return "shuffle/2";
      case SampleOrder::kBlocks:
        return "blocks/2 " + std::to_string(order_.block) + " " +
               std::to_string(order_.window);
      case SampleOrder::kSequential:
        return "sequential";
      case SampleOrder::kRatio:
        return "ratio";
    }
    return {};
  };
  LoaderState state{dataset_->order_digest(), seed_, saved.epoch,
                    saved.position};
  if (saved.position != 0) state.order = in_words();
  return state;
}

ModelPlace LoaderModel::Resumed(const Spread& spread, ModelPlace saved) {
  return StepAt(spread, saved) ? saved : NextEpoch(saved);
}

ModelPlace LoaderModel::Begin(const Spread& spread, std::uint64_t epoch) {
  ModelPlace at;
  while (at.epoch < epoch) {
    while (const auto step = StepAt(spread, at)) at = step->behind;
    at = NextEpoch(at);
  }
  return at;
}

std::vector<std::uint64_t> BatchChecker::Check(const Batch& batch,
                                               const ModelBatch& expected,
                                               std::uint64_t epoch) {
  REQUIRE(batch.size() == expected.samples.size());
  REQUIRE(batch.padding() == expected.padding);
  REQUIRE(batch.epoch() == epoch);
  const std::size_t slot =
      batch.size() == 0 ? 0 : batch.pixels().size() / batch.size();
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const ModelSample& sample = expected.samples[i];
    REQUIRE(batch.ids()[i] == sample.id);
    REQUIRE(batch.bad()[i] == 0);
    const auto [record, is_new] = records_.try_emplace(sample.id);
    if (is_new) {
      const auto read = model_.dataset()->Read(batch.positions()[i]);
      REQUIRE(read.ok());
      REQUIRE(read->id == sample.id);
      REQUIRE(read->labels == std::vector<Label>{batch.labels()[i]});
      record->second.assign(reinterpret_cast<const char*>(read->image().data()),
                            read->image().size());
    }
    if (slot == 0) {
      REQUIRE(AsText(batch.records()[i]) == record->second);
    } else {
      const Seen seen{
          std::string(AsText(batch.pixels().subspan(slot * i, slot))),
          batch.boxes()[i]};
      REQUIRE(decoded_.try_emplace(sample, seen).first->second == seen);
    }
    if (i < batch.size() - batch.padding()) ids.push_back(sample.id);
  }
  return ids;
}

EpochWalk WalkEpoch(const std::vector<std::unique_ptr<Loader>>& loaders,
                    const Spread& spread, LoaderModel& model,
                    BatchChecker& checker, ModelPlace at) {
  EpochWalk walk;
  std::uint64_t left = model.StepsLeft(spread, at);
  while (true) {
    const auto step = model.StepAt(spread, at);
    const ModelPlace saved = model.Saved(step ? at : model.NextEpoch(at));
    walk.places.push_back(saved);
    walk.ids_at_place.push_back(walk.ids.size());
    for (std::size_t rank = 0; rank < loaders.size(); ++rank) {
      Loader& loader = *loaders[rank];
      INFO("rank " << rank << " at epoch " << at.epoch << ", position "
                   << at.position);
      REQUIRE(loader.State() == model.StateAt(saved));
      if (step) REQUIRE(loader.steps_left() == left);
      if (step) REQUIRE(loader.epoch() == at.epoch);
      const auto batch = loader.Next();
      REQUIRE(batch.status().ToString() == "OK");
      REQUIRE(batch->has_value() == step.has_value());
      if (!step) REQUIRE(loader.epoch() == at.epoch + 1);
      if (!step) continue;
      const auto ids = checker.Check(**batch, step->ranks[rank], at.epoch);
      walk.ids.insert(walk.ids.end(), ids.begin(), ids.end());
    }
    if (!step) return walk;
    at = step->behind;
    --left;
  }
}

}  // namespace shardine
