#include <catch2/catch.hpp>

#include "pack/pack_plan.h"
#include "shardine/convert.h"
#include "shardine/pack.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"

namespace shardine::disk_space_test {
namespace {

// A disk with so much room left.
class SmallDisk : public FaultStorage {
 public:
  SmallDisk(Storage& below, std::uint64_t free)
      : FaultStorage(below,
                     {.operation = Operation::kLock, .call = UINT64_MAX}),
        free_(free) {}
  Result<std::uint64_t> FreeBytes(const std::string&) override { return free_; }

 private:
  const std::uint64_t free_;
};

struct World {
  World() {
    PutTree(storage, "tree", 3, 6, 90'000);
    auto planned = MakePackPlan(storage, {storage, options.output}, options,
                                BuiltinFormats());
    REQUIRE(planned.ok());
    bytes = planned->plan.bytes();
  }
  Result<PackResult> Pack(Storage& on) {
    return shardine::Pack(options, {.storage = &on});
  }

  MemoryStorage storage;
  PackOptions options = PackOf("tree", "out");
  std::uint64_t bytes = 0;
};

TEST_CASE_METHOD(World, "Pack begins no shard on a disk that cannot hold all",
                 "[pack][space]") {
  SmallDisk disk(storage, bytes - 1);
  const Status refused = Pack(disk).status();
  CHECK(refused.code() == Code::kIo);
  CHECK(refused.where().path == "out");
  CHECK(refused.message().find("the disk is too small") != std::string::npos);
  for (const auto& [name, contents] : TakeSnapshot(storage, "out")) {
    CHECK(name.starts_with(".pack/"));
  }
  SmallDisk enough(storage, bytes);
  CHECK(Pack(enough).status().ToString() == "OK");
}

TEST_CASE_METHOD(World, "Pack begins on any disk when told to",
                 "[pack][space]") {
  SmallDisk disk(storage, 0);
  options.check_space = false;
  CHECK(Pack(disk).status().ToString() == "OK");
}

TEST_CASE_METHOD(World, "A resumed pack needs room for the rest only",
                 "[pack][space]") {
  REQUIRE(StopAfterFirstShard(storage, options).code() == Code::kCancelled);
  SmallDisk disk(storage, bytes - 1);
  const auto resumed = Pack(disk);
  REQUIRE(resumed.status().ToString() == "OK");
  CHECK(resumed->shards_reused > 0);
}

TEST_CASE_METHOD(World,
                 "Convert begins no shard on a disk that cannot hold all",
                 "[convert][space]") {
  options.output = "in";
  REQUIRE(Pack(storage).ok());
  ConvertOptions convert;
  convert.input = "in";
  convert.output = "out";
  convert.format = "tfrecord";
  SmallDisk disk(storage, bytes - 1);
  const auto run = [&] {
    return Convert(convert, {.storage = &disk}).status();
  };
  CHECK(run().code() == Code::kIo);
  convert.check_space = false;
  CHECK(run().ToString() == "OK");
}

TEST_CASE_METHOD(World, "A plan says what is sure to be needed",
                 "[pack][space]") {
  const auto planned = MakePackPlan(storage, {storage, options.output}, options,
                                    BuiltinFormats());
  REQUIRE(planned.ok());
  SmallDisk disk(storage, 7);
  PackPlan plan = DescribePlan({disk, options.output}, *planned, options);
  CHECK(plan.disk_known == bytes);
  CHECK(plan.disk_needed > bytes);
  CHECK(plan.disk_free == 7);

  // Nobody knows the space that the sizes will take.
  options.variants = {.original = false, .short_sides = {16}, .image = {}};
  const auto sizes = MakePackPlan(storage, {storage, options.output}, options,
                                  BuiltinFormats());
  REQUIRE(sizes.ok());
  plan = DescribePlan({disk, options.output}, *sizes, options);
  CHECK(plan.disk_known == 0);
  CHECK(plan.disk_needed > 0);
}

}  // namespace
}  // namespace shardine::disk_space_test
