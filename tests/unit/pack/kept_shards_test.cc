// Finished shards when the next run is not the very same: they are kept where
// all that decides their bytes is, and the result equals an undisturbed run's.

#include <catch2/catch.hpp>
#include <cerrno>

#include "dataset/rejects.h"
#include "shardine/pack.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/variant_fixture.h"

namespace shardine::kept_shards_test {
namespace {

constexpr char kPage[] = "<html>not a photo</html>";

// The process may open no more files when it comes to one of them.
class OutOfFiles : public FaultStorage {
 public:
  OutOfFiles(Storage& below, std::string path)
      : FaultStorage(below,
                     {.operation = Operation::kLock, .call = UINT64_MAX}),
        path_(std::move(path)) {}
  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    if (path == path_) return Status::FromErrno(EMFILE, "open", path);
    return FaultStorage::Open(path);
  }

 private:
  const std::string path_;
};

// Twelve images in id order in three shards, the sizes too if asked for; bad
// images are put beside them.
struct World {
  World() {
    PutImages(storage, "tree");
    options = VariantsOf("tree", "out");
    options.shuffle = false;
    options.threads = 1;
    if (!GENERATE(true, false)) options.variants = VariantOptions();
  }

  Result<PackResult> Pack() {
    return shardine::Pack(options, {.storage = &storage});
  }
  // Ends with success and the bytes of a run that nothing came before; returns
  // how many shards were kept.
  std::uint64_t PackAsUndisturbed() {
    const auto result = Pack();
    REQUIRE(result.status().ToString() == "OK");
    PackOptions whole = options;
    whole.output = "whole";
    REQUIRE(shardine::Pack(whole, {.storage = &storage}).ok());
    CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole"));
    return result->shards_reused;
  }
  void Fail() { REQUIRE(Pack().status().code() == Code::kCorrupt); }
  // Ends in the last shard; the others are finished.
  void Interrupt() {
    OutOfFiles scarce(storage, "tree/class2/3.jpg");
    REQUIRE(
        shardine::Pack(options, {.storage = &scarce}).status().system_error() ==
        EMFILE);
  }

  MemoryStorage storage;
  PackOptions options;
};

TEST_CASE_METHOD(World, "After a bad image --on-bad skip keeps finished shards",
                 "[pack][kept]") {
  storage.Put("tree/class2/9.jpg", kPage);
  Fail();
  options.on_bad = GENERATE(OnBad::kSkip, OnBad::kQuarantine, OnBad::kKeep);
  CHECK(PackAsUndisturbed() == 2);
  CHECK_FALSE(storage.Stat("out/.pack").ok());
}

TEST_CASE_METHOD(World,
                 "A bad file that is removed costs only the shards after it",
                 "[pack][kept]") {
  storage.Put("tree/class2/9.jpg", kPage);
  Fail();
  REQUIRE(storage.Remove("tree/class2/9.jpg").ok());
  CHECK(PackAsUndisturbed() == 2);
}

TEST_CASE_METHOD(World, "A bad file that is replaced costs its shard alone",
                 "[pack][kept]") {
  storage.Put("tree/class2/9.jpg", kPage);
  Fail();
  storage.Put("tree/class2/9.jpg", *storage.Get("tree/class2/0.jpg"));
  CHECK(PackAsUndisturbed() == 2);
}

TEST_CASE_METHOD(
    World, "A bad file that is removed and moves all others costs all shards",
    "[pack][kept]") {
  storage.Put("tree/class0/00.jpg", *storage.Get("tree/class0/0.jpg"));
  storage.Put("tree/class2/9.jpg", kPage);
  Fail();
  REQUIRE(storage.Remove("tree/class0/00.jpg").ok());
  REQUIRE(storage.Remove("tree/class2/9.jpg").ok());
  CHECK(PackAsUndisturbed() == 0);
}

TEST_CASE_METHOD(World,
                 "A source that changed between two runs costs its shard alone",
                 "[pack][kept]") {
  storage.Put("tree/class2/9.jpg", kPage);
  Fail();
  // The file has the same size, and is good as before.
  storage.Put("tree/class0/1.jpg", *storage.Get("tree/class0/1.jpg"));
  options.on_bad = OnBad::kSkip;
  CHECK(PackAsUndisturbed() == 1);
}

TEST_CASE_METHOD(World, "Shards that the plan no longer has are removed",
                 "[pack][kept]") {
  storage.Put("tree/class2/8.jpg", NoiseBytes(40'000, 1));
  storage.Put("tree/class2/9.jpg", kPage);
  options.shards = 0;
  options.shard_bytes = 9'000;
  Fail();
  REQUIRE(storage.Remove("tree/class2/8.jpg").ok());
  REQUIRE(storage.Remove("tree/class2/9.jpg").ok());
  CHECK(PackAsUndisturbed() == 0);
}

TEST_CASE_METHOD(World,
                 "Shards with bad images are made again when those are to be "
                 "dealt with otherwise",
                 "[pack][kept]") {
  storage.Put("tree/class0/9.jpg", kPage);
  options.on_bad = OnBad::kSkip;
  Interrupt();
  REQUIRE(storage.Stat("out/.pack").ok());
  const bool same = GENERATE(true, false);
  if (!same) options.on_bad = OnBad::kKeep;
  CHECK(PackAsUndisturbed() == (same ? 2 : 1));
}

TEST_CASE("A weaker check keeps what passed a stronger one, never the reverse",
          "[pack][kept]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  // Damaged where only decoding sees it.
  std::string cut = *storage.Get("tree/class1/1.jpg");
  cut.erase(cut.size() / 2, cut.size() / 4);
  storage.Put("tree/class1/1.jpg", cut);
  storage.Put("tree/class2/9.jpg", kPage);
  PackOptions options = VariantsOf("tree", "out");
  options.variants = VariantOptions();
  options.shuffle = false;
  options.on_bad = OnBad::kFail;
  const auto run = [&] {
    return shardine::Pack(options, {.storage = &storage});
  };
  REQUIRE(run().status().code() == Code::kCorrupt);
  options.check = ImageCheckLevel::kDecode;
  options.on_bad = OnBad::kSkip;
  const auto decoded = run();
  REQUIRE(decoded.status().ToString() == "OK");
  CHECK(decoded->shards_reused == 0);
  CHECK(decoded->samples == 11);
}

TEST_CASE("All bad images are counted and listed after the first ends a pack",
          "[pack][kept][on-bad]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  for (int i = 10; i < 20; ++i) {
    storage.Put(
        "tree/class" + std::to_string(i % 3) + "/" + std::to_string(i) + ".jpg",
        i % 2 == 0 ? kPage : "");
  }
  PackOptions options = VariantsOf("tree", "out");
  if (GENERATE(true, false)) options.variants = VariantOptions();
  options.threads = GENERATE(1u, 3u);
  Progress last;
  const auto failed = shardine::Pack(
      options, {.progress = [&](const Progress& progress) { last = progress; },
                .storage = &storage});
  CHECK(failed.status().code() == Code::kCorrupt);
  const std::string message = failed.status().message();
  INFO(message);
  CHECK(message.find("the first of 10 bad images, listed in "
                     "out/.pack/bad.jsonl: also ") != message.npos);
  CHECK(message.find(" and 4 more") != message.npos);
  CHECK(last.rejected == 10);
  const auto rejects = ParseRejectLines(*storage.Get("out/.pack/bad.jsonl"));
  REQUIRE(rejects.ok());
  CHECK(rejects->size() == 10);
  CHECK(rejects->front().key == failed.status().where().key);
  CHECK(rejects->front().action == "fail");
  // The shards do not block the advised command.
  options.on_bad = OnBad::kSkip;
  const auto skipped = shardine::Pack(options, {.storage = &storage});
  REQUIRE(skipped.status().ToString() == "OK");
  CHECK(skipped->samples == kImages);
}

TEST_CASE("The only bad image is said to be the only one", "[pack][kept]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  storage.Put("tree/class1/9.jpg", kPage);
  PackOptions options = VariantsOf("tree", "out");
  const auto failed = shardine::Pack(options, {.storage = &storage});
  CHECK(failed.status().ToString() ==
        "tree/class1/9.jpg: key class1/9.jpg, byte 0: not-an-image: an HTML "
        "page; no other image is bad");
}

TEST_CASE(
    "A complete dataset answers for another way with bad images if it has none",
    "[pack][kept]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  PackOptions options = VariantsOf("tree", "out");
  options.variants = VariantOptions();
  const auto run = [&] {
    return shardine::Pack(options, {.storage = &storage});
  };
  REQUIRE(run().ok());
  options.on_bad = OnBad::kSkip;
  REQUIRE(run().status().ToString() == "OK");
  CHECK(run()->nothing_to_do);
  options.check = ImageCheckLevel::kNone;
  CHECK(run()->nothing_to_do);
  options.check = ImageCheckLevel::kDecode;
  const Status stronger = run().status();
  CHECK(stronger.code() == Code::kChanged);
  CHECK(stronger.message().find("weaker check") != std::string::npos);
}

TEST_CASE("A complete dataset without its bad images is not one with them",
          "[pack][kept]") {
  MemoryStorage storage;
  PutImages(storage, "tree");
  storage.Put("tree/class1/9.jpg", kPage);
  PackOptions options = VariantsOf("tree", "out");
  options.variants = VariantOptions();
  options.on_bad = OnBad::kSkip;
  const auto run = [&] {
    return shardine::Pack(options, {.storage = &storage});
  };
  REQUIRE(run().ok());
  CHECK(run()->nothing_to_do);
  options.on_bad = OnBad::kKeep;
  const Status refused = run().status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.message().find("--on-bad skip") != std::string::npos);
}

}  // namespace
}  // namespace shardine::kept_shards_test
