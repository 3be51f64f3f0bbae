// Loaders of any job against a model that deals samples out one by one: the
// samples of all ranks in an epoch, cut at each of its steps and resumed by
// other ranks, batches and threads.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "load/sample_draws.h"
#include "support/fault_sweep.h"
#include "support/sanitized.h"
#include "unit/load/loader_model.h"
#include "unit/load/memory_dataset.h"

namespace shardine::loader_property_test {
namespace {

// Sanitizers make threads slow, so they run fewer cases.
constexpr std::uint64_t kJobs = kSanitized ? 20 : 640;
constexpr std::uint64_t kScripts = kSanitized ? 12 : 300;
constexpr std::uint64_t kLeastCases = kSanitized ? 75 : 3000;

constexpr LastBatch kPolicies[] = {LastBatch::kDrop, LastBatch::kShort,
                                   LastBatch::kPad, LastBatch::kRoll};
constexpr unsigned kThreads[] = {1, 2, 7};
constexpr std::uint32_t kPrefetch[] = {0, 1, 1, 3};
constexpr std::uint32_t kSizes[] = {1, 2, 5, 16, 31, 64, 97, 150, 260};

// Random choices of a test, the same in every run.
class Choice {
 public:
  Choice(std::uint64_t test, std::uint64_t number) : draws_(test, number, 0) {}
  std::uint32_t Below(std::uint32_t count) {
    return draws_(next_++).Below(0, count);
  }
  template <typename Values>
  auto OneOf(const Values& values) {
    return values[Below(static_cast<std::uint32_t>(std::size(values)))];
  }

 private:
  SampleDraws draws_;
  std::uint32_t next_ = 0;
};

std::shared_ptr<const Dataset> DatasetOf(std::uint32_t samples) {
  static std::map<std::uint32_t, std::unique_ptr<MemoryDataset>> made;
  auto& dataset = made[samples];
  if (dataset == nullptr) {
    dataset = std::make_unique<MemoryDataset>(samples, samples / 40 + 2);
  }
  return dataset->Open();
}

OrderOptions AnyOrder(Choice& choice) {
  switch (choice.Below(4)) {
    case 0:
      return {SampleOrder::kSequential};
    case 1:
      return {SampleOrder::kBlocks, choice.Below(13) + 1, choice.Below(5) + 1};
    default:
      return {SampleOrder::kShuffle};
  }
}

// How samples are spread: one step of them at least, `most` at most.
Spread AnySpread(Choice& choice, LastBatch last_batch, std::uint64_t samples,
                 std::uint64_t most) {
  Spread spread{choice.Below(8) + 1, choice.Below(9) + 1, last_batch};
  while (samples / (std::uint64_t{spread.world} * spread.batch_size) > most) {
    spread.batch_size *= 2;
  }
  if (last_batch == LastBatch::kDrop) {
    const auto all = static_cast<std::uint32_t>(samples);
    spread.world = std::min(spread.world, all);
    spread.batch_size = std::min(spread.batch_size, all / spread.world);
  }
  return spread;
}

// One of each rank.
std::vector<std::unique_ptr<Loader>> Loaders(const LoaderModel& model,
                                             const Spread& spread, bool raw,
                                             Choice& choice) {
  LoaderOptions options;
  options.batch_size = spread.batch_size;
  options.order = model.order();
  options.seed = model.seed();
  options.world = spread.world;
  options.last_batch = spread.last_batch;
  if (!raw) options.transform = RandomResizedCrop{.width = 6, .height = 5};
  options.threads = choice.OneOf(kThreads);
  options.prefetch = choice.OneOf(kPrefetch);
  std::vector<std::unique_ptr<Loader>> loaders;
  for (options.rank = 0; options.rank < spread.world; ++options.rank) {
    auto loader = Loader::Create(model.dataset(), options);
    REQUIRE(loader.status().ToString() == "OK");
    loaders.push_back(*std::move(loader));
  }
  return loaders;
}

std::vector<std::uint64_t> Sorted(std::vector<std::uint64_t> ids) {
  std::ranges::sort(ids);
  return ids;
}

// Checks the epoch's samples as sets: independent of how ranks dealt them out.
void CheckUnion(const Spread& spread, LoaderModel& model, ModelPlace begin,
                std::vector<std::uint64_t> ids) {
  const auto& epoch = model.Epoch(begin.epoch);
  const std::uint64_t skipped = std::min(begin.position, model.samples());
  const std::uint64_t there = model.samples() - skipped;
  const std::uint64_t step = std::uint64_t{spread.world} * spread.batch_size;
  if (spread.last_batch == LastBatch::kRoll) {
    REQUIRE(ids.size() == (there + step - 1) / step * step);
    ids.resize(there);  // the rest is of epochs behind
  } else if (spread.last_batch == LastBatch::kDrop) {
    REQUIRE(there - ids.size() < step);
  } else {
    REQUIRE(ids.size() == there);
  }
  const auto first = epoch.begin() + static_cast<std::ptrdiff_t>(skipped);
  REQUIRE(Sorted(ids) ==
          Sorted({first, first + static_cast<std::ptrdiff_t>(ids.size())}));
}

class Job {
 public:
  explicit Job(std::uint64_t number)
      : choice_(1, number),
        model_(DatasetOf(kSizes[number % std::size(kSizes)]), AnyOrder(choice_),
               choice_.Below(3)),
        checker_(model_),
        raw_(choice_.Below(2) == 0),
        spread_(AnySpread(choice_, kPolicies[number / 9 % 4], model_.samples(),
                          24)) {}

  // Undisturbed; then cut at each step. Returns how often.
  std::uint64_t Run() {
    const std::uint64_t epoch = choice_.Below(3);
    const ModelPlace begin = model_.Begin(spread_, epoch);
    const auto loaders = Loaders(model_, spread_, raw_, choice_);
    for (const auto& loader : loaders) {
      loader->SetEpoch(epoch);
      REQUIRE(loader->StepsOf(epoch) == model_.StepsLeft(spread_, begin));
    }
    const EpochWalk whole =
        WalkEpoch(loaders, spread_, model_, checker_, begin);
    CheckUnion(spread_, model_, begin, whole.ids);
    for (std::size_t cut = 0; cut < whole.places.size(); ++cut) {
      INFO("cut after " << cut << " steps");
      Resume(begin, whole, cut, loaders);
    }
    return whole.places.size();
  }

 private:
  // Resumes by other ranks; each third time by the loaders that have been
  // there.
  void Resume(const ModelPlace& begin, const EpochWalk& whole, std::size_t cut,
              const std::vector<std::unique_ptr<Loader>>& used) {
    const bool again = choice_.Below(3) == 0;
    // A place of rolled steps can be anybody's.
    const LastBatch policy =
        choice_.Below(4) == 0 ? choice_.OneOf(kPolicies) : spread_.last_batch;
    const Spread spread =
        again ? spread_ : AnySpread(choice_, policy, model_.samples(), 40);
    std::vector<std::unique_ptr<Loader>> fresh;
    if (!again) fresh = Loaders(model_, spread, raw_, choice_);
    const auto& loaders = again ? used : fresh;
    const ModelPlace saved = whole.places[cut];
    for (const auto& loader : loaders) {
      REQUIRE(loader->SetState(model_.StateAt(saved)).ok());
    }
    const ModelPlace at = model_.Resumed(spread, saved);
    const EpochWalk rest = WalkEpoch(loaders, spread, model_, checker_, at);
    if (at.epoch == begin.epoch && spread.last_batch == spread_.last_batch) {
      std::vector<std::uint64_t> ids(
          whole.ids.begin(), whole.ids.begin() + static_cast<std::ptrdiff_t>(
                                                     whole.ids_at_place[cut]));
      ids.insert(ids.end(), rest.ids.begin(), rest.ids.end());
      if (spread.last_batch != LastBatch::kRoll) {
        CheckUnion(spread, model_, begin, ids);
      }
    }
    if (choice_.Below(8) > 0) return;
    // The epoch after it.
    if (spread.last_batch == LastBatch::kRoll) return;
    WalkEpoch(loaders, spread, model_, checker_, rest.places.back());
  }

  Choice choice_;
  LoaderModel model_;
  BatchChecker checker_;
  const bool raw_;
  const Spread spread_;
};

TEST_CASE("An epoch cut anywhere and resumed by others is the same epoch",
          "[loader][property]") {
  std::uint64_t cases = 0;
  for (std::uint64_t number = 0; number < kJobs; ++number) {
    INFO("job " << number);
    cases += Job(number).Run();
  }
  CHECK(cases >= kLeastCases);
}

// The stream of several epochs handed from one set of ranks to another each few
// steps: nothing twice, nothing left out.
TEST_CASE("Rolled epochs handed from ranks to ranks have no seam",
          "[loader][property]") {
  for (std::uint64_t number = 0; number < kJobs / 4; ++number) {
    INFO("job " << number);
    Choice choice(2, number);
    const std::uint32_t samples = choice.Below(2) == 0 ? 5 : 31;
    LoaderModel model(DatasetOf(samples), AnyOrder(choice), 5);
    BatchChecker checker(model);
    std::vector<std::uint64_t> ids;
    ModelPlace at;
    while (at.epoch < 4) {
      const Spread spread =
          AnySpread(choice, LastBatch::kRoll, model.samples(), 40);
      const auto loaders = Loaders(model, spread, choice.Below(2) == 0, choice);
      for (const auto& loader : loaders) {
        REQUIRE(loader->SetState(model.StateAt(at)).ok());
      }
      const EpochWalk walk = WalkEpoch(loaders, spread, model, checker, at);
      // Samples after the cut are left to others.
      const std::size_t cut =
          choice.Below(static_cast<std::uint32_t>(walk.places.size()));
      at = walk.places[cut];
      ids.insert(ids.end(), walk.ids.begin(),
                 walk.ids.begin() +
                     static_cast<std::ptrdiff_t>(walk.ids_at_place[cut]));
    }
    std::vector<std::uint64_t> stream;
    for (std::uint64_t epoch = 0; stream.size() < ids.size(); ++epoch) {
      const auto& more = model.Epoch(epoch);
      stream.insert(stream.end(), more.begin(), more.end());
    }
    stream.resize(ids.size());
    REQUIRE(ids.size() >= 4 * samples);
    REQUIRE(ids == stream);
  }
}

// One loader, and its expected place.
class Script {
 public:
  explicit Script(std::uint64_t number)
      : choice_(3, number),
        model_(DatasetOf(choice_.OneOf(kSizes)), AnyOrder(choice_), 9),
        checker_(model_),
        spread_(
            AnySpread(choice_, choice_.OneOf(kPolicies), model_.samples(), 12)),
        loaders_(Loaders(model_, spread_, choice_.Below(2) == 0, choice_)),
        rank_(choice_.Below(spread_.world)) {}

  void Run() {
    for (int call = 0; call < 25; ++call) {
      INFO("call " << call);
      switch (choice_.Below(9)) {
        case 0:
          SetEpoch(choice_.Below(4));
          break;
        case 1:
          saved_ = model_.Saved(at_);
          break;
        case 2:
          REQUIRE(loader().SetState(model_.StateAt(saved_)).ok());
          Arrive(saved_);
          break;
        case 3:
          REQUIRE(loader().WaitFor(std::chrono::minutes(1)));
          break;
        case 4:
          BeginIteration();
          break;
        default:
          Next();
      }
      REQUIRE(loader().State() == model_.StateAt(model_.Saved(at_)));
      REQUIRE(loader().epoch() == at_.epoch);
      REQUIRE(loader().steps_left() == model_.StepsLeft(spread_, at_));
      const ModelPlace begin = model_.Begin(spread_, at_.epoch);
      REQUIRE(loader().size() == model_.StepsLeft(spread_, begin));
    }
  }

 private:
  Loader& loader() { return *loaders_[rank_]; }

  void Arrive(const ModelPlace& place) {
    at_ = place;
    taken_ = false;
    ended_ = false;
  }

  void SetEpoch(std::uint64_t epoch) {
    loader().SetEpoch(epoch);
    const bool stays = epoch == at_.epoch && !taken_;
    Arrive(stays ? at_ : model_.Begin(spread_, epoch));
  }

  void BeginIteration() {
    loader().BeginIteration();
    if (!taken_) return Arrive(at_);
    while (const auto step = model_.StepAt(spread_, at_)) at_ = step->behind;
    Arrive(model_.NextEpoch(at_));
  }

  void Next() {
    const auto batch = loader().Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (std::exchange(ended_, false)) {
      REQUIRE(!batch->has_value());
      return;
    }
    const auto step = model_.StepAt(spread_, at_);
    REQUIRE(batch->has_value() == step.has_value());
    if (!step) return Arrive(model_.NextEpoch(at_));
    checker_.Check(**batch, step->ranks[rank_], at_.epoch);
    at_ = step->behind;
    taken_ = model_.StepsLeft(spread_, at_) > 0;
    ended_ = !taken_;
    if (ended_) at_ = model_.NextEpoch(at_);
  }

  Choice choice_;
  LoaderModel model_;
  BatchChecker checker_;
  const Spread spread_;
  const std::vector<std::unique_ptr<Loader>> loaders_;
  const std::uint32_t rank_;
  ModelPlace at_;
  bool taken_ = false;  // batches of the epoch that is not over
  bool ended_ = false;  // not yet said
  ModelPlace saved_;
};

TEST_CASE("A loader is at its place after any sequence of calls",
          "[loader][property]") {
  for (std::uint64_t number = 0; number < kScripts; ++number) {
    INFO("script " << number);
    Script(number).Run();
  }
}

TEST_CASE("A loader of no samples is not made", "[loader][property]") {
  MemoryDataset nothing(0);
  for (const LastBatch last_batch : kPolicies) {
    LoaderOptions options;
    options.batch_size = 1;
    options.last_batch = last_batch;
    const Status status = Loader::Create(nothing.Open(), options).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() == "there are no samples in split \"train\"");
  }
}

// Ranks of rectangular validation share images in ascending order of their
// ratios; the shape of a batch is its own images' matter.
TEST_CASE(
    "Rectangular validation cut anywhere and resumed by others is the same "
    "epoch",
    "[loader][property]") {
  const auto dataset = DatasetOf(97);
  LoaderOptions options;
  options.batch_size = 97;
  options.order.order = SampleOrder::kRatio;
  options.transform = RectangularCrop(16);
  options.last_batch = LastBatch::kShort;
  options.threads = 2;
  const auto load = [&](std::uint32_t world, std::uint32_t batch_size,
                        std::uint64_t position) {
    std::vector<std::uint64_t> ids;
    options.world = world;
    options.batch_size = batch_size;
    std::vector<std::unique_ptr<Loader>> loaders;
    for (options.rank = 0; options.rank < world; ++options.rank) {
      auto loader = Loader::Create(dataset, options);
      REQUIRE(loader.ok());
      REQUIRE(
          (*loader)->SetState({dataset->order_digest(), 0, 0, position}).ok());
      loaders.push_back(*std::move(loader));
    }
    for (auto left = loaders[0]->steps_left(); left > 0; --left) {
      for (const auto& loader : loaders) {
        const auto batch = loader->Next();
        REQUIRE(batch.ok());
        double sum = 0;
        for (const CropBox& box : (*batch)->boxes()) {
          sum += std::round(1e5 * box.width / box.height) / 1e5;
        }
        const double ratio = (*batch)->size() > 0 ? sum / (*batch)->size() : 1;
        const BatchShape shape = (*batch)->shape();
        const double longer = ratio < 1 ? 16 / ratio : 16 * ratio;
        CHECK((ratio < 1 ? shape.width : shape.height) == 16);
        CHECK((ratio < 1 ? shape.height : shape.width) ==
              std::floor(longer / 8) * 8);
        ids.insert(ids.end(), (*batch)->ids().begin(), (*batch)->ids().end());
      }
    }
    return ids;
  };
  const auto whole = load(1, 97, 0);
  CHECK(std::set(whole.begin(), whole.end()).size() == 97);
  for (std::uint32_t world = 1; world <= 8; ++world) {
    for (std::uint64_t position = 0; position < 97;
         position += 6 * kSweepStep) {
      CHECK(load(world, world % 3 + 4, position) ==
            std::vector(whole.begin() + static_cast<std::ptrdiff_t>(position),
                        whole.end()));
    }
  }
}

// Draws depend on the sample and the epoch: the order has no part in them.
TEST_CASE("A sample has the same box in whatever order it comes",
          "[loader][property]") {
  std::map<ModelSample, CropBox> boxes;
  for (const OrderOptions& order : {OrderOptions{SampleOrder::kShuffle},
                                    OrderOptions{SampleOrder::kBlocks, 7, 3},
                                    OrderOptions{SampleOrder::kBlocks, 11, 1},
                                    OrderOptions{SampleOrder::kSequential}}) {
    LoaderOptions options;
    options.batch_size = 13;
    options.last_batch = LastBatch::kShort;
    options.order = order;
    options.seed = 4;
    options.transform = RandomResizedCrop{.width = 6, .height = 5};
    options.threads = 2;
    auto loader = Loader::Create(DatasetOf(97), options);
    REQUIRE(loader.ok());
    while ((*loader)->epoch() < 3) {
      const auto batch = (*loader)->Next();
      REQUIRE(batch.ok());
      if (!batch->has_value()) continue;
      for (std::size_t i = 0; i < (*batch)->size(); ++i) {
        const ModelSample sample{(*batch)->epoch(), (*batch)->ids()[i]};
        const CropBox box = (*batch)->boxes()[i];
        REQUIRE(boxes.try_emplace(sample, box).first->second == box);
      }
    }
  }
  REQUIRE(boxes.size() == 3 * 97);
  int other = 0;
  for (std::uint64_t id = 0; id < 97; ++id) {
    other += boxes.at({0, id}) == boxes.at({1, id}) ? 0 : 1;
  }
  CHECK(other > 80);
}

}  // namespace
}  // namespace shardine::loader_property_test
