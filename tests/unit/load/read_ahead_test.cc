// Storage is told in time, of enough and of no more than there is room for; and
// batches are the same with it and without.

#include "load/read_ahead.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shardine/loader.h"
#include "support/ahead_storage.h"
#include "unit/load/memory_dataset.h"

namespace shardine::read_ahead_test {
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
  explicit AheadWorld(std::string where = "out")
      : path(std::move(where)), dataset(kSamples, 3, path) {}

  std::unique_ptr<SampleSource> Open() {
    auto source = SampleSource::Open(storage, path, {.cache = "off"});
    REQUIRE(source.status().ToString() == "OK");
    return *std::move(source);
  }

  const std::string path;
  MemoryDataset dataset;
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
  CHECK(ReadAhead::IsOfUse(options));
  options.order.order = SampleOrder::kSequential;
  CHECK(ReadAhead::IsOfUse(options));
  options.order.order = SampleOrder::kShuffle;
  CHECK_FALSE(ReadAhead::IsOfUse(options));
  options.order.order = SampleOrder::kRatio;
  CHECK_FALSE(ReadAhead::IsOfUse(options));
  options = Options();
  options.fetch_bytes = 0;
  CHECK_FALSE(ReadAhead::IsOfUse(options));
  options = Options();
  options.synthetic = true;
  CHECK_FALSE(ReadAhead::IsOfUse(options));
}

// Walks through some steps and finds all samples asked for, sooner or later.
void ExpectAllAskedFor(AheadWorld& world, const SampleSource& source,
                       const LoaderOptions& options, int steps) {
  const auto plan = LoadPlan::Make(source, options, {});
  REQUIRE(plan.ok());
  Running running(**plan, {});
  StreamPosition place;
  SampleRead sample;
  sample.wanted = &(*plan)->wanted();
  for (int step = 0; step < steps; ++step) {
    const auto next = (*plan)->StepAt(place);
    REQUIRE(next);
    running.ahead.Reached(next->from);
    std::vector<Slot> slots(next->slice.count);
    (*plan)->SlotsOf(*next, 0, slots);
    for (const Slot& slot : slots) {
      REQUIRE(Soon([&] {
        world.storage.TakeMissed();
        REQUIRE(source.Read(slot.position, EntryPointUse::kSkip, sample).ok());
        return world.storage.TakeMissed() == 0;
      }));
    }
    place = next->behind;
  }
}

TEST_CASE("ReadAhead stays a window before its readers, over the epoch's end",
          "[read_ahead]") {
  AheadWorld world;
  const auto source = world.Open();
  ExpectAllAskedFor(world, *source, Options(), 45);  // three epochs
}

TEST_CASE("Each rank asks a server for what it reads, whatever ends an epoch",
          "[read_ahead]") {
  AheadWorld world("s3://b/out");
  const auto source = world.Open();
  for (const LastBatch last : {LastBatch::kDrop, LastBatch::kShort,
                               LastBatch::kPad, LastBatch::kRoll}) {
    for (const SampleOrder order :
         {SampleOrder::kBlocks, SampleOrder::kSequential}) {
      for (const std::uint32_t world_size : {2, 7}) {
        LoaderOptions options = Options();
        options.last_batch = last;
        options.order.order = order;
        options.world = world_size;
        for (options.rank = 0; options.rank < world_size; ++options.rank) {
          INFO(static_cast<int>(last) << " of " << world_size);
          ExpectAllAskedFor(world, *source, options, 9);
        }
      }
    }
  }
}

TEST_CASE("Storage is asked for the samples of buckets before their steps",
          "[read_ahead]") {
  for (const char* const path : {"out", "s3://b/out"}) {
    AheadWorld world(path);
    const auto source = world.Open();
    LoaderOptions options = Options();
    options.batch_size = 3;
    options.transform = Resize{12, 12};
    options.buckets = {{12, 12}, {8, 12}, {12, 8}};
    for (const LastBatch last : {LastBatch::kDrop, LastBatch::kShort,
                                 LastBatch::kPad, LastBatch::kRoll}) {
      options.last_batch = last;
      for (options.world = 1; options.world < 3; ++options.world) {
        for (const SampleOrder order :
             {SampleOrder::kBlocks, SampleOrder::kSequential}) {
          options.order.order = order;
          INFO(path << " " << static_cast<int>(last));
          ExpectAllAskedFor(world, *source, options, 30);
        }
      }
    }
  }
}

TEST_CASE("A rank among several holds what it reads of a server, no more",
          "[read_ahead]") {
  AheadWorld world("s3://b/out");
  const auto source = world.Open();
  LoaderOptions options = Options();
  // Each sample is a block and a step: a rank reads every fourth of a window.
  options.batch_size = 1;
  options.order = {SampleOrder::kBlocks, 1, 20};
  // Waits until more than `least` bytes were kept at a time.
  const auto most_kept = [&](std::uint32_t ranks, std::uint64_t least) {
    AheadStorage fresh(world.dataset.storage());
    auto opened = SampleSource::Open(fresh, world.path, {.cache = "off"});
    REQUIRE(opened.ok());
    options.world = ranks;
    const auto plan = LoadPlan::Make(**opened, options, {});
    REQUIRE(plan.ok());
    const std::uint64_t enough = std::max(least, fresh.most_kept_bytes());
    Running running(**plan, {});
    running.ahead.Reached({0, 20});
    REQUIRE(Soon([&] { return fresh.most_kept_bytes() > enough; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return fresh.most_kept_bytes();
  };
  most_kept(1, 2 * most_kept(4, 0));
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
}  // namespace shardine::read_ahead_test
