// Cost of samples on storage that answers late: waits, not reads, take the time
// there.

#include "support/late_storage.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <numeric>
#include <vector>

#include "base/permutation.h"
#include "dataset/sample_source.h"
#include "shardine/pack.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::late_storage_test {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kSize = 12;

// Twelve images with entry points in three shards, on storage that answers
// late.
struct LateWorld {
  explicit LateWorld(milliseconds quiet = milliseconds(20))
      : late(below, quiet) {
    PutImages(below, "tree");
    PackOptions options = PackOf("tree", "out");
    options.check = ImageCheckLevel::kHeader;
    const auto result = Pack(options, {.storage = &below});
    REQUIRE(result.status().ToString() == "OK");
  }
  std::unique_ptr<SampleSource> Open(ReadableStorage& storage) {
    auto source = SampleSource::Open(storage, "out", {});
    REQUIRE(source.status().ToString() == "OK");
    return *std::move(source);
  }

  MemoryStorage below;
  LateStorage late;
};

std::vector<std::uint64_t> All() {
  std::vector<std::uint64_t> positions(kSize);
  std::iota(positions.begin(), positions.end(), std::uint64_t{0});
  return positions;
}

// The same at an address, of which companions come as a whole.
struct ServerWorld {
  ServerWorld() : late(below, milliseconds(20)) {
    PutImages(below, "tree");
    PackOptions options = PackOf("tree", "s3://b/out");
    options.check = ImageCheckLevel::kHeader;
    const auto result = Pack(options, {.storage = &below});
    REQUIRE(result.status().ToString() == "OK");
  }
  std::unique_ptr<SampleSource> Open() {
    auto source = SampleSource::Open(late, "s3://b/out", {.cache = "off"});
    REQUIRE(source.status().ToString() == "OK");
    return *std::move(source);
  }

  MemoryStorage below;
  LateStorage late;
};

// A busy machine can make one wait look like two, never the other way round.
template <typename Measure>
std::uint64_t LeastOf(const Measure& measure) {
  std::uint64_t least = measure();
  for (int i = 0; i < 4 && least > 0; ++i) least = std::min(least, measure());
  return least;
}

TEST_CASE(
    "The first samples of a server cost two waits, of however many shards",
    "[late_storage]") {
  ServerWorld world;
  std::vector<std::uint64_t> positions = All();
  std::vector<SampleRead> samples(kSize);
  std::vector<Status> statuses(kSize);
  CHECK(LeastOf([&] {
          const auto source = world.Open();
          world.late.TakeWaits();
          source->ReadMany(positions, EntryPointUse::kRead, samples, statuses);
          for (const Status& status : statuses) REQUIRE(status.ok());
          return world.late.TakeWaits();
        }) == 2);
}

TEST_CASE("A sample costs two waits, and one where its rows are kept",
          "[late_storage]") {
  LateWorld world;
  const auto cost_of_each = [&](bool used_before) {
    return LeastOf([&] {
      const auto source = world.Open(world.late);
      SampleRead sample;
      // Opens the shard; its rows are on one page.
      if (used_before) {
        REQUIRE(source->Read(1, EntryPointUse::kRead, sample).ok());
      } else {
        REQUIRE(source->Key(1).ok());
      }
      world.late.TakeWaits();
      REQUIRE(source->Read(2, EntryPointUse::kRead, sample).ok());
      return world.late.TakeWaits();
    });
  };
  CHECK(cost_of_each(false) == 2);
  CHECK(cost_of_each(true) == 1);
}

TEST_CASE("All samples together cost the waits of one", "[late_storage]") {
  LateWorld world;
  const std::uint64_t cost = LeastOf([&] {
    const auto source = world.Open(world.late);
    for (const std::uint64_t first : {0, 4, 8}) {
      REQUIRE(source->Key(first).ok());  // opens the shard
    }
    std::vector<SampleRead> samples(kSize);
    std::vector<Status> statuses(kSize);
    world.late.TakeWaits();
    source->ReadMany(All(), EntryPointUse::kRead, samples, statuses);
    const std::uint64_t waits = world.late.TakeWaits();
    const auto has_points = [](const SampleRead& sample) {
      return sample.entry_points.size() > 0;
    };
    CHECK(std::ranges::any_of(samples, has_points));
    CHECK(std::ranges::all_of(statuses, &Status::ok));
    return waits;
  });
  CHECK(cost == 2);
}

TEST_CASE("Samples read together are those that are read alone",
          "[late_storage]") {
  LateWorld world(milliseconds(1));
  const auto late = world.Open(world.late);
  const auto plain = world.Open(world.below);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Permutation shuffle(kSize, seed, "test");
    std::vector<std::uint64_t> positions;
    for (std::uint64_t i = 0; i < kSize; ++i) {
      positions.push_back(shuffle(i));
      positions.push_back(shuffle(0));  // one of them again and again
    }
    std::vector<SampleRead> samples(positions.size());
    std::vector<Status> statuses(positions.size());
    late->ReadMany(positions, EntryPointUse::kRead, samples, statuses);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      SampleRead alone;
      REQUIRE(statuses[i].ToString() == "OK");
      REQUIRE(plain->Read(positions[i], EntryPointUse::kRead, alone).ok());
      CHECK(samples[i].entry == alone.entry);
      CHECK(AsText(samples[i].payload) == AsText(alone.payload));
      CHECK(AsText(samples[i].entry_points.view()) ==
            AsText(alone.entry_points.view()));
    }
  }
}

TEST_CASE("A sample that fails among others fails alone", "[late_storage]") {
  LateWorld world(milliseconds(1));
  std::string shard = *world.below.Get("out/train-00001-of-00003.rec");
  shard[shard.size() / 2] ^= 1;
  world.below.Put("out/train-00001-of-00003.rec", shard);
  REQUIRE(world.below.Remove("out/train-00002-of-00003.rec").ok());
  const auto source = world.Open(world.late);
  std::vector<SampleRead> samples(kSize);
  std::vector<Status> statuses(kSize);
  source->ReadMany(All(), EntryPointUse::kRead, samples, statuses);
  std::vector<Code> codes;
  for (const Status& status : statuses) codes.push_back(status.code());
  CHECK(std::ranges::count(codes, Code::kOk) == 7);
  CHECK(std::ranges::count(codes, Code::kCorrupt) == 1);
  CHECK(std::ranges::count(codes, Code::kNotFound) == 4);
  for (std::uint64_t i = 0; i < kSize; ++i) {
    if (statuses[i].ok()) continue;
    CHECK(statuses[i].where().record == i % 4);
    CHECK(samples[i].payload.empty());
  }
}

}  // namespace
}  // namespace shardine::late_storage_test
