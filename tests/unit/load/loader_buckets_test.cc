// Loaders with buckets: shapes and pixels of batches, states, and options that
// buckets cannot be had with.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "load/nearest_bucket.h"
#include "shardine/loader.h"
#include "unit/load/memory_dataset.h"

namespace shardine::loader_buckets_test {
namespace {

constexpr std::uint32_t kSamples = 90;

const std::vector<Bucket> kBuckets = {{12, 12}, {8, 14}, {14, 8}};

MemoryDataset& World() {
  static MemoryDataset world(kSamples);
  return world;
}

LoaderOptions Bucketed(const Geometry& geometry = Resize{12, 12}) {
  LoaderOptions options;
  options.batch_size = 4;
  options.seed = 5;
  options.last_batch = LastBatch::kShort;
  options.transform = Transform(geometry, {});
  options.buckets = kBuckets;
  options.threads = 2;
  return options;
}

std::unique_ptr<Loader> Load(const LoaderOptions& options) {
  auto loader = Loader::Create(World().Open(), options);
  REQUIRE(loader.status().ToString() == "OK");
  return *std::move(loader);
}

// A batch by value.
struct Taken {
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::vector<std::uint64_t> ids;
  std::vector<CropBox> boxes;
  std::vector<std::byte> pixels;

  friend bool operator==(const Taken&, const Taken&) = default;
};

std::vector<Taken> TakeAll(Loader& loader, std::size_t most = SIZE_MAX) {
  std::vector<Taken> batches;
  while (batches.size() < most) {
    auto batch = loader.Next();
    REQUIRE(batch.status().ToString() == "OK");
    if (!*batch) break;
    const Batch& each = **batch;
    batches.push_back({each.shape().height,
                       each.shape().width,
                       {each.ids().begin(), each.ids().end()},
                       {each.boxes().begin(), each.boxes().end()},
                       {each.pixels().begin(), each.pixels().end()}});
  }
  return batches;
}

// By sample: its image in an epoch of a loader without buckets.
std::map<std::uint64_t, std::vector<std::byte>> Plain(LoaderOptions options) {
  options.buckets.clear();
  std::map<std::uint64_t, std::vector<std::byte>> images;
  for (const Taken& batch : TakeAll(*Load(options))) {
    const std::size_t each = batch.pixels.size() / batch.ids.size();
    for (std::size_t i = 0; i < batch.ids.size(); ++i) {
      const auto first =
          batch.pixels.begin() + static_cast<std::ptrdiff_t>(i * each);
      images[batch.ids[i]] = {first, first + static_cast<std::ptrdiff_t>(each)};
    }
  }
  return images;
}

TEST_CASE("Batches in buckets have their shape and each sample once",
          "[loader_buckets]") {
  const auto loader = Load(Bucketed());
  const auto counts = loader->buckets();
  REQUIRE(counts.size() == kBuckets.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    CHECK(counts[i].bucket == kBuckets[i]);
    CHECK(counts[i].samples > 0);
    sum += counts[i].samples;
  }
  CHECK(sum == kSamples);
  for (int epoch = 0; epoch < 2; ++epoch) {
    const std::uint64_t steps = loader->size();
    const auto batches = TakeAll(*loader);
    CHECK(batches.size() == steps);
    std::set<std::uint64_t> ids;
    std::map<std::uint32_t, std::uint64_t> by_height;
    for (const Taken& batch : batches) {
      by_height[batch.height] += batch.ids.size();
      ids.insert(batch.ids.begin(), batch.ids.end());
    }
    CHECK(ids.size() == kSamples);
    for (const auto& [bucket, samples] : counts) {
      CHECK(by_height[bucket.height] == samples);
    }
  }
  CHECK(Load([] {
          LoaderOptions options = Bucketed();
          options.buckets.clear();
          return options;
        }())
            ->buckets()
            .empty());
}

TEST_CASE("A Resize in buckets makes each image the batch's shape",
          "[loader_buckets]") {
  std::map<std::uint32_t, std::map<std::uint64_t, std::vector<std::byte>>>
      plain;
  for (const auto& [height, width] : kBuckets) {
    plain[height] = Plain(Bucketed(Resize{width, height}));
  }
  for (const Taken& batch : TakeAll(*Load(Bucketed()))) {
    const std::size_t each = batch.pixels.size() / batch.ids.size();
    for (std::size_t i = 0; i < batch.ids.size(); ++i) {
      const auto& image = plain[batch.height].at(batch.ids[i]);
      REQUIRE(image.size() == each);
      CHECK(std::memcmp(image.data(), batch.pixels.data() + i * each, each) ==
            0);
    }
  }
}

TEST_CASE("A square bucket's crops are those of a loader without buckets",
          "[loader_buckets]") {
  for (const Geometry& geometry : {Geometry(RandomResizedCrop{12, 12}),
                                   Geometry(CenterCrop{12, 12, 12})}) {
    const auto plain = Plain(Bucketed(geometry));
    std::uint64_t met = 0;
    for (const Taken& batch : TakeAll(*Load(Bucketed(geometry)))) {
      if (batch.height != 12) continue;
      const std::size_t each = batch.pixels.size() / batch.ids.size();
      for (std::size_t i = 0; i < batch.ids.size(); ++i, ++met) {
        const auto& image = plain.at(batch.ids[i]);
        REQUIRE(image.size() == each);
        CHECK(std::memcmp(image.data(), batch.pixels.data() + i * each, each) ==
              0);
      }
    }
    CHECK(met > 0);
  }
}

TEST_CASE("Boxes of random crops in buckets have their aspect ratio",
          "[loader_buckets]") {
  LoaderOptions options = Bucketed(RandomResizedCrop{.width = 12,
                                                     .height = 12,
                                                     .min_scale = 0.5,
                                                     .min_ratio = 1,
                                                     .max_ratio = 1});
  for (const Taken& batch : TakeAll(*Load(options))) {
    const double ratio = 1.0 * batch.width / batch.height;
    for (const CropBox& box : batch.boxes) {
      // Sides of a few pixels are rounded.
      CHECK(box.width <= (box.height + 0.51) * ratio + 0.51);
      CHECK(box.width >= (box.height - 0.51) * ratio - 0.51);
    }
  }
}

TEST_CASE("Loaders in buckets resume at each batch, alone and as others",
          "[loader_buckets]") {
  for (const LastBatch last : {LastBatch::kDrop, LastBatch::kShort,
                               LastBatch::kPad, LastBatch::kRoll}) {
    CAPTURE(static_cast<int>(last));
    LoaderOptions options = Bucketed(RandomResizedCrop{12, 12});
    options.last_batch = last;
    const auto loader = Load(options);
    std::vector<LoaderState> states;
    std::vector<Taken> all;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (const std::uint64_t end = all.size() + loader->size();
           all.size() < end;) {
        states.push_back(loader->State());
        const auto next = TakeAll(*loader, 1);
        if (next.empty()) continue;  // the end of the epoch before
        all.push_back(next.front());
      }
    }
    const auto again = Load(options);
    for (std::size_t i = 0, batch = 0; i < states.size() && batch < all.size();
         ++i) {
      // A state before the end of an epoch is told belongs to the next one.
      if (i > 0 && states[i] == states[i - 1]) continue;
      CAPTURE(batch);
      REQUIRE(again->SetState(states[i]).ok());
      CHECK(again->State() == states[i]);
      const auto rest = TakeAll(*again, 1);
      REQUIRE(rest.size() == 1);
      CHECK(rest.front() == all[batch++]);
    }
    // Two ranks take over, with other batches: nothing twice.
    if (last != LastBatch::kShort) continue;
    std::set<std::uint64_t> ids;
    const auto first = Load(options);
    for (const Taken& batch : TakeAll(*first, 7)) {
      ids.insert(batch.ids.begin(), batch.ids.end());
    }
    const LoaderState state = first->State();
    CHECK(state.bucket_samples.size() == kBuckets.size());
    std::size_t met = ids.size();
    options.batch_size = 3;
    options.world = 2;
    for (options.rank = 0; options.rank < 2; ++options.rank) {
      const auto other = Load(options);
      REQUIRE(other->SetState(state).ok());
      const std::uint64_t left = other->steps_left();
      const auto batches = TakeAll(*other);
      CHECK(batches.size() == left);
      for (const Taken& batch : batches) {
        met += batch.ids.size();
        ids.insert(batch.ids.begin(), batch.ids.end());
      }
      CHECK(other->epoch() == 1);
    }
    CHECK(met == kSamples);
    CHECK(ids.size() == kSamples);
  }
}

TEST_CASE("A loader in buckets begins any epoch, after any place",
          "[loader_buckets]") {
  for (const LastBatch last : {LastBatch::kShort, LastBatch::kRoll}) {
    LoaderOptions options = Bucketed();
    options.last_batch = last;
    const auto walked = Load(options);
    TakeAll(*walked);
    TakeAll(*walked);
    const auto third = TakeAll(*walked);
    const auto set = Load(options);
    TakeAll(*set, 5);
    const LoaderState amid = set->State();
    set->SetEpoch(2);
    CHECK(set->size() == third.size());
    CHECK(set->StepsOf(2) == third.size());
    CHECK(TakeAll(*set) == third);
    REQUIRE(set->SetState(amid).ok());
    set->SetEpoch(2);
    CHECK(TakeAll(*set, 3) ==
          std::vector(third.begin(), std::next(third.begin(), 3)));
    // A loop that is left early is left for the next epoch.
    const auto left = Load(options);
    TakeAll(*left);
    left->BeginIteration();
    TakeAll(*left, 2);
    left->BeginIteration();
    CHECK(TakeAll(*left) == third);
  }
}

TEST_CASE("States of other buckets, and forged ones, are refused",
          "[loader_buckets]") {
  const auto loader = Load(Bucketed());
  const LoaderState begin = loader->State();
  CHECK(begin.bucket_samples.empty());
  CHECK(begin.order.empty());
  TakeAll(*loader, 5);
  const LoaderState amid = loader->State();
  const auto fault = [](Loader& into, const LoaderState& state) {
    const LoaderState before = into.State();
    const Status status = into.SetState(state);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(into.State() == before);
    return status.message();
  };
  LoaderOptions options = Bucketed();
  options.buckets[2] = {15, 8};
  const auto others = Load(options);
  CHECK_THAT(fault(*others, amid), Catch::Contains("amid an epoch of order"));
  CHECK(others->SetState(begin).ok());
  options.buckets.clear();
  const auto plain = Load(options);
  CHECK_THAT(fault(*plain, amid), Catch::Contains("amid an epoch of order"));
  LoaderState forged = amid;
  forged.order = "";
  CHECK(fault(*plain, forged) ==
        "the state is damaged: it has buckets, and its order has none");
  TakeAll(*plain, 1);
  LoaderState of_plain = plain->State();
  CHECK_THAT(fault(*loader, of_plain),
             Catch::Contains("amid an epoch of order"));
  of_plain.order = "";
  CHECK(fault(*loader, of_plain) ==
        "the state is damaged: 0 counts of 3 buckets");
  forged = amid;
  ++forged.position;
  CHECK(fault(*loader, forged) ==
        "the state is damaged: position 21 is not the sum of its buckets");
  forged = amid;
  forged.bucket_samples[1] = UINT64_MAX;
  CHECK_THAT(fault(*loader, forged), Catch::Contains("18446744073709551615"));
  forged = amid;
  forged.nodes = 2;
  forged.node_samples = 2;
  CHECK(fault(*loader, forged) ==
        "the state is damaged: 2 nodes take 2 samples each");
  REQUIRE(loader->SetState(amid).ok());
}

TEST_CASE("Options that buckets cannot be had with are refused",
          "[loader_buckets]") {
  const auto fault = [](const auto& change) {
    LoaderOptions options = Bucketed();
    change(options);
    const Status status = Loader::Create(World().Open(), options).status();
    CHECK(status.code() == Code::kInvalidArgument);
    return status.message();
  };
  CHECK_THAT(fault([](auto& o) { o.transform.reset(); }),
             Catch::Contains("need a transform"));
  CHECK_THAT(fault([](auto& o) {
               o.transform = RandomCrop{12, 12};
             }),
             Catch::Contains("must be a RandomResizedCrop, a CenterCrop or"));
  CHECK_THAT(
      fault([](auto& o) { o.transform = FixedCrop{0, 0, 4, 4, 12, 12}; }),
      Catch::Contains("must be a RandomResizedCrop, a CenterCrop or"));
  CHECK_THAT(fault([](auto& o) {
               o.transform = CenterCrop{12, 12, 14};
             }),
             Catch::Contains("own shorter side, 12, and is 14"));
  CHECK_THAT(fault([](auto& o) {
               o.transform = Resize{8, 12};
             }),
             Catch::Contains("12x8 (height x width), is of none of them"));
  CHECK_THAT(fault([](auto& o) {
               o.more_views = {Resize{12, 12}};
             }),
             Catch::Contains("one view"));
  CHECK_THAT(fault([](auto& o) { o.order.order = SampleOrder::kRatio; }),
             Catch::Contains("not in the order \"ratio\""));
  CHECK_THAT(fault([](auto& o) {
               o.order = {SampleOrder::kBlocks, 8, 2, 2};
               o.world = 2;
             }),
             Catch::Contains("not with nodes"));
  CHECK_THAT(fault([](auto& o) { o.sampling = ClassBalancedSampling{}; }),
             Catch::Contains("not with a sampling"));
  CHECK_THAT(fault([](auto& o) {
               o.world = 1U << 16;
               o.batch_size = 1U << 16;
             }),
             Catch::Contains("beyond 2^32"));
  CHECK_THAT(fault([](auto& o) {
               o.buckets.push_back({24, 24});
             }),
             Catch::Contains("has the aspect ratio of 12x12"));
  for (const LastBatch last : {LastBatch::kDrop, LastBatch::kRoll}) {
    CHECK_THAT(fault([&](auto& o) {
                 o.last_batch = last;
                 o.batch_size = 80;
               }),
               Catch::Contains("they would never come"));
  }
}

TEST_CASE("Synthetic batches have the shapes of buckets", "[loader_buckets]") {
  LoaderOptions options = Bucketed();
  const auto shapes = [&] {
    std::vector<Bucket> batches;
    for (const Taken& batch : TakeAll(*Load(options))) {
      batches.push_back({batch.height, batch.width});
    }
    return batches;
  };
  const auto real = shapes();
  options.synthetic = true;
  CHECK(shapes() == real);
}

TEST_CASE("A choice of samples has buckets of its own", "[loader_buckets]") {
  LoaderOptions options = Bucketed();
  options.positions = std::make_shared<const std::vector<std::uint64_t>>(
      std::vector<std::uint64_t>{70, 3, 12, 9, 44});
  const auto loader = Load(options);
  std::set<std::uint64_t> positions;
  for (std::uint64_t steps = loader->size(); steps > 0; --steps) {
    const auto batch = loader->Next();
    REQUIRE(batch.ok());
    const auto of_batch = (*batch)->positions();
    positions.insert(of_batch.begin(), of_batch.end());
  }
  CHECK(positions == std::set<std::uint64_t>{3, 9, 12, 44, 70});
}

}  // namespace
}  // namespace shardine::loader_buckets_test
