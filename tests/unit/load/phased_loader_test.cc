#include "shardine/phased_loader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <tuple>

#include "unit/load/loader_fixture.h"

namespace shardine::phased_loader_test {
namespace {

constexpr std::uint32_t kSamples = 30;

RandomResizedCrop CropTo(std::uint32_t side) {
  return {.width = side, .height = side};
}

// Small images in large batches for two epochs, then larger ones.
std::vector<Phase> Phases(const LoaderFixture& fixture) {
  const auto dataset = fixture.Open();
  return {{0, dataset, CropTo(16), 10},
          {2, dataset, CropTo(24), 5},
          {3, dataset, CropTo(24), 6}};
}

LoaderOptions Options() {
  LoaderOptions options;
  options.seed = 3;
  options.threads = 2;
  return options;
}

std::unique_ptr<PhasedLoader> Make(const std::vector<Phase>& phases,
                                   const LoaderOptions& options = Options()) {
  auto loader = PhasedLoader::Create(phases, options);
  REQUIRE(loader.status().ToString() == "OK");
  return *std::move(loader);
}

struct Step {
  std::uint64_t epoch = 0;
  std::uint32_t samples = 0;
  std::uint32_t side = 0;
  std::vector<std::uint64_t> ids;
};

// Until that many epochs have ended.
std::vector<Step> Stream(PhasedLoader& loader, std::uint64_t epochs) {
  std::vector<Step> steps;
  while (loader.epoch() < epochs) {
    auto batch = loader.Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!batch->has_value()) continue;
    const auto ids = (*batch)->ids();
    steps.push_back({(*batch)->epoch(),
                     (*batch)->size(),
                     (*batch)->shape().width,
                     {ids.begin(), ids.end()}});
  }
  return steps;
}

std::vector<std::uint64_t> IdsOf(const std::vector<Step>& steps,
                                 std::uint64_t epoch) {
  std::vector<std::uint64_t> ids;
  for (const Step& step : steps) {
    if (step.epoch != epoch) continue;
    ids.insert(ids.end(), step.ids.begin(), step.ids.end());
  }
  return ids;
}

TEST_CASE("each phase has its images and batches, each epoch its samples") {
  const LoaderFixture fixture(kSamples);
  const auto loader = Make(Phases(fixture));
  CHECK(loader->StepsOf(1) == 3);
  CHECK(loader->StepsOf(2) == 6);
  CHECK(loader->StepsOf(90) == 5);
  const std::vector<Step> steps = Stream(*loader, 5);
  REQUIRE(steps.size() == 3 + 3 + 6 + 5 + 5);
  for (const Step& step : steps) {
    CHECK(step.side == (step.epoch < 2 ? 16 : 24));
    CHECK(step.samples == (step.epoch < 2 ? 10 : step.epoch == 2 ? 5 : 6));
  }
  for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
    std::vector<std::uint64_t> ids = IdsOf(steps, epoch);
    std::ranges::sort(ids);
    std::vector<std::uint64_t> all(kSamples);
    std::iota(all.begin(), all.end(), 0u);
    CHECK(ids == all);
  }
}

TEST_CASE("a phase has the order that a loader without phases has") {
  const LoaderFixture fixture(kSamples);
  const auto phased = Make(Phases(fixture));
  const std::vector<Step> steps = Stream(*phased, 4);
  LoaderOptions options = Options();
  options.transform = CropTo(24);
  options.batch_size = 6;
  const auto alone = fixture.Load(options);
  alone->SetEpoch(3);
  CHECK(Drain(*alone).ids == IdsOf(steps, 3));
}

TEST_CASE("a state goes on in the phase of its epoch") {
  const LoaderFixture fixture(kSamples);
  const std::vector<Phase> phases = Phases(fixture);
  const auto loader = Make(phases);
  std::vector<Step> steps = Stream(*loader, 2);
  CHECK(loader->phase() == 1);  // its last batch was taken
  loader->BeginIteration();
  REQUIRE(loader->Next()->has_value());
  const LoaderState state = loader->State();
  CHECK(loader->phase() == 1);
  const std::vector<Step> rest = Stream(*loader, 4);
  const auto resumed = Make(phases);
  REQUIRE(resumed->SetState(state).ok());
  CHECK(resumed->phase() == 1);
  CHECK(resumed->steps_left() == 5);
  CHECK(resumed->size() == 6);
  const std::vector<Step> again = Stream(*resumed, 4);
  REQUIRE(again.size() == rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    CHECK(again[i].ids == rest[i].ids);
  }
  resumed->SetEpoch(1);
  CHECK(resumed->phase() == 0);
  CHECK(IdsOf(Stream(*resumed, 2), 1) == IdsOf(steps, 1));
}

TEST_CASE("a state with less than a step of its phase left is of the next") {
  const LoaderFixture fixture(kSamples);
  const std::vector<Phase> phases = Phases(fixture);
  // Phases of other samples, too.
  std::vector<Phase> curriculum = phases;
  curriculum[1].positions = std::make_shared<const std::vector<std::uint64_t>>(
      std::vector<std::uint64_t>{9, 7, 5, 3, 1});
  for (const std::vector<Phase>& each : {phases, curriculum}) {
    const auto loader = Make(each);
    LoaderState state = loader->State();
    state.epoch = 1;
    state.position = kSamples - 9;  // a step takes 10
    REQUIRE(loader->SetState(state).ok());
    CHECK(loader->epoch() == 2);
    CHECK(loader->phase() == 1);
    const LoaderState begin = loader->State();
    CHECK(begin.position == 0);
    const auto batch = loader->Next();
    REQUIRE(batch->has_value());
    CHECK((*batch)->shape().width == 24);
    CHECK((*batch)->epoch() == 2);
    // It is a place of that phase for others.
    CHECK(Make(each)->SetState(begin).ok());
  }
}

TEST_CASE("a phase that was taken whole, or left early, leads to the next") {
  const LoaderFixture fixture(kSamples);
  const std::vector<Phase> phases = Phases(fixture);
  const std::vector<Step> whole = Stream(*Make(phases), 4);
  const auto loader = Make(phases);
  for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
    loader->BeginIteration();
    CHECK(loader->epoch() == epoch);
    CHECK(loader->phase() == (epoch < 2 ? 0 : epoch - 1));
    std::vector<std::uint64_t> ids;
    const std::uint64_t steps = loader->size() - (epoch == 1 ? 2 : 0);
    for (std::uint64_t step = 0; step < steps; ++step) {
      const auto batch = loader->Next();
      REQUIRE(batch->has_value());
      ids.insert(ids.end(), (*batch)->ids().begin(), (*batch)->ids().end());
    }
    std::vector<std::uint64_t> expected = IdsOf(whole, epoch);
    expected.resize(ids.size());
    CHECK(ids == expected);
  }
}

TEST_CASE("the end of a phase is said once, and can go unasked") {
  const LoaderFixture fixture(kSamples);
  const auto loader = Make(Phases(fixture));
  for (const std::uint64_t steps : {3, 3, 6}) {
    for (std::uint64_t step = 0; step < steps; ++step) {
      CHECK(loader->Next()->has_value());
    }
    const LoaderState state = loader->State();
    CHECK(state.position == 0);
    CHECK_FALSE(loader->Next()->has_value());
    CHECK(loader->State() == state);
  }
  CHECK(loader->Next()->has_value());
}

TEST_CASE("a step that rolls over into a phase takes its samples away") {
  const LoaderFixture fixture(kSamples);
  const auto dataset = fixture.Open();
  LoaderOptions options = Options();
  options.last_batch = LastBatch::kRoll;
  const auto loader =
      Make({{0, dataset, CropTo(16), 7}, {1, dataset, CropTo(24), 4}}, options);
  const std::vector<Step> steps = Stream(*loader, 2);
  // 5 steps of 7: 5 samples of the second epoch, whose other 25 follow.
  REQUIRE(steps.size() == 5 + 7);
  std::vector<std::uint64_t> second = IdsOf(steps, 1);
  second.resize(25);
  second.insert(second.end(), steps[4].ids.begin() + 2, steps[4].ids.end());
  std::ranges::sort(second);
  for (std::uint64_t id = 0; id < kSamples; ++id) CHECK(second[id] == id);
}

TEST_CASE("phases of sets packed apart begin with their sets' own epochs") {
  const LoaderFixture fixture(kSamples);
  const LoaderFixture other(kSamples - 7);
  const std::vector<Phase> phases = {{0, fixture.Open(), CropTo(16), 10},
                                     {2, other.Open(), CropTo(24), 5},
                                     {3, fixture.Open(), CropTo(16), 6}};
  auto made = PhasedLoader::Create(phases, Options(), /*same_samples=*/false);
  REQUIRE(made.status().ToString() == "OK");
  PhasedLoader& loader = **made;
  const std::vector<Step> steps = Stream(loader, 4);
  for (const auto& [epoch, set, side] :
       {std::tuple(0U, &fixture, 16U), std::tuple(1U, &fixture, 16U),
        std::tuple(2U, &other, 24U), std::tuple(3U, &fixture, 16U)}) {
    // The batches of a loader of that set alone in the epoch of that number.
    LoaderOptions alone = Options();
    alone.transform = CropTo(side);
    alone.batch_size = 4;
    const auto own = set->Load(alone);
    own->SetEpoch(epoch);
    std::vector<std::uint64_t> expected;
    while (own->epoch() == epoch) {
      const auto batch = own->Next();
      if (!batch->has_value()) break;
      const auto ids = (*batch)->ids();
      expected.insert(expected.end(), ids.begin(), ids.end());
    }
    std::vector<std::uint64_t> found = IdsOf(steps, epoch);
    // Batches of another size leave out another rest.
    const std::size_t both = std::min(found.size(), expected.size());
    REQUIRE(both > 10);
    found.resize(both);
    expected.resize(both);
    CHECK(found == expected);
  }
  // A state of one set does not fit another.
  LoaderState state = loader.State();
  state.epoch = 2;
  CHECK_FALSE(loader.SetState(state).ok());
  LoaderOptions rolling = Options();
  rolling.last_batch = LastBatch::kRoll;
  const auto refused = PhasedLoader::Create(phases, rolling, false);
  CHECK(refused.status().code() == Code::kInvalidArgument);
}

TEST_CASE("phases in buckets each have each sample once") {
  const LoaderFixture fixture(kSamples);
  LoaderOptions options = Options();
  options.last_batch = LastBatch::kShort;
  options.buckets = {{16, 16}, {12, 20}, {20, 12}};
  const std::vector<Phase> phases = {{0, fixture.Open(), CropTo(16), 4},
                                     {1, fixture.Open(), Resize{20, 12}, 7}};
  auto made = PhasedLoader::Create(phases, options);
  REQUIRE(made.status().ToString() == "OK");
  PhasedLoader& loader = **made;
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    std::set<std::uint64_t> ids;
    while (loader.epoch() == epoch) {
      const auto batch = loader.Next();
      REQUIRE(batch.status().ToString() == "OK");
      if (!batch->has_value()) continue;
      ids.insert((*batch)->ids().begin(), (*batch)->ids().end());
      const LoaderState state = loader.State();
      REQUIRE(loader.SetState(state).ok());
      REQUIRE(loader.State() == state);
    }
    CHECK(ids.size() == kSamples);
  }
  options.last_batch = LastBatch::kRoll;
  CHECK(PhasedLoader::Create(phases, options).status().message() ==
        "phases: in buckets no batch rolls over");
}

TEST_CASE("phases that make no schedule are refused") {
  const LoaderFixture fixture(kSamples);
  const LoaderFixture other(kSamples - 1);
  const auto message = [](const std::vector<Phase>& phases) {
    const auto loader = PhasedLoader::Create(phases, Options());
    REQUIRE_FALSE(loader.ok());
    CHECK(loader.status().code() == Code::kInvalidArgument);
    return loader.status().message();
  };
  const auto has = [](const std::string& text) {
    return Catch::Matchers::Contains(text);
  };
  std::vector<Phase> phases = Phases(fixture);
  CHECK_THAT(message({}), has("none"));
  phases[0].first_epoch = 1;
  CHECK_THAT(message(phases), has("begins with epoch 1"));
  phases[0].first_epoch = 0;
  phases[2].first_epoch = 2;
  CHECK_THAT(message(phases), has("do not ascend"));
  phases[2].first_epoch = 3;
  phases[1].batch_size = 0;
  CHECK_THAT(message(phases), has("phase 1: batch_size"));
  phases[1] = {2, other.Open(), CropTo(24), 5};
  CHECK_THAT(message(phases), has("has not the samples of"));
}

// Easy samples first; then all, their classes balanced; then all.
std::vector<Phase> Curriculum(const LoaderFixture& fixture) {
  std::vector<Phase> phases = Phases(fixture);
  phases[0].positions = std::make_shared<const std::vector<std::uint64_t>>(
      std::vector<std::uint64_t>{20, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  phases[1].sampling = ClassBalancedSampling{15};
  return phases;
}

TEST_CASE("Phases of a curriculum have samples and epochs of their own",
          "[phased_loader]") {
  const LoaderFixture fixture(kSamples);
  const auto loader = Make(Curriculum(fixture));
  const std::vector<Step> steps = Stream(*loader, 5);
  const std::size_t sizes[] = {10, 10, 15, 30, 30};
  for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
    const auto ids = IdsOf(steps, epoch);
    CHECK(ids.size() == sizes[epoch]);
    if (epoch == 2) continue;
    CHECK(std::set(ids.begin(), ids.end()).size() == ids.size());
  }
  // Each state goes on in its phase, and states of other phases do not fit
  // there.
  for (const std::uint64_t epoch : {1U, 2U, 4U}) {
    const auto first = Make(Curriculum(fixture));
    first->SetEpoch(epoch);
    REQUIRE(first->Next().ok());
    const LoaderState state = first->State();
    const auto rest = Make(Curriculum(fixture));
    REQUIRE(rest->SetState(state).ok());
    CHECK(rest->epoch() == state.epoch);
    LoaderState other = state;
    other.epoch = state.epoch < 2 ? 4 : 0;
    CHECK(rest->SetState(other).code() == Code::kInvalidArgument);
  }
}

TEST_CASE("A curriculum does not roll", "[phased_loader]") {
  const LoaderFixture fixture(kSamples);
  LoaderOptions options = Options();
  options.last_batch = LastBatch::kRoll;
  const Status status =
      PhasedLoader::Create(Curriculum(fixture), options).status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message() ==
        "phases: a batch that rolls over would be of two sets");
}

}  // namespace
}  // namespace shardine::phased_loader_test
