// Storage is told in time, of enough and of no more than there is room for; and
// batches are the same with it and without.

#include "load/read_ahead.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "shardine/loader.h"
#include "support/ahead_storage.h"
#include "unit/load/memory_dataset.h"

namespace shardine {
namespace {

constexpr std::uint32_t kSamples = 60;

// Blocks of 5, windows of 20 samples: three stretches in an epoch.
LoaderOptions Options() {
  LoaderOptions options;
  options.batch_size = 4;
  options.order = {SampleOrder::kBlocks, 5, 4};
  options.seed = 7;
  return options;
}

struct AheadWorld {
  std::unique_ptr<SampleSource> Open() {
    auto source = SampleSource::Open(storage, "out", {});
    REQUIRE(source.status().ToString() == "OK");
    return *std::move(source);
  }

  MemoryDataset dataset{kSamples};
  AheadStorage storage{dataset.storage()};
};

bool Soon(const std::function<bool()>& is_so) {
  for (int i = 0; i < 5'000; ++i) {
    if (is_so()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// A ReadAhead with its thread.
struct Running {
  Running(const LoadPlan& plan, const StreamPosition& from)
      : ahead(plan, from), thread([this] { ahead.Run(); }) {}
  ~Running() { ahead.Stop(); }

  ReadAhead ahead;
  std::jthread thread;
};

TEST_CASE("ReadAhead is of use where neighbours are read together",
          "[read_ahead]") {
  LoaderOptions options = Options();
  CHECK(ReadAhead::IsOfUse(options, false));
  options.order.order = SampleOrder::kSequential;
  CHECK(ReadAhead::IsOfUse(options, false));
  options.order.order = SampleOrder::kShuffle;
  CHECK_FALSE(ReadAhead::IsOfUse(options, false));
  options.order.order = SampleOrder::kRatio;
  CHECK_FALSE(ReadAhead::IsOfUse(options, false));
  options = Options();
  options.fetch_bytes = 0;
  CHECK_FALSE(ReadAhead::IsOfUse(options, false));
  options = Options();
  options.synthetic = true;
  CHECK_FALSE(ReadAhead::IsOfUse(options, false));
  options = Options();
  CHECK(ReadAhead::IsOfUse(options, true));
  options.world = 2;
  CHECK(ReadAhead::IsOfUse(options, false));
  CHECK_FALSE(ReadAhead::IsOfUse(options, true));
}

TEST_CASE("ReadAhead stays a window before its readers, over the epoch's end",
          "[read_ahead]") {
  AheadWorld world;
  const auto source = world.Open();
  const auto plan = LoadPlan::Make(*source, Options(), {});
  REQUIRE(plan.ok());
  Running running(**plan, {});
  StreamPosition place;
  SampleRead sample;
  sample.wanted = &(*plan)->wanted();
  for (int step = 0; step < 45; ++step) {  // three epochs
    const auto next = (*plan)->StepAt(place);
    REQUIRE(next);
    running.ahead.Reached(next->from);
    std::vector<Slot> slots(next->slice.count);
    (*plan)->SlotsOf(*next, 0, slots);
    for (const Slot& slot : slots) {
      REQUIRE(Soon([&] {
        world.storage.TakeMissed();
        REQUIRE(source->Read(slot.position, EntryPointUse::kSkip, sample).ok());
        return world.storage.TakeMissed() == 0;
      }));
    }
    place = next->behind;
  }
}

TEST_CASE("ReadAhead holds two windows at most, and nothing once it ended",
          "[read_ahead]") {
  AheadWorld world;
  const auto source = world.Open();
  LoaderOptions options = Options();
  for (const std::uint64_t bytes : {1'000, 30'000, 1'000'000}) {
    options.fetch_bytes = bytes;
    const auto plan = LoadPlan::Make(*source, options, {});
    REQUIRE(plan.ok());
    {
      Running running(**plan, {0, 33});
      for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
        for (std::uint64_t at = 0; at < kSamples; ++at) {
          running.ahead.Reached({epoch, at});
        }
      }
      // The first budget has room for no block.
      CHECK((bytes == 1'000 ||
             Soon([&] { return world.storage.most_kept_bytes() > 0; })));
      CHECK(world.storage.most_kept_bytes() <= bytes);
    }
    CHECK(world.storage.kept_bytes() == 0);
  }
}

TEST_CASE("Of several ranks none holds what the others read", "[read_ahead]") {
  AheadWorld world;
  const auto source = world.Open();
  LoaderOptions options = Options();
  options.world = 2;
  const auto plan = LoadPlan::Make(*source, options, {});
  REQUIRE(plan.ok());
  Running running(**plan, {});
  running.ahead.Reached({1, 0});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(world.storage.most_kept_bytes() == 0);
}

// Ids of some epochs, the place set and the loader left in the middle of one.
std::vector<std::uint64_t> Ids(ReadableStorage& storage,
                               const LoaderOptions& options) {
  auto source = SampleSource::Open(storage, "out", {});
  REQUIRE(source.ok());
  auto loader = Loader::Create(
      std::make_shared<const Dataset>(*std::move(source)), options);
  REQUIRE(loader.status().ToString() == "OK");
  std::vector<std::uint64_t> ids;
  for (int take = 0; take < 40; ++take) {
    if (take == 20) (*loader)->SetEpoch(4);
    const auto batch = (*loader)->Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!*batch) continue;
    ids.insert(ids.end(), (*batch)->ids().begin(), (*batch)->ids().end());
  }
  return ids;
}

TEST_CASE("A loader gives the same however much is asked for in advance",
          "[read_ahead]") {
  AheadWorld world;
  for (const LastBatch last : {LastBatch::kDrop, LastBatch::kShort,
                               LastBatch::kPad, LastBatch::kRoll}) {
    for (const SampleOrder order :
         {SampleOrder::kBlocks, SampleOrder::kSequential}) {
      LoaderOptions options = Options();
      options.batch_size = 7;
      options.last_batch = last;
      options.order.order = order;
      options.fetch_bytes = 0;
      const auto ids = Ids(world.storage, options);
      for (const std::uint64_t bytes :
           {std::uint64_t{1}, std::uint64_t{20'000}, ~std::uint64_t{0}}) {
        options.fetch_bytes = bytes;
        CHECK(Ids(world.storage, options) == ids);
      }
    }
  }
  CHECK(world.storage.kept_bytes() == 0);
}

}  // namespace
}  // namespace shardine
