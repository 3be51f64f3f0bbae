// A folder in which a pack began and did not end: opening it says so.
#include "dataset/unfinished.h"

#include <catch2/catch.hpp>
#include <string>

#include "dataset/dataset_reader.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::unfinished_test {
namespace {

using Catch::Contains;

struct World {
  // The pack has been killed before its manifests.
  World() {
    PutImages(storage, "tree");
    std::stop_source stop;
    stop.request_stop();
    const PackOptions options = VariantsOf("tree", "out");
    REQUIRE(Pack(options, {.stop = stop.get_token(), .storage = &storage})
                .status()
                .code() == Code::kCancelled);
    PackOptions whole = options;
    whole.output = "whole";
    REQUIRE(Pack(whole, {.storage = &storage}).ok());
  }
  void Finish(const std::string& shard) {
    for (const std::string& file : {shard, SidecarName(shard)}) {
      storage.Put("out/" + file, *storage.Get("whole/" + file));
    }
  }
  std::string Opened(const std::string& folder) {
    const Status status = DatasetReader::Open(storage, folder).status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.where().path == folder);
    return status.message();
  }

  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "An unfinished pack says how far it is",
                 "[pack][unfinished]") {
  CHECK_THAT(Opened("out"), Contains("0 of 3 shards are finished"));
  Finish("train-00000-of-00003.rec");
  Finish("train-00002-of-00003.rec");
  const std::string message = Opened("out");
  CHECK_THAT(message, Contains("not a dataset yet"));
  CHECK_THAT(message, Contains("2 of 3 shards are finished"));
  CHECK_THAT(message, Contains("the same command goes on"));
  // A shard without its sidecar is not finished, nor is a sidecar whose shard
  // has no name yet, nor a temporary file.
  storage.Put("out/train-00001-of-00003.rec", "x");
  CHECK(Opened("out") == message);
  REQUIRE(storage.Remove("out/train-00001-of-00003.rec").ok());
  storage.Put("out/" + SidecarName("train-00001-of-00003.rec"), "x");
  CHECK(Opened("out") == message);
  storage.Put("out/.shardine/.train-00001-of-00003.rec.sdx.tmp", "x");
  CHECK(Opened("out") == message);
  // A shard that the plan does not have is not finished either.
  for (const char* name : {"other", "x-of-00009", "y-00000-of-9",
                           "train-00000-of-00004", "val-00000-of-00003"}) {
    storage.Put("out/" + std::string(name) + ".rec", "x");
    storage.Put("out/" + SidecarName(std::string(name) + ".rec"), "x");
  }
  CHECK(Opened("out") == message);
}

TEST_CASE_METHOD(World, "Without a journal names tell how far a pack is",
                 "[pack][unfinished]") {
  Finish("train-00000-of-00003.rec");
  storage.Put("out/.pack/journal", "shardine jour");
  CHECK_THAT(Opened("out"), Contains("1 of 3 shards are finished"));
  // A name of another form does not say how many there are to be.
  for (const char* name : {"other.rec", "x-of-00009.rec", "y-00000-of-9.rec"}) {
    storage.Put("out/" + std::string(name), "x");
  }
  storage.Put("out/.shardine/other.rec.sdx", "x");
  storage.Put("out/x-of-00009.rec.sdx", "x");
  storage.Put("out/.shardine/y-00000-of-9.rec.sdx", "x");
  CHECK_THAT(Opened("out"), Contains("4 shards are finished"));
}

TEST_CASE_METHOD(World, "How far a pack is follows a source that changed",
                 "[pack][unfinished]") {
  PackOptions options = VariantsOf("tree", "again");
  options.shards = 0;
  options.shard_bytes = 2000;
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = [&] {
    REQUIRE(Pack(options, {.stop = stop.get_token(), .storage = &storage})
                .status()
                .code() == Code::kCancelled);
    return Opened("again");
  };
  const std::string before = stopped();
  for (int class_number : {0, 1}) {
    for (int i = 1; i < 4; ++i) {
      REQUIRE(storage
                  .Remove("tree/class" + std::to_string(class_number) + "/" +
                          std::to_string(i) + ".jpg")
                  .ok());
    }
  }
  const std::string after = stopped();
  const auto number_in = [](const std::string& text) {
    const std::size_t at = text.find(" of ");
    REQUIRE(at != text.npos);
    return std::stoi(text.substr(at + 4));
  };
  CHECK(number_in(after) > 0);
  CHECK(number_in(after) < number_in(before));
  CHECK(stopped() == after);
}

TEST_CASE_METHOD(World, "A variant of an unfinished pack says so, too",
                 "[pack][unfinished]") {
  Finish("sz/16/train-00000-of-00003.rec");
  CHECK_THAT(Opened("out/sz/16"), Contains("1 of 3 shards are finished"));
  storage.Put("out/sz/16/train-00000-of-00001.rec.sdx", "x");
  CHECK_THAT(Opened("out/sz/16"), Contains("1 of 3 shards are finished"));
  REQUIRE(storage.CreateDirectories("out/sz/99").ok());
  CHECK_THAT(Opened("out/sz/99"), !Contains("finished"));
}

TEST_CASE_METHOD(World, "Verify says that a pack is unfinished",
                 "[pack][unfinished][verify]") {
  Finish("train-00000-of-00003.rec");
  VerifyOptions options;
  options.target = "out";
  const Status status = Verify(options, {.storage = &storage}).status();
  CHECK(status.code() == Code::kNotFound);
  CHECK_THAT(status.message(), Contains("1 of 3 shards are finished"));
}

TEST_CASE_METHOD(World, "Finished shards without a journal are called that",
                 "[pack][unfinished]") {
  Finish("train-00000-of-00003.rec");
  REQUIRE(storage.Remove("out/.pack/journal").ok());
  CHECK_THAT(Opened("out"), Contains("no manifest, only shards of a pack that "
                                     "is not finished (1 of 3 shards"));
}

TEST_CASE_METHOD(World, "The command that an unfinished pack names goes on",
                 "[pack][unfinished]") {
  Finish("train-00000-of-00003.rec");
  const auto packed = Pack(VariantsOf("tree", "out"), {.storage = &storage});
  REQUIRE(packed.status().ToString() == "OK");
  CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole"));
  CHECK(DatasetReader::Open(storage, "out").ok());
}

}  // namespace
}  // namespace shardine::unfinished_test
