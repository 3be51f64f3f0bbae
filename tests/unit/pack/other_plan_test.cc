// The message of exit 7: options and samples that changed.
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "dataset/manifest.h"
#include "shardine/convert.h"
#include "shardine/pack.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::other_plan_test {
namespace {

using Catch::Contains;

struct World {
  World() { PutTree(storage, "tree", 3, 5, 500); }

  PackOptions Options() const {
    PackOptions options = PackOf("tree", "out");
    options.shards = 0;
    return options;
  }
  Status Pack(const PackOptions& options) {
    return shardine::Pack(options, {.storage = &storage}).status();
  }
  void Make() { REQUIRE(Pack(Options()).ToString() == "OK"); }
  std::string Refused(const PackOptions& options) {
    const Status status = Pack(options);
    CHECK(status.code() == Code::kChanged);
    CHECK(status.where().path == "out");
    return status.message();
  }

  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "Pack says which options differ from those before",
                 "[pack][changed]") {
  Make();
  PackOptions options = Options();
  options.shard_bytes = 128 << 20;
  options.shuffle = false;
  options.seed = 8;
  const std::string message = Refused(options);
  CHECK_THAT(message, Contains("shard-size 256M, now 128M"));
  CHECK_THAT(message, Contains("no-shuffle not given, now given"));
  CHECK_THAT(message, Contains("seed 7, now 8"));
  CHECK_THAT(message, !Contains("format") && !Contains("sample") &&
                          !Contains("source tree"));
}

TEST_CASE_METHOD(World, "Pack says which samples differ from those before",
                 "[pack][changed]") {
  Make();
  storage.Put("tree/class1/9.jpg", "new");
  storage.Put("tree/class0/1.jpg", "two and a half");
  REQUIRE(storage.Remove("tree/class2/4.jpg").ok());
  const std::string message = Refused(Options());
  CHECK_THAT(message, Contains("1 sample added (class1/9.jpg)"));
  CHECK_THAT(message, Contains("1 removed (class2/4.jpg)"));
  CHECK_THAT(message, Contains("1 of another size (class0/1.jpg: "));
  CHECK_THAT(message, Contains(" bytes, now 14)"));
  // The samples after the new one have other ids.
  CHECK_THAT(message, Contains("4 with other ids (") &&
                          Contains("class2/0.jpg: 10, now 11"));
  CHECK_THAT(message, !Contains("seed"));
}

TEST_CASE_METHOD(World, "Pack names the first few of many samples",
                 "[pack][changed]") {
  Make();
  for (int i = 10; i < 30; ++i) {
    storage.Put("tree/class2/9" + std::to_string(i) + ".jpg", "new");
  }
  CHECK_THAT(Refused(Options()),
             Contains("20 samples added (class2/910.jpg, class2/911.jpg, "
                      "class2/912.jpg, ...)"));
}

TEST_CASE_METHOD(World, "Pack says that a class more shifts labels",
                 "[pack][changed]") {
  Make();
  storage.Put("tree/aaa/1.jpg", "new");
  const std::string message = Refused(Options());
  CHECK_THAT(message, Contains("1 sample added (aaa/1.jpg)"));
  CHECK_THAT(message, Contains("15 with other labels (class0/0.jpg: 0, now 1"));
}

TEST_CASE_METHOD(World, "Pack says that it is another tree",
                 "[pack][changed]") {
  Make();
  PutTree(storage, "tree2", 3, 4, 500);
  PackOptions options = Options();
  options.source.folders = {{"train", "tree2"}};
  const std::string message = Refused(options);
  CHECK_THAT(message, Contains("source tree, now tree2"));
  CHECK_THAT(message, Contains("3 samples removed"));
}

TEST_CASE_METHOD(World, "The same tree under another name is the same plan",
                 "[pack][changed]") {
  REQUIRE(Pack(Options()).ToString() == "OK");
  const std::string before = *storage.Get("out/shardine.json");
  PutTree(storage, "moved", 3, 5, 500);
  PackOptions options = Options();
  options.source.folders = {{"train", "moved"}};
  REQUIRE(Pack(options).ToString() == "OK");
  CHECK(*storage.Get("out/shardine.json") == before);
  options.output = "out2";
  REQUIRE(Pack(options).ToString() == "OK");
  // Shards are the same bytes; of the manifest all but the name given.
  Snapshot a = TakeSnapshot(storage, "out");
  Snapshot b = TakeSnapshot(storage, "out2");
  a.erase(kManifestName);
  b.erase(kManifestName);
  CHECK((a == b));
  auto first = ReadManifest(storage, "out");
  auto second = ReadManifest(storage, "out2");
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK(first->made.sources == std::vector<std::string>{"tree"});
  CHECK(second->made.sources == std::vector<std::string>{"moved"});
  second->made.sources = first->made.sources;
  CHECK(*first == *second);
}

TEST_CASE_METHOD(World, "Pack does not call rejected samples added",
                 "[pack][changed]") {
  PackOptions options = Options();
  options.check = ImageCheckLevel::kHeader;  // none is an image
  options.on_bad = OnBad::kSkip;
  PutImages(storage, "tree");
  const auto packed = shardine::Pack(options, {.storage = &storage});
  REQUIRE(packed.status().ToString() == "OK");
  REQUIRE_FALSE(packed->rejected.empty());
  options.seed = 9;
  CHECK_THAT(Refused(options), !Contains("added"));
}

TEST_CASE_METHOD(World, "Pack says what is known of a dataset of schema 1",
                 "[pack][changed]") {
  REQUIRE(Pack(Options()).ToString() == "OK");
  auto manifest = ReadManifest(storage, "out");
  REQUIRE(manifest.ok());
  manifest->schema = 1;
  manifest->made = {};
  manifest->splits[0].binding_digest = {};
  // Sidecars were bound to the whole plan then; there is one shard.
  manifest->plan_digest =
      std::exchange(manifest->splits[0].shards[0].plan_digest, {});
  REQUIRE(WriteManifest(storage, "out", *manifest).ok());
  PackOptions options = Options();
  options.format = "tfrecord";
  storage.Put("tree/class1/9.jpg", "new");
  const std::string message = Refused(options);
  CHECK_THAT(message, Contains("format recordio/mxnet, now tfrecord"));
  CHECK_THAT(message, Contains("1 sample added (class1/9.jpg)"));
  CHECK_THAT(message, !Contains("seed"));
}

TEST_CASE_METHOD(World, "Convert says that its input is another one",
                 "[convert][changed]") {
  REQUIRE(Pack(Options()).ToString() == "OK");
  ConvertOptions convert;
  convert.input = "out";
  convert.output = "made";
  REQUIRE(Convert(convert, {.storage = &storage}).ok());
  convert.reshuffle = 4;
  const Status status = Convert(convert, {.storage = &storage}).status();
  CHECK(status.code() == Code::kChanged);
  CHECK_THAT(status.message(), Contains("reshuffle not given, now 4"));
  CHECK_THAT(status.message(), !Contains("sample"));
  // Its own input, which another command made.
  convert.output = "out";
  const std::string message =
      Convert(convert, {.storage = &storage}).status().message();
  CHECK_THAT(message, Contains("command pack, now convert; source tree, now "
                               "out; choose"));
}

}  // namespace
}  // namespace shardine::other_plan_test
