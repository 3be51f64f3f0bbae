// A folder in which a pack began and did not end says so to whoever opens it.
#include "dataset/unfinished.h"

#include <catch2/catch.hpp>
#include <string>

#include "dataset/dataset_reader.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine {
namespace {

using Catch::Contains;

struct World {
  // As if the pack had been killed before its manifests.
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
    for (const char* suffix : {"", ".sdx"}) {
      storage.Put("out/" + shard + suffix,
                  *storage.Get("whole/" + shard + suffix));
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
  CHECK_THAT(Opened("out"), Contains("0 shards are finished"));
  Finish("train-00000-of-00003.rec");
  Finish("train-00002-of-00003.rec");
  const std::string message = Opened("out");
  CHECK_THAT(message, Contains("not a dataset yet"));
  CHECK_THAT(message, Contains("2 of 3 shards are finished"));
  CHECK_THAT(message, Contains("the same command goes on"));
  // A shard without its sidecar is not finished, nor is a temporary file.
  storage.Put("out/train-00001-of-00003.rec", "x");
  storage.Put("out/.train-00001-of-00003.rec.sdx.tmp", "x");
  CHECK(Opened("out") == message);
  // Nor does a name of another form say how many there are to be.
  storage.Put("out/other.rec.sdx", "x");
  storage.Put("out/x-of-00009.rec.sdx", "x");
  storage.Put("out/y-00000-of-9.rec.sdx", "x");
  CHECK_THAT(Opened("out"), Contains("5 shards are finished"));
}

TEST_CASE_METHOD(World, "A variant of an unfinished pack says so, too",
                 "[pack][unfinished]") {
  Finish("sz/16/train-00000-of-00003.rec");
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
}  // namespace shardine
