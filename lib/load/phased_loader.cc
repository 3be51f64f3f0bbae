#include "shardine/phased_loader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

Status CheckPhases(const std::vector<Phase>& phases, bool same_samples) {
  const auto invalid = [](const std::string& why) {
    return Status(Code::kInvalidArgument, "phases: " + why);
  };
  if (phases.empty()) return invalid("none");
  if (phases.front().first_epoch != 0) {
    return invalid("the first begins with epoch " +
                   std::to_string(phases.front().first_epoch) + ", not 0");
  }
  const auto not_before = [](const Phase& a, const Phase& b) {
    return a.first_epoch >= b.first_epoch;
  };
  if (std::ranges::adjacent_find(phases, not_before) != phases.end()) {
    return invalid("first epochs do not ascend");
  }
  if (!same_samples) return {};
  const Dataset& first = *phases.front().dataset;
  for (const Phase& phase : phases) {
    // A place in the stream means the same samples in every phase only if all
    // of them have the same samples in the same order, as the sizes of one
    // dataset have. So a state of one phase is good for any other.
    if (phase.dataset->order_digest() == first.order_digest()) continue;
    return invalid(phase.dataset->path() + " (" + phase.dataset->variant() +
                   ") has not the samples of " + first.path() + " (" +
                   first.variant() + ") in their order");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<PhasedLoader>> PhasedLoader::Create(
    const std::vector<Phase>& phases, const LoaderOptions& options,
    bool same_samples) {
  SHARDINE_RETURN_IF_ERROR(CheckPhases(phases, same_samples));
  // Images of a variant may be in other buckets, where the rest of an epoch is
  // another one.
  if (!options.buckets.empty() && options.last_batch == LastBatch::kRoll) {
    return Status(Code::kInvalidArgument,
                  "phases: in buckets no batch rolls over");
  }
  std::vector<Entry> loaders;
  for (const Phase& phase : phases) {
    LoaderOptions own = options;
    // Seed, rank and world stay: they decide the order of samples, which goes
    // through all phases.
    own.transform = phase.transform;
    own.batch_size = phase.batch_size;
    if (phase.positions) own.positions = phase.positions;
    if (phase.sampling) own.sampling = *phase.sampling;
    auto loader = Loader::Create(phase.dataset, own);
    if (!loader.ok()) {
      return Status(loader.status().code(),
                    "phase " + std::to_string(loaders.size()) + ": " +
                        loader.status().message())
          .At(loader.status().where());
    }
    loaders.push_back({phase.first_epoch, *std::move(loader)});
  }
  const Digest128 first = loaders.front().loader->State().order_digest;
  const bool one_stream =
      same_samples && std::ranges::all_of(loaders, [&](const Entry& entry) {
        return entry.loader->State().order_digest == first;
      });
  if (!one_stream && options.last_batch == LastBatch::kRoll) {
    return Status(Code::kInvalidArgument,
                  "phases: a batch that rolls over would be of two sets");
  }
  return std::unique_ptr<PhasedLoader>(
      new PhasedLoader(std::move(loaders), one_stream));
}

std::size_t PhasedLoader::PhaseOf(std::uint64_t epoch) const {
  const auto behind =
      std::ranges::upper_bound(loaders_, epoch, {}, &Entry::first_epoch);
  return static_cast<std::size_t>(behind - loaders_.begin()) - 1;
}

std::uint64_t PhasedLoader::StepsOf(std::uint64_t epoch) const {
  return loaders_[PhaseOf(epoch)].loader->StepsOf(epoch);
}

Result<std::optional<Batch>> PhasedLoader::Next() {
  if (std::exchange(phase_ended_, false)) return std::optional<Batch>();
  const std::size_t phase = phase_;
  SHARDINE_ASSIGN_OR_RETURN(std::optional<Batch> batch, loader().Next());
  SHARDINE_RETURN_IF_ERROR(EnterPhase());
  // Only the loader that was left knows that its epoch is over; the one entered
  // starts at a place and says nothing. So the end is noted here, and said by
  // the next call.
  phase_ended_ = batch.has_value() && phase_ != phase;
  return batch;
}

// Goes to the loader of the place's epoch, if the one before has come to it.
Status PhasedLoader::EnterPhase() {
  if (PhaseOf(epoch()) == phase_) return {};
  if (one_stream_) return SetState(State());
  // Without rolling the place is the beginning of an epoch, which every set
  // has.
  const bool ended = phase_ended_;
  SetEpoch(epoch());
  phase_ended_ = ended;
  return {};
}

void PhasedLoader::BeginIteration() {
  phase_ended_ = false;
  loader().BeginIteration();
  // The state comes from a loader of the same samples and seed (CheckPhases),
  // so the next phase's takes it.
  SHARDINE_CHECK(EnterPhase().ok());
}

void PhasedLoader::SetEpoch(std::uint64_t epoch) {
  phase_ended_ = false;
  const std::size_t left = std::exchange(phase_, PhaseOf(epoch));
  loader().SetEpoch(epoch);
  if (left != phase_) loaders_[left].loader->SetEpoch(0);
}

Status PhasedLoader::SetState(const LoaderState& state) {
  const std::size_t to = PhaseOf(state.epoch);
  SHARDINE_RETURN_IF_ERROR(loaders_[to].loader->SetState(state));
  // Moving away ends the threads of the phase that is left and frees the
  // batches that they made in advance. Two phases at work would share the
  // processors.
  if (to != phase_) loader().SetEpoch(0);
  phase_ = to;
  phase_ended_ = false;
  // Where less than a step is left of the epoch, the place is in the next one.
  return EnterPhase();
}

void PhasedLoader::Stop() {
  for (const Entry& entry : loaders_) entry.loader->Stop();
}

}  // namespace shardine
