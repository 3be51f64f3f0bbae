// Hints to storage about samples that will be read soon.

#include "dataset/ask_ahead.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "dataset/sample_source.h"
#include "shardine/pack.h"
#include "support/ahead_storage.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::ask_ahead_test {
namespace {

constexpr std::uint64_t kMega = 1 << 20;

using Extents = std::vector<Extent>;

TEST_CASE("JoinExtents joins neighbours of any order", "[ask_ahead]") {
  CHECK(JoinExtents({}, 100).empty());
  CHECK(JoinExtents({{20, 5}, {0, 10}, {10, 10}}, 100) == Extents{{0, 25}});
  // Up to 64 KiB apart, and no further.
  CHECK(JoinExtents({{0, 1}, {65'537, 1}}, kMega) == Extents{{0, 65'538}});
  CHECK(JoinExtents({{0, 1}, {65'538, 1}}, kMega) ==
        Extents{{0, 1}, {65'538, 1}});
  // Overlaps are read once.
  CHECK(JoinExtents({{0, 50}, {10, 5}, {40, 20}}, 100) == Extents{{0, 60}});
}

TEST_CASE("JoinExtents makes ranges of 8 MiB, or of one extent",
          "[ask_ahead]") {
  Extents extents;
  for (std::uint64_t i = 0; i < 20; ++i) extents.push_back({i * kMega, kMega});
  CHECK(JoinExtents(extents, 20 * kMega) == Extents{{0, 8 * kMega},
                                                    {8 * kMega, 8 * kMega},
                                                    {16 * kMega, 4 * kMega}});
  CHECK(JoinExtents({{0, 20 * kMega}}, 20 * kMega) == Extents{{0, 20 * kMega}});
}

TEST_CASE("JoinExtents leaves out what no file of that size has",
          "[ask_ahead]") {
  const std::uint64_t most = ~std::uint64_t{0};
  CHECK(JoinExtents({{kNowhere, 10},
                     {0, 0},
                     {90, 11},
                     {101, 1},
                     {5, most},
                     {most - 1, 2},
                     {90, 10}},
                    100) == Extents{{90, 10}});
}

std::vector<std::uint64_t> Range(std::uint64_t first, std::uint64_t end) {
  std::vector<std::uint64_t> positions(end - first);
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

// Twelve images with entry points in three shards.
struct AheadWorld {
  AheadWorld() {
    PutImages(below, "tree");
    PackOptions options = PackOf("tree", "out");
    options.check = ImageCheckLevel::kHeader;
    const auto result = Pack(options, {.storage = &below});
    REQUIRE(result.status().ToString() == "OK");
  }
  std::unique_ptr<SampleSource> Open() {
    auto source = SampleSource::Open(storage, "out", {});
    REQUIRE(source.status().ToString() == "OK");
    return *std::move(source);
  }

  MemoryStorage below;
  AheadStorage storage{below};
  const std::vector<std::string> image{"image"};
};

TEST_CASE("All that is read of a sample was asked for in advance",
          "[ask_ahead]") {
  AheadWorld world;
  const auto source = world.Open();
  for (const EntryPointUse use : {EntryPointUse::kSkip, EntryPointUse::kRead}) {
    for (std::uint64_t first = 0; first < source->size(); ++first) {
      for (std::uint64_t end = first + 1; end <= source->size(); ++end) {
        AheadBytes ahead{.room = kMega, .kept = {}};
        source->ReadAhead(Range(first, end), {world.image, use}, ahead);
        world.storage.TakeMissed();
        for (std::uint64_t i = first; i < end; ++i) {
          SampleRead sample;
          sample.wanted = &world.image;
          REQUIRE(source->Read(i, use, sample).ok());
        }
        INFO(first << " to " << end);
        REQUIRE(world.storage.TakeMissed() == 0);
      }
    }
  }
  CHECK(world.storage.kept_bytes() == 0);
}

TEST_CASE("Of samples apart from each other only these are asked for",
          "[ask_ahead]") {
  AheadWorld world;
  const auto source = world.Open();
  const auto missed = [&](std::uint64_t position) {
    SampleRead sample;
    sample.wanted = &world.image;
    world.storage.TakeMissed();
    REQUIRE(source->Read(position, EntryPointUse::kSkip, sample).ok());
    return world.storage.TakeMissed() > 0;
  };
  AheadBytes ahead{.room = kMega, .kept = {}};
  // Samples of the first of three shards, and of the last.
  source->ReadAhead(std::vector<std::uint64_t>{0, 1, 11},
                    {world.image, EntryPointUse::kSkip}, ahead);
  CHECK_FALSE(missed(0));
  CHECK_FALSE(missed(1));
  CHECK_FALSE(missed(11));
  CHECK(missed(5));
}

TEST_CASE("No more is held than there is room for", "[ask_ahead]") {
  AheadWorld world;
  const auto source = world.Open();
  for (const std::uint64_t room : {0, 1, 4'096, 10'000, 50'000}) {
    AheadBytes ahead{.room = room, .kept = {}};
    source->ReadAhead(Range(0, source->size()),
                      {world.image, EntryPointUse::kRead}, ahead);
    CHECK(world.storage.kept_bytes() == room - ahead.room);
    CHECK(world.storage.kept_bytes() <= room);
  }
}

TEST_CASE("Nothing is asked for that is in memory", "[ask_ahead]") {
  AheadWorld world;
  const auto source = world.Open();
  for (const bool at_hand : {true, false}) {
    world.storage.SetAtHand(at_hand);
    AheadBytes ahead{.room = kMega, .kept = {}};
    source->ReadAhead(Range(0, source->size()),
                      {world.image, EntryPointUse::kRead}, ahead);
    // Pages of rows alone, by which that is known.
    CHECK((world.storage.kept_bytes() == 3 * 4'096) == at_hand);
  }
}

TEST_CASE("Fields that nobody wants are not asked for", "[ask_ahead]") {
  AheadWorld world;
  const auto source = world.Open();
  const std::vector<std::string> none{"caption"};
  AheadBytes ahead{.room = kMega, .kept = {}};
  source->ReadAhead(Range(0, source->size()), {none, EntryPointUse::kSkip},
                    ahead);
  // Pages of rows alone, one of each shard.
  CHECK(world.storage.kept_bytes() == 3 * 4'096);
}

TEST_CASE("A hint about damaged shards is none", "[ask_ahead]") {
  AheadWorld world;
  const auto files = world.below.List("out/.shardine");
  REQUIRE(files.ok());
  for (const DirEntry& file : *files) {
    const std::string path = "out/.shardine/" + file.name;
    if (!path.ends_with(".sdx") && !path.ends_with(".sde")) continue;
    std::string bytes = *world.below.Get(path);
    // Each page but the header's.
    for (std::size_t i = 4'100; i < bytes.size(); i += 1'024) bytes[i] ^= 1;
    world.below.Put(path, bytes);
  }
  const auto source = world.Open();
  AheadBytes ahead{.room = kMega, .kept = {}};
  source->ReadAhead(Range(0, source->size()),
                    {world.image, EntryPointUse::kRead}, ahead);
  SampleRead sample;
  CHECK(source->Read(0, EntryPointUse::kSkip, sample).code() == Code::kCorrupt);
}

}  // namespace
}  // namespace shardine::ask_ahead_test
