#include <catch2/catch.hpp>

#include "dataset/manifest.h"
#include "dataset/rejects.h"
#include "shardine/pack.h"
#include "support/pack_fixture.h"

namespace shardine::on_bad_test {
namespace {

// Three files that no check accepts, one of them hidden deep in a class.
void PutBadTree(MemoryStorage& storage) {
  storage.Put("tree/a/empty.jpg", "");
  storage.Put("tree/a/page.jpg", "<!DOCTYPE html><html>not found</html>");
  storage.Put("tree/b/deep/cut.jpg", std::string("\xff\xd8\xff\xe0\x00", 5));
  storage.PutFifo("tree/b/pipe.jpg");
  storage.PutSymlink("tree/b/gone.jpg", "nowhere.jpg");
}

PackOptions BadPack(OnBad on_bad) {
  PackOptions options = PackOf("tree", "out");
  options.check = ImageCheckLevel::kHeader;
  options.on_bad = on_bad;
  options.shards = 1;
  return options;
}

std::uint64_t CountOf(const PackResult& result, const std::string& reason,
                      const std::string& action) {
  for (const RejectedCount& entry : result.rejected) {
    if (entry.reason == reason && entry.action == action) return entry.count;
  }
  return 0;
}

TEST_CASE("Pack fails on the first bad file unless told otherwise",
          "[pack][on-bad]") {
  MemoryStorage storage;
  PutBadTree(storage);
  const auto failed = Pack(BadPack(OnBad::kFail), {.storage = &storage});
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.status().where().key.has_value());
  CHECK(TakeSnapshot(storage, "out").empty());
}

TEST_CASE("Pack leaves bad files out, counts and lists them",
          "[pack][on-bad]") {
  MemoryStorage storage;
  PutBadTree(storage);
  const auto result = Pack(BadPack(OnBad::kSkip), {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == 0);
  CHECK(CountOf(*result, "empty", "skip") == 1);
  CHECK(CountOf(*result, "not-an-image", "skip") == 1);
  CHECK(CountOf(*result, "not-a-file", "skip") == 1);
  CHECK(CountOf(*result, "dangling-link", "skip") == 1);

  const auto rejects = ParseRejectLines(*storage.Get("out/rejected.jsonl"));
  REQUIRE(rejects.ok());
  CHECK(rejects->size() == 5);
  const auto manifest = ReadManifest(storage, "out");
  REQUIRE(manifest.ok());
  REQUIRE(manifest->files.size() == 1);
  CHECK(manifest->files[0].path == "rejected.jsonl");
}

TEST_CASE("Pack keeps bad files on request and still counts them",
          "[pack][on-bad]") {
  MemoryStorage storage;
  PutBadTree(storage);
  const auto result = Pack(BadPack(OnBad::kKeep), {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == 3);
  CHECK(CountOf(*result, "empty", "keep") == 1);
  CHECK(CountOf(*result, "not-an-image", "keep") == 1);
  // Nothing of these could be kept.
  CHECK(CountOf(*result, "not-a-file", "skip") == 1);
}

TEST_CASE("Pack copies bad files aside on request", "[pack][on-bad]") {
  MemoryStorage storage;
  PutBadTree(storage);
  const auto result = Pack(BadPack(OnBad::kQuarantine), {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == 0);
  CHECK(*storage.Get("out/quarantine/train/a/page.jpg") ==
        "<!DOCTYPE html><html>not found</html>");
  CHECK(storage.Get("out/quarantine/train/b/deep/cut.jpg").ok());
  CHECK(CountOf(*result, "empty", "quarantine") == 1);
}

TEST_CASE("Quarantine never writes outside its folder", "[pack][on-bad]") {
  MemoryStorage storage;
  for (const std::string key : {"../../etc/x.jpg", "/abs.jpg", "a//b.jpg"}) {
    REQUIRE(
        Quarantine({storage, "deep/out"}, "train", key, AsBytes("bytes")).ok());
  }
  const Snapshot all = TakeSnapshot(storage, "deep");
  CHECK(all.size() == 3);
  for (const auto& [name, contents] : all) {
    CHECK(name.starts_with("out/quarantine/train/"));
  }
}

TEST_CASE("Rejected samples survive their text form", "[pack][on-bad]") {
  const Reject reject{"train", std::string("a\n\"\xff\\b", 7), "empty", "skip",
                      "why \x01"};
  const auto parsed = ParseRejectLines(RejectLine(reject) + RejectLine(reject));
  REQUIRE(parsed.ok());
  CHECK(*parsed == std::vector<Reject>{reject, reject});
  CHECK(ParseRejectLines("{}\n").status().code() == Code::kCorrupt);
  CHECK(ParseRejectLines("no json\n").status().code() == Code::kCorrupt);
  CHECK(ParseRejectLines(RejectLine(reject).substr(3)).status().code() ==
        Code::kCorrupt);
}

TEST_CASE("A resumed pack reports the same rejects as an undisturbed one",
          "[pack][on-bad]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 3, 60, 4000);  // noise: all of it bad
  PackOptions options = PackOf("tree", "whole");
  options.check = ImageCheckLevel::kHeader;
  options.on_bad = OnBad::kKeep;
  REQUIRE(Pack(options, {.storage = &storage}).ok());
  options.output = "out";
  std::stop_source stop;
  const auto stopped = Pack(options, {.progress =
                                          [&](const Progress& progress) {
                                            if (progress.samples > 100)
                                              stop.request_stop();
                                          },
                                      .stop = stop.get_token(),
                                      .storage = &storage});
  REQUIRE(stopped.status().code() == Code::kCancelled);
  REQUIRE(Pack(options, {.storage = &storage}).ok());
  CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole"));
}

TEST_CASE("Quarantine keeps what is there and replaces nothing",
          "[pack][on-bad]") {
  MemoryStorage storage;
  const std::string path = "out/quarantine/train/a.jpg";
  const auto quarantine = [&](std::string_view contents) {
    return Quarantine({storage, "out"}, "train", "a.jpg", AsBytes(contents));
  };
  REQUIRE(quarantine("bytes").ok());
  CHECK(quarantine("bytes").ok());
  for (const char* other : {"other", "more bytes", ""}) {
    const Status refused = quarantine(other);
    CHECK(refused.code() == Code::kAlreadyExists);
    CHECK(refused.where().path == path);
  }
  CHECK(*storage.Get(path) == "bytes");
}

}  // namespace
}  // namespace shardine::on_bad_test
