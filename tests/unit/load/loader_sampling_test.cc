// Loaders of samplings: samples, resuming and refusals.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "load/episode_sampling.h"
#include "load/load_plan.h"
#include "unit/load/loader_fixture.h"
#include "unit/load/memory_dataset.h"
#include "unit/load/sampled_epochs.h"

namespace shardine::loader_sampling_test {
namespace {

constexpr std::uint32_t kSamples = 41;

// 11 samples of class 0, and 10 of each other.
std::shared_ptr<const Dataset> Samples() {
  static MemoryDataset dataset(kSamples);
  return dataset.Open();
}

LoaderOptions Options(Sampling sampling) {
  LoaderOptions options;
  options.batch_size = 6;
  options.seed = 5;
  options.last_batch = LastBatch::kShort;
  options.transform = RandomResizedCrop{.width = 6, .height = 5};
  options.threads = 2;
  options.sampling = std::move(sampling);
  return options;
}

std::shared_ptr<const std::vector<double>> Weights(
    std::vector<double> weights) {
  return std::make_shared<const std::vector<double>>(std::move(weights));
}

// Samples 0, 3, 6, ... twice as often.
std::vector<double> SomeWeights() {
  std::vector<double> weights(kSamples, 1);
  for (std::size_t i = 0; i < weights.size(); i += 3) weights[i] = 2;
  return weights;
}

std::vector<Sampling> Kinds() {
  return {RepeatedSampling{3},
          RepeatedSampling{3, kSamples},
          ClassBalancedSampling{50},
          ClassBalancedSampling{50, true},
          ClassWeightedSampling{{{0, 1}, {1, 2}, {2, 0}, {3, 5}}, 47},
          WeightedSampling{Weights(SomeWeights()), 60},
          WeightedSampling{Weights(SomeWeights()), 60, true},
          MixedSampling{{20, 21}, {1, 3}, 50},
          EpisodeSampling{2, 1, 2, 8}};
}

std::unique_ptr<Loader> Load(const LoaderOptions& options) {
  auto loader = Loader::Create(Samples(), options);
  REQUIRE(loader.status().ToString() == "OK");
  return *std::move(loader);
}

// A sample that was delivered.
struct Got {
  std::uint64_t position = 0;
  std::uint64_t repetition = 0;
  std::string pixels;

  friend auto operator<=>(const Got&, const Got&) = default;
};

void Take(const Batch& batch, std::vector<Got>& got) {
  const std::size_t bytes =
      batch.size() == 0 ? 0 : batch.pixels().size() / batch.size();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto pixels = batch.pixels().subspan(i * bytes, bytes);
    got.push_back({batch.positions()[i], batch.repetitions()[i],
                   std::string(AsText(pixels))});
  }
}

std::vector<Got> TakeAll(Loader& loader, std::uint64_t steps = UINT64_MAX) {
  std::vector<Got> got;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const auto batch = loader.Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!batch->has_value()) break;
    Take(**batch, got);
  }
  return got;
}

std::vector<Got> Sorted(std::vector<Got> got) {
  std::ranges::sort(got);
  return got;
}

TEST_CASE("Loaders deliver what their sampling says", "[loader][sampling]") {
  for (const Sampling& kind : Kinds()) {
    const LoaderOptions options = Options(kind);
    const auto plan = LoadPlan::Make(Samples()->source(), options, {});
    REQUIRE(plan.status().ToString() == "OK");
    const EpochSampling& sampling = (*plan)->sampling();
    INFO(sampling.name());
    const auto loader = Load(options);
    for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
      std::vector<SampledPlace> places;
      for (const Got& got : TakeAll(*loader)) {
        places.push_back({got.position, got.repetition});
      }
      CHECK(places == PlacesOf(sampling, epoch));
    }
  }
}

TEST_CASE("Pixels of repetition 0 are those without sampling, others differ",
          "[loader][sampling]") {
  LoaderOptions plain = Options({});
  std::map<std::uint64_t, std::string> alone;
  for (const Got& got : TakeAll(*Load(plain))) {
    CHECK(got.repetition == 0);
    alone[got.position] = got.pixels;
  }
  CHECK(alone.size() == kSamples);
  std::uint64_t others = 0;
  std::uint64_t equal = 0;
  for (const Sampling& kind : Kinds()) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> seen;
    for (const Got& got : TakeAll(*Load(Options(kind)))) {
      if (got.repetition == 0) {
        CHECK(got.pixels == alone[got.position]);
      } else {
        ++others;
        equal += got.pixels == alone[got.position] ? 1 : 0;
      }
    }
  }
  CHECK(others > 200);
  // Images are as small as 8 pixels: some crops are the same by chance.
  CHECK(equal < others / 10);
}

TEST_CASE("Samplings go on exactly, in any world, with the same pixels",
          "[loader][sampling][property]") {
  for (const Sampling& kind : Kinds()) {
    const auto whole = TakeAll(*Load(Options(kind)));
    for (std::uint64_t steps = 1; steps < 5; ++steps) {
      const auto first = Load(Options(kind));
      std::vector<Got> got = TakeAll(*first, steps);
      LoaderOptions options = Options(kind);
      options.world = 2 + static_cast<std::uint32_t>(steps % 2);
      if (!std::holds_alternative<EpisodeSampling>(kind)) {
        options.batch_size = 5;
      }
      for (options.rank = 0; options.rank < options.world; ++options.rank) {
        const auto rest = Load(options);
        REQUIRE(rest->SetState(first->State()).ok());
        const auto more = TakeAll(*rest);
        got.insert(got.end(), more.begin(), more.end());
      }
      CHECK(Sorted(got) == Sorted(whole));
    }
  }
}

TEST_CASE("Copies read in the order of blocks are asked for in advance",
          "[loader][sampling]") {
  for (const SampleOrder order :
       {SampleOrder::kBlocks, SampleOrder::kSequential}) {
    LoaderOptions options = Options(RepeatedSampling{2, 50});
    options.order = {.order = order, .block = 4, .window = 2};
    const auto loader = Load(options);
    std::map<std::uint64_t, int> times;
    for (int epoch = 0; epoch < 41; ++epoch) {  // 25 cycles of 82
      for (const Got& got : TakeAll(*loader)) ++times[got.position];
    }
    CHECK(times.size() == kSamples);
    for (const auto& [position, count] : times) CHECK(count == 50);
  }
}

TEST_CASE("A state is of its sampling alone", "[loader][sampling]") {
  const auto kinds = Kinds();
  std::vector<LoaderState> states;
  for (const Sampling& kind : kinds) {
    states.push_back(Load(Options(kind))->State());
  }
  states.push_back(Load(Options({}))->State());
  CHECK(states.back().order_digest == Samples()->order_digest());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto loader = Load(Options(kinds[i]));
    for (std::size_t j = 0; j < states.size(); ++j) {
      INFO(i << ", " << j);
      CHECK(loader->SetState(states[j]).ok() == (i == j));
    }
  }
  const auto fault = [&](const Sampling& sampling, const LoaderState& state) {
    const Status status = Load(Options(sampling))->SetState(state);
    CHECK(status.code() == Code::kInvalidArgument);
    return std::string(status.message());
  };
  CHECK(fault(ClassBalancedSampling{50}, states.back())
            .starts_with("the state is of a loader without sampling, and this "
                         "one's is class-balanced: its order_digest is "));
  CHECK(fault(ClassBalancedSampling{50}, states[0])
            .starts_with("the state is of another dataset, or of another "
                         "sampling than class-balanced: "));
  CHECK(fault({}, states[0]).starts_with("the state is of another dataset"));
  LoaderState amid = states[8];
  amid.position = 7;
  CHECK(fault(kinds[8], amid) ==
        "the state is damaged: position 7 is amid an episode of 6 samples");
  LoaderState beyond = states[2];
  beyond.position = 51;
  CHECK(fault(kinds[2], beyond).find("damaged") != std::string::npos);
}

TEST_CASE("Equal weights are one sampling, however they are written",
          "[loader][sampling]") {
  std::vector<double> doubled = SomeWeights();
  for (double& weight : doubled) weight *= 2;
  const auto loader = Load(Options(WeightedSampling{Weights(doubled)}));
  CHECK(loader
            ->SetState(Load(Options(WeightedSampling{Weights(SomeWeights()),
                                                     kSamples}))
                           ->State())
            .ok());
}

TEST_CASE("Of a choice, a sampling is of its samples", "[loader][sampling]") {
  LoaderOptions options = Options(ClassBalancedSampling{40});
  const std::vector<std::uint64_t> chosen = {40, 3, 5, 17, 18, 20};
  options.positions =
      std::make_shared<const std::vector<std::uint64_t>>(chosen);
  std::map<std::uint64_t, int> times;
  for (const Got& got : TakeAll(*Load(options))) ++times[got.position];
  CHECK(times.size() == chosen.size());
  for (const std::uint64_t position : chosen) CHECK(times[position] > 0);
}

std::string Fault(const LoaderOptions& options) {
  const Status status = Loader::Create(Samples(), options).status();
  CHECK(status.code() == Code::kInvalidArgument);
  return std::string(status.message());
}

std::string Fault(Sampling sampling) { return Fault(Options(sampling)); }

TEST_CASE("Samplings that make no sense are explained", "[loader][sampling]") {
  CHECK(Fault(RepeatedSampling{0}) == "sampling: repeated: 0 times");
  CHECK(Fault(RepeatedSampling{2, ~std::uint64_t{0}}) ==
        "sampling: an epoch has 2^62 samples or more");
  CHECK(Fault(WeightedSampling{}) == "sampling: 0 weights of 41 samples");
  CHECK(Fault(WeightedSampling{Weights({1, 2})}) ==
        "sampling: 2 weights of 41 samples");
  CHECK(Fault(WeightedSampling{Weights(std::vector<double>(41))}) ==
        "sampling: no weight is above 0");
  std::vector<double> weights = SomeWeights();
  weights[7] = std::numeric_limits<double>::quiet_NaN();
  CHECK(Fault(WeightedSampling{Weights(weights)}).find("weight 7 is nan") !=
        std::string::npos);
  CHECK(Fault(ClassWeightedSampling{{{0, 1}, {1, 1}, {3, 1}}}) ==
        "sampling: class 2 (class2) has no weight");
  CHECK(Fault(ClassWeightedSampling{{{0, 1}, {9, 1}}}) ==
        "sampling: no sample is of class 9, which has a weight");
  // semantics review 12: a user that weighs all classes weighs empty ones.
  CHECK(
      Loader::Create(Samples(), Options(ClassWeightedSampling{
                                    {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {9, 0}}}))
          .ok());
  CHECK(Fault(ClassWeightedSampling{{{0, 1}, {0, 1}}}) ==
        "sampling: label 0 has two weights");
  CHECK(Fault(ClassWeightedSampling{{{0, 1}, {1, 1e-9}, {2, 1}, {3, 1}}})
            .starts_with("sampling: class 1 (class1) would never come: its "
                         "share of 41 samples an epoch is less than one"));
  CHECK(Fault(MixedSampling{{40, 2}, {1, 1}}) ==
        "sampling: the parts have not as many samples as there are, 41");
  CHECK(Fault(MixedSampling{{41, 0}, {1, 1}}) ==
        "sampling: part 1 has a weight and no samples");
  CHECK(Fault(MixedSampling{{41}, {1, 1}}) == "sampling: 2 weights of 1 parts");
}

TEST_CASE("Episodes that there cannot be are explained", "[loader][sampling]") {
  CHECK(Fault(EpisodeSampling{4, 1, 0}) ==
        "batch_size: 6 is no multiple of 4, which an episode has: way * (shot "
        "+ query)");
  CHECK(Fault(EpisodeSampling{0, 1, 1}) ==
        "sampling: episodes: way or shot is 0");
  CHECK(Fault(EpisodeSampling{6, 1, 0}) ==
        "sampling: episodes: 6 ways of 4 classes");
  LoaderOptions options = Options(EpisodeSampling{1, 1, 10});
  options.batch_size = 11;
  CHECK(Fault(options) ==
        "sampling: episodes: class 1 (class1) has 10 samples, and an episode "
        "takes 11 of a class; select other classes");
  CHECK(Fault(EpisodeSampling{~0U, ~0U, ~0U})
            .starts_with("sampling: episodes: one has 2^62 samples"));
}

TEST_CASE("Orders that a sampling does not have are refused",
          "[loader][sampling]") {
  for (const Sampling& kind : Kinds()) {
    INFO(kind.index());
    LoaderOptions options = Options(kind);
    options.order.order = SampleOrder::kBlocks;
    if (std::holds_alternative<RepeatedSampling>(kind)) {
      CHECK(Loader::Create(Samples(), options).ok());
    } else {
      CHECK(Fault(options).find("has no order \"blocks\"") !=
            std::string::npos);
    }
    options.order.order = SampleOrder::kRatio;
    options.transform = CenterCrop{8, 8, 8};
    CHECK(Fault(options).find("\"ratio\"") != std::string::npos);
  }
  LoaderOptions options = Options(EpisodeSampling{2, 1, 2});
  options.order.order = SampleOrder::kSequential;
  CHECK(Fault(options) ==
        "sampling: episodes: has no order \"sequential\"; its orders are "
        "\"shuffle\" alone");
  options = Options(ClassBalancedSampling{0, true});
  options.order.order = SampleOrder::kSequential;
  CHECK(Fault(options).find("alone") != std::string::npos);
  options = Options(ClassBalancedSampling{});
  options.order.order = SampleOrder::kBlocks;
  CHECK(Fault(options).find("\"shuffle\" and \"sequential\"") !=
        std::string::npos);
}

}  // namespace
}  // namespace shardine::loader_sampling_test
