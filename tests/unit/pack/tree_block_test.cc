#include "pack/tree_block.h"

#include <catch2/catch.hpp>

#include "pack/pack_plan.h"
#include "shard/content_digest.h"
#include "support/pack_fixture.h"

namespace shardine::tree_block_test {
namespace {

DatasetPlan PlanIn(Storage& storage, const char* format = "recordio") {
  PackOptions options = PackOf("tree", "out");
  options.format = format;
  auto planned = MakePackPlan(storage, {storage, options.output}, options,
                              BuiltinFormats());
  REQUIRE(planned.status().ToString() == "OK");
  return *std::move(planned);
}

std::vector<std::size_t> AllShards(const ShardPlan& plan) {
  std::vector<std::size_t> shards(plan.shards().size());
  for (std::size_t i = 0; i < shards.size(); ++i) shards[i] = i;
  return shards;
}

ImagePolicy::Options Unchecked(Storage& storage) {
  return {.output = {storage, "out"},
          .on_bad = OnBad::kFail,
          .check = ImageCheckLevel::kNone,
          .max_payload = 1 << 20,
          .short_sides = {},
          .image = {}};
}

TEST_CASE("CutBlocks covers each shard in order and without gaps",
          "[pack][block]") {
  MemoryStorage storage;
  for (int i = 0; i < 1500; ++i) {
    storage.PutSparse("tree/c/" + std::to_string(i) + ".jpg",
                      static_cast<std::uint64_t>(i % 7) * 500'000);
  }
  const DatasetPlan planned = PlanIn(storage);
  const auto blocks = CutBlocks(planned.plan, AllShards(planned.plan));
  std::size_t shard = 0;
  std::uint64_t next = 0;
  std::uint64_t bytes = 0;
  for (const PlannedBlock& block : blocks) {
    if (block.shard != shard) {
      CHECK(next == planned.plan.shards()[shard].count);
      shard = block.shard;
      next = 0;
    }
    CHECK(block.first == next);
    CHECK(block.count >= 1);
    CHECK(block.count <= 256);
    CHECK((block.count == 1 || block.bytes <= 2 << 20));
    next += block.count;
    bytes += block.bytes;
  }
  CHECK(shard == 2);
  CHECK(next == planned.plan.shards()[2].count);
  CHECK(bytes == planned.plan.bytes());
}

TEST_CASE("TreeBlockPreparer reads each sample with the digest of its content",
          "[pack][block]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 20, 3000);
  const DatasetPlan planned = PlanIn(storage);
  const ShardPlan& plan = planned.plan;
  const ImagePolicy policy(plan, Unchecked(storage));
  const TreeBlockPreparer preparer(storage, plan, policy);
  PreparedBlock used;
  used.samples.resize(3);
  used.variants.resize(2);
  used.variants[0].bytes.Append(AsBytes("what an earlier block left"));
  used.status = Status(Code::kCancelled, "earlier");
  for (const PlannedBlock& planned_block : CutBlocks(plan, AllShards(plan))) {
    const PreparedBlock block =
        preparer.Prepare(planned_block, std::move(used), {});
    used = PreparedBlock();
    REQUIRE(block.status.ok());
    REQUIRE(block.samples.size() == planned_block.count);
    REQUIRE(block.variants.size() == 1);
    const PreparedVariant& read = block.variants[0];
    REQUIRE(read.payloads.size() == planned_block.count);
    CHECK(block.weight() == planned_block.bytes);
    for (std::size_t i = 0; i < block.samples.size(); ++i) {
      const std::size_t source = block.samples[i].source;
      const PreparedPayload& payload = read.payloads[i];
      const std::string key(plan.source().samples.key(source));
      const ByteView bytes =
          read.bytes.view().subspan(payload.offset, payload.size);
      CHECK(AsText(bytes) == *storage.Get("tree/" + key));
      std::vector<Label> labels;
      plan.source().samples.GetLabels(source, labels);
      FieldView image;
      image.name = kImageField;
      image.bytes = bytes;
      CHECK(payload.digest == ContentDigest(labels, {&image, 1}));
    }
  }
}

TEST_CASE(
    "TreeBlockPreparer refuses what a record cannot hold before reading it",
    "[pack][block]") {
  MemoryStorage storage;
  storage.PutSparse("tree/c/huge.jpg", 10 << 20);
  const DatasetPlan planned = PlanIn(storage);
  ImagePolicy::Options options = Unchecked(storage);
  const auto blocks = CutBlocks(planned.plan, {0});
  SECTION("fail") {
    const ImagePolicy policy(planned.plan, options);
    const TreeBlockPreparer preparer(storage, planned.plan, policy);
    const PreparedBlock block = preparer.Prepare(blocks[0], {}, {});
    CHECK(block.status.code() == Code::kUnsupported);
    CHECK(block.status.where().key == "c/huge.jpg");
  }
  SECTION("skip") {
    options.on_bad = OnBad::kSkip;
    const ImagePolicy policy(planned.plan, options);
    const TreeBlockPreparer preparer(storage, planned.plan, policy);
    const PreparedBlock block = preparer.Prepare(blocks[0], {}, {});
    REQUIRE(block.status.ok());
    REQUIRE(block.samples.size() == 1);
    CHECK_FALSE(block.samples[0].packed);
    CHECK(block.samples[0].reject->reason == "too-large");
    CHECK(block.weight() == 0);
  }
}

TEST_CASE(
    "TreeBlockPreparer refuses files that no image is, whatever the format",
    "[pack][block]") {
  MemoryStorage storage;
  storage.PutSparse("tree/c/huge.jpg", std::uint64_t{3} << 29);
  const DatasetPlan planned = PlanIn(storage, "webdataset");
  ImagePolicy::Options options = Unchecked(storage);
  options.max_payload = UINT64_MAX;
  const ImagePolicy policy(planned.plan, options);
  const TreeBlockPreparer preparer(storage, planned.plan, policy);
  const auto blocks = CutBlocks(planned.plan, {0});
  const PreparedBlock block = preparer.Prepare(blocks[0], {}, {});
  CHECK(block.status.code() == Code::kUnsupported);
  CHECK(block.status.ToString() ==
        "tree/c/huge.jpg: key c/huge.jpg: 1610612736 bytes; a source file "
        "has at most 1073741824");
}

TEST_CASE("TreeBlockPreparer stops between samples", "[pack][block]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 1, 5, 100);
  const DatasetPlan planned = PlanIn(storage);
  const ImagePolicy policy(planned.plan, Unchecked(storage));
  const TreeBlockPreparer preparer(storage, planned.plan, policy);
  std::stop_source stop;
  stop.request_stop();
  const PreparedBlock block =
      preparer.Prepare(CutBlocks(planned.plan, {0})[0], {}, stop.get_token());
  CHECK(block.status.code() == Code::kCancelled);
  CHECK(block.samples.empty());
}

}  // namespace
}  // namespace shardine::tree_block_test
