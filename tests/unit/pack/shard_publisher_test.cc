// When a shard counts as finished, and that nothing which is half gone or half
// written does.
#include "pack/shard_publisher.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "pack/pack_plan.h"
#include "shard/content_digest.h"
#include "shard/entry_point_file.h"
#include "shard/shard_index.h"
#include "shardine/format.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"

namespace shardine::shard_publisher_test {
namespace {

constexpr char kShard[] = "out/train-00001-of-00003.rec";

PackOptions Options() {
  PackOptions options = PackOf("tree", "out");
  options.threads = 1;
  options.entry_points = EntryPoints::kNone;
  return options;
}

DatasetPlan PlanIn(Storage& storage, std::uint64_t seed = 7) {
  PackOptions options = Options();
  options.seed = seed;
  auto planned =
      MakePackPlan(storage, {storage, "out"}, options, BuiltinFormats());
  REQUIRE(planned.status().ToString() == "OK");
  return *std::move(planned);
}

struct World {
  World() {
    PutTree(storage, "tree", 3, 5, 500);
    REQUIRE(Pack(Options(), {.storage = &storage}).ok());
  }
  ShardPublisher PublisherOf(const DatasetPlan& planned, Storage& in) {
    return ShardPublisher({in, "out"}, planned, planned.variants[0]);
  }
  bool IsFinished(const DatasetPlan& planned, Storage& in) {
    const auto finished =
        PublisherOf(planned, in)
            .IsFinished(planned.plan.shards()[1], std::nullopt);
    REQUIRE(finished.status().ToString() == "OK");
    return *finished;
  }
  Status CheckRemovable(const DatasetPlan& planned, Storage& in) {
    const PlannedShard& shard = planned.plan.shards()[1];
    return PublisherOf(planned, in)
        .CheckRemovable(shard.name, {&shard.digest, 1});
  }
  // Puts the images of the shard into it.
  Result<WrittenShard> Write(const ShardPublisher& publisher,
                             const DatasetPlan& planned) {
    const PlannedShard& shard = planned.plan.shards()[1];
    auto written = publisher.Begin(shard);
    if (!written.ok()) return written.status();
    const SourceList& list = planned.plan.source().samples;
    for (std::uint64_t i = 0; i < shard.count; ++i) {
      const std::size_t source = planned.plan.SampleAt(shard, i);
      const std::string image = NoiseBytes(20, i);
      const FieldView field{.name = kImageField, .bytes = AsBytes(image)};
      std::vector<Label> labels;
      list.GetLabels(source, labels);
      const Status appended = written->writer->Append({.id = list.id(source),
                                                       .key = list.key(source),
                                                       .labels = labels,
                                                       .fields = {&field, 1}});
      if (!appended.ok()) return appended;
      written->samples.push_back({static_cast<std::uint32_t>(source),
                                  ContentDigest(labels, std::span(&field, 1))});
    }
    return written;
  }
  MemoryStorage Copy() {
    MemoryStorage copy;
    for (const char* folder : {"tree", "out"}) {
      for (const auto& [name, contents] : TakeSnapshot(storage, folder)) {
        copy.Put(std::string(folder) + "/" + name, contents);
      }
    }
    return copy;
  }

  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "A shard is finished when all its files are as planned",
                 "[pack][publisher]") {
  const DatasetPlan planned = PlanIn(storage);
  REQUIRE(IsFinished(planned, storage));
  const std::string whole = *storage.Get(kShard);
  const std::string index = *storage.Get(SidecarName(kShard));
  // A shard of another size, or a missing one.
  storage.Put(kShard, whole + "x");
  CHECK_FALSE(IsFinished(planned, storage));
  storage.Put(kShard, whole.substr(1));
  CHECK_FALSE(IsFinished(planned, storage));
  REQUIRE(storage.Remove(kShard).ok());
  CHECK_FALSE(IsFinished(planned, storage));
  storage.Put(kShard, whole);
  REQUIRE(IsFinished(planned, storage));
  // Its own index is part of it.
  const std::string companion = "out/train-00001-of-00003.idx";
  const std::string own = *storage.Get(companion);
  REQUIRE(storage.Remove(companion).ok());
  CHECK_FALSE(IsFinished(planned, storage));
  storage.Put(companion, own);
  REQUIRE(IsFinished(planned, storage));
  // A sidecar that is cut, damaged in its header, or of another shard.
  storage.Put(SidecarName(kShard), index.substr(0, 100));
  CHECK_FALSE(IsFinished(planned, storage));
  std::string damaged = index;
  damaged[20] = static_cast<char>(damaged[20] ^ 1);
  storage.Put(SidecarName(kShard), damaged);
  CHECK_FALSE(IsFinished(planned, storage));
  storage.Put(SidecarName(kShard),
              *storage.Get("out/.shardine/train-00000-of-00003.rec.sdx"));
  CHECK_FALSE(IsFinished(planned, storage));
}

TEST_CASE_METHOD(World, "A shard of another plan or variant is not finished",
                 "[pack][publisher]") {
  const DatasetPlan planned = PlanIn(storage);
  CHECK_FALSE(IsFinished(PlanIn(storage, 8), storage));
  // The plan puts the shard of a size into the original's place.
  auto sizes = PlanVariants(
      planned.plan, {.original = false, .short_sides = {16}, .image = {}});
  sizes[0].folder = "";
  const ShardPublisher size({storage, "out"}, planned, sizes[0]);
  const auto finished = size.IsFinished(planned.plan.shards()[1], std::nullopt);
  REQUIRE(finished.ok());
  CHECK_FALSE(*finished);
}

TEST_CASE_METHOD(World, "A disk that cannot be read makes no shard unfinished",
                 "[pack][publisher][fault]") {
  const DatasetPlan planned = PlanIn(storage);
  FaultStorage faulty(storage, {.operation = Operation::kRead});
  const auto finished = PublisherOf(planned, faulty)
                            .IsFinished(planned.plan.shards()[1], std::nullopt);
  CHECK(finished.status().code() == Code::kIo);
}

TEST_CASE_METHOD(World, "A removal that is killed leaves no finished shard",
                 "[pack][publisher][killed]") {
  const DatasetPlan planned = PlanIn(storage);
  const std::string& name = planned.plan.shards()[1].name;
  std::uint64_t calls = 0;
  for (std::uint64_t call = 0;; ++call) {
    MemoryStorage copy = Copy();
    const std::size_t files = TakeSnapshot(copy, "out").size();
    FaultStorage killed(copy, {.call = call, .effect = Fault::Effect::kCrash});
    const Status status = PublisherOf(planned, killed).Remove(name);
    INFO("killed at call " << call);
    // And the power goes with it: unsynced files are as before.
    copy.LosePower();
    const bool untouched = TakeSnapshot(copy, "out").size() == files;
    CHECK(IsFinished(planned, copy) == untouched);
    // The rest is known as that shard's.
    CHECK(CheckRemovable(planned, copy).ToString() == "OK");
    if (!killed.struck()) {
      CHECK(status.ok());
      CHECK_FALSE(copy.Stat(SidecarName(kShard)).ok());
      break;
    }
    CHECK_FALSE(status.ok());
    ++calls;
    REQUIRE(PublisherOf(planned, copy).Remove(name).ok());
    CHECK(TakeSnapshot(copy, "out").size() == files - 3);
  }
  CHECK(calls >= 3);
  // Nothing else went, and an absent shard can be removed again.
  REQUIRE(PublisherOf(planned, storage).Remove(name).ok());
  REQUIRE(PublisherOf(planned, storage).Remove(name).ok());
  CHECK(storage.Stat("out/train-00000-of-00003.rec").ok());
  CHECK(storage.Stat("out/.shardine/train-00002-of-00003.rec.sdx").ok());
}

TEST_CASE_METHOD(World,
                 "Publishing that is killed leaves what is known as ours",
                 "[pack][publisher][killed]") {
  const DatasetPlan planned = PlanIn(storage);
  const std::string& name = planned.plan.shards()[1].name;
  const bool power = GENERATE(false, true);
  bool struck = true;
  std::uint64_t unfinished = 0;
  for (std::uint64_t call = 0; struck; ++call) {
    MemoryStorage copy;
    REQUIRE(copy.CreateDirectories("out").ok());
    FaultStorage killed(copy, {.call = call, .effect = Fault::Effect::kCrash});
    const ShardPublisher publisher = PublisherOf(planned, killed);
    auto written = Write(publisher, planned);
    Status status = written.status();
    if (written.ok()) status = publisher.Publish(*std::move(written), {});
    struck = killed.struck();
    INFO("killed at call " << call << ": " << status.ToString());
    if (power) copy.LosePower();
    REQUIRE(CheckRemovable(planned, copy).ToString() == "OK");
    const bool finished = IsFinished(planned, copy);
    CHECK((struck || finished));
    unfinished += copy.Stat(kShard).ok() && !finished ? 1 : 0;
    REQUIRE(PublisherOf(planned, copy).Remove(name).ok());
    CHECK_FALSE(copy.Stat(kShard).ok());
  }
  CHECK(unfinished > 0);
}

TEST_CASE_METHOD(World, "Nothing that has a shard's name gives way to it",
                 "[pack][publisher]") {
  const DatasetPlan planned = PlanIn(storage);
  for (const std::string& path :
       {std::string(kShard), std::string("out/train-00001-of-00003.idx"),
        SidecarName(kShard), EntryPointName(SidecarName(kShard))}) {
    INFO(path);
    MemoryStorage copy;
    REQUIRE(copy.CreateDirectories("out").ok());
    const ShardPublisher publisher = PublisherOf(planned, copy);
    auto written = Write(publisher, planned);
    REQUIRE(written.ok());
    copy.Put(path, "theirs");
    const Status status = publisher.Publish(*std::move(written), {});
    CHECK(status.code() == Code::kAlreadyExists);
    CHECK(status.where().path == path);
    publisher.RemoveTemporaries(planned.plan.shards()[1].name);
    CHECK(TakeSnapshot(copy, "out").size() == 1);
    CHECK(*copy.Get(path) == "theirs");
  }
}

TEST_CASE_METHOD(World, "A damaged sidecar shows nothing to be ours",
                 "[pack][publisher][corruption]") {
  const DatasetPlan planned = PlanIn(storage);
  const std::string whole = *storage.Get(SidecarName(kShard));
  std::size_t found = 0;
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 1);
    storage.Put(SidecarName(kShard), damaged);
    const Status status = CheckRemovable(planned, storage);
    INFO("byte " << byte << ": " << status.ToString());
    // Keys are not read, since they are not needed here.
    if (status.ok()) continue;
    REQUIRE(status.code() == Code::kAlreadyExists);
    REQUIRE(status.where().path == SidecarName(kShard));
    ++found;
  }
  CHECK(found > 64);
}

TEST_CASE_METHOD(World, "A disk that cannot be read makes no shard foreign",
                 "[pack][publisher][fault]") {
  const DatasetPlan planned = PlanIn(storage);
  for (std::uint64_t call = 0;; ++call) {
    FaultStorage faulty(storage, {.operation = Operation::kRead, .call = call});
    const Status status = CheckRemovable(planned, faulty);
    if (!faulty.struck()) break;
    INFO(call);
    CHECK(status.code() == Code::kIo);
  }
}

TEST_CASE_METHOD(World, "What earlier versions put beside a shard goes with it",
                 "[pack][publisher]") {
  const DatasetPlan planned = PlanIn(storage);
  for (const char* suffix : {".sdx", ".sde", "x"}) {
    storage.Put(std::string(kShard) + suffix, "old");
  }
  REQUIRE(
      PublisherOf(planned, storage).Remove(planned.plan.shards()[1].name).ok());
  CHECK_FALSE(storage.Stat(std::string(kShard) + ".sdx").ok());
  CHECK_FALSE(storage.Stat(std::string(kShard) + ".sde").ok());
  CHECK(storage.Stat(std::string(kShard) + "x").ok());
}

TEST_CASE_METHOD(World, "A shard that does not read back is not published",
                 "[pack][publisher]") {
  const DatasetPlan planned = PlanIn(storage);
  const PlannedShard& shard = planned.plan.shards()[1];
  MemoryStorage empty;
  REQUIRE(empty.CreateDirectories("out").ok());
  const ShardPublisher publisher = PublisherOf(planned, empty);
  const auto published = [&](const std::function<void(WrittenShard&)>& spoil) {
    auto written = Write(publisher, planned);
    REQUIRE(written.ok());
    spoil(*written);
    const Status status = publisher.Publish(*std::move(written), {});
    CHECK(empty.Stat(kShard).ok() == status.ok());
    CHECK(empty.Stat(SidecarName(kShard)).ok() == status.ok());
    publisher.RemoveTemporaries(shard.name);
    return status;
  };
  const auto message = [&](const std::function<void(WrittenShard&)>& spoil) {
    const Status status = published(spoil);
    CHECK(status.code() == Code::kCorrupt);
    return status.message();
  };
  using Catch::Contains;
  CHECK_THAT(message([](WrittenShard& w) { w.samples[2].digest.low ^= 1; }),
             Contains("reads back differently from what was written"));
  CHECK_THAT(message([](WrittenShard& w) { w.samples.pop_back(); }),
             Contains("more records than were written"));
  CHECK_THAT(
      message([](WrittenShard& w) { w.samples.push_back(w.samples[0]); }),
      Contains("records are missing"));
  CHECK(message([](WrittenShard& w) {
          std::swap(w.samples[0], w.samples[1]);
        }).size() > 0);
  CHECK(published([](WrittenShard&) {}).ToString() == "OK");
  CHECK(IsFinished(planned, empty));
}

}  // namespace
}  // namespace shardine::shard_publisher_test
