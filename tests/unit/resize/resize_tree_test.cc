
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "dataset/rejects.h"
#include "image/probe.h"
#include "image/recoder.h"
#include "io/folder_lock.h"
#include "shardine/resize.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/resize_fixture.h"

namespace shardine::resize_tree_test {
namespace {

Result<ResizeResult> Run(Storage& storage, const ResizeOptions& options) {
  return ResizeTree(options, {.storage = &storage});
}

Result<ResizeResult> Run(Storage& storage) {
  return Run(storage, ResizeOf("tree", "out"));
}

std::vector<std::string> NamesOf(const Snapshot& files) {
  std::vector<std::string> names;
  for (const auto& [name, contents] : files) names.push_back(name);
  return names;
}

ImageFacts FactsOf(const std::string& image) {
  const ProbeResult probe = ProbeImage(AsBytes(image));
  CHECK(probe.problem == ImageProblem::kNone);
  return probe.facts;
}

TEST_CASE("A tree has every image at every size", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  const auto result = Run(storage);
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == 5);
  CHECK(result->made == 10);
  CHECK(result->reused == 0);
  CHECK(result->upscaled == 1);  // 9 x 9 at 16
  CHECK(result->kept == 0);
  CHECK_FALSE(result->nothing_to_do);
  const Snapshot files = TakeSnapshot(storage, "out");
  CHECK(NamesOf(files) == std::vector<std::string>{
                              ".resize/record", "sz/16/a/1.jpg",
                              "sz/16/a/2.JPEG", "sz/16/a/3.jpg",
                              "sz/16/b/1.jpg", "sz/16/b/deep/er/1.jpeg",
                              "sz/8/a/1.jpg", "sz/8/a/2.JPEG", "sz/8/a/3.jpg",
                              "sz/8/b/1.jpg", "sz/8/b/deep/er/1.jpeg"});
  const ImageFacts facts = FactsOf(files.at("sz/16/a/2.JPEG"));
  CHECK(facts.width == 16);
  CHECK(facts.height == 39);  // floor(61 * 16 / 25)
  CHECK(facts.components == 1);
  CHECK(FactsOf(files.at("sz/8/a/3.jpg")).kind == ImageKind::kJpeg);
  std::uint64_t bytes = 0;
  for (const auto& [name, contents] : files) {
    if (name.starts_with("sz/")) bytes += contents.size();
  }
  CHECK(result->bytes == bytes);
}

TEST_CASE("The files of a tree are those that Recoder makes", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  ResizeOptions options = ResizeOf("tree", "out");
  options.image.filter = Filter::kLanczos;
  options.image.quality = 50;
  options.image.center_crop = true;
  options.image.color = ColorMode::kGray;
  REQUIRE(Run(storage, options).ok());
  Recoder recoder(options.image, options.short_sides);
  std::vector<RecodedImage> images(2);
  const std::string source = *storage.Get("tree/a/1.jpg");
  REQUIRE(recoder.Recode(AsBytes(source), images).made);
  CHECK(*storage.Get("out/sz/8/a/1.jpg") == AsText(images[0].bytes.view()));
  CHECK(*storage.Get("out/sz/16/a/1.jpg") == AsText(images[1].bytes.view()));
}

TEST_CASE("A tree is the same for any number of threads", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  for (int i = 0; i < 90; ++i) {
    storage.Put("tree/c/" + std::to_string(i) + ".jpg",
                MakeJpeg({.width = 20 + static_cast<std::uint32_t>(i),
                          .seed = static_cast<std::uint32_t>(i)}));
  }
  storage.Put("tree/c/bad.jpg", "bad");
  ResizeOptions options = ResizeOf("tree", "out1");
  options.on_bad = OnBad::kSkip;
  options.threads = 1;
  REQUIRE(Run(storage, options).ok());
  const Snapshot one = TakeSnapshot(storage, "out1");
  CHECK(one.size() == 2 * 95 + 2);
  for (const unsigned threads : {2u, 7u}) {
    options.output = "out" + std::to_string(threads);
    options.threads = threads;
    REQUIRE(Run(storage, options).ok());
    CHECK(TakeSnapshot(storage, options.output) == one);
  }
}

TEST_CASE("A complete tree is left as it is", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  REQUIRE(Run(storage).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  FaultStorage counting(storage, {.call = UINT64_MAX});
  const auto again = Run(counting);
  REQUIRE(again.ok());
  CHECK(again->nothing_to_do);
  CHECK(again->made == 0);
  CHECK(again->reused == 10);
  CHECK(again->samples == 5);
  CHECK(again->upscaled == 1);
  CHECK(counting.calls(Operation::kWrite) == 0);
  CHECK(counting.calls(Operation::kRename) == 0);
  CHECK(TakeSnapshot(storage, "out") == whole);
}

TEST_CASE("Files of a tree that are gone or empty are made again", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  REQUIRE(Run(storage).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  REQUIRE(storage.Remove("out/sz/8/a/1.jpg").ok());
  storage.Put("out/sz/16/b/1.jpg", "");
  storage.Put("out/sz/8/b/1.jpg", "");
  const std::int64_t before = storage.Stat("out/sz/16/a/1.jpg")->mtime_ns;
  const auto again = Run(storage);
  REQUIRE(again.ok());
  CHECK(again->made == 3);
  CHECK(again->reused == 7);
  CHECK_FALSE(again->nothing_to_do);
  CHECK(TakeSnapshot(storage, "out") == whole);
  // The one that was whole is not written again.
  CHECK(storage.Stat("out/sz/16/a/1.jpg")->mtime_ns == before);
}

TEST_CASE("A file of a tree that was edited stays (A6)", "[resize][promise]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("tree/b/bad.jpg", "bad");
  const std::string path = "out/sz/16/a/1.jpg";
  std::string edited = "edited";
  SECTION("in a tree with more to do") {
    REQUIRE_FALSE(Run(storage).ok());
    REQUIRE(storage.Remove("tree/b/bad.jpg").ok());
  }
  SECTION("in a complete tree") {
    REQUIRE(storage.Remove("tree/b/bad.jpg").ok());
    REQUIRE(Run(storage).ok());
  }
  SECTION("where its source is another by now") {
    REQUIRE_FALSE(Run(storage).ok());
    storage.Put("tree/a/1.jpg", MakeJpeg({.width = 33, .height = 22}));
    edited = *storage.Get(path);
    edited.back() ^= 1;
  }
  storage.Put(path, edited);
  const Status refused = Run(storage).status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.where().path == path);
  CHECK(*storage.Get(path) == edited);
}

TEST_CASE("A list of rejects of the user's own stays beside a tree (A6)",
          "[resize][promise]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("tree/b/bad.jpg", "bad");
  REQUIRE_FALSE(Run(storage).ok());
  storage.Put("out/rejected.jsonl", "mine");
  ResizeOptions options = ResizeOf("tree", "out");
  options.on_bad = OnBad::kSkip;
  const Status refused = ResizeTree(options, {.storage = &storage}).status();
  CHECK(refused.code() == Code::kAlreadyExists);
  CHECK(*storage.Get("out/rejected.jsonl") == "mine");
  REQUIRE(storage.Remove("out/rejected.jsonl").ok());
  CHECK(ResizeTree(options, {.storage = &storage}).ok());
}

TEST_CASE("Images that need not grow stay as they are", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  ResizeOptions options = ResizeOf("tree", "out");
  options.image.upscale = false;
  const auto result = Run(storage, options);
  REQUIRE(result.ok());
  CHECK(result->upscaled == 0);
  CHECK(result->kept == 1);
  CHECK(*storage.Get("out/sz/16/b/deep/er/1.jpeg") ==
        *storage.Get("tree/b/deep/er/1.jpeg"));
  CHECK(Run(storage, options)->kept == 1);
}

TEST_CASE("Sources with names have folders of their own", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "one");
  PutPhotos(storage, "two");
  ResizeOptions options = ResizeOf("one", "out");
  options.source.folders = {{"train", "one"}, {"val", "two"}};
  options.named = true;
  options.image.encoding = Encoding::kPng;
  REQUIRE(Run(storage, options).ok());
  CHECK(FactsOf(*storage.Get("out/sz/8/train/a/1.png")).kind ==
        ImageKind::kPng);
  CHECK(*storage.Get("out/sz/8/val/a/2.png") ==
        *storage.Get("out/sz/8/train/a/2.png"));
}

TEST_CASE("A tree is made of what a list names", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("x.lst", "7\t0\tb/1.jpg\n2\t1\ta/3.png\n");
  ResizeOptions options = ResizeOf("tree", "out");
  options.source.list = "x.lst";
  options.short_sides = {8};
  REQUIRE(Run(storage, options).ok());
  CHECK(NamesOf(TakeSnapshot(storage, "out/sz")) ==
        std::vector<std::string>{"8/a/3.jpg", "8/b/1.jpg"});
}

struct Bad {
  OnBad on_bad;
  std::uint64_t samples;
  std::vector<std::string> actions;  // of cut.jpg, empty.jpg, page.jpg
};

void PutBadImages(MemoryStorage& storage) {
  std::string cut = MakeJpeg({.width = 64, .height = 48});
  cut.resize(cut.size() - 200);
  storage.Put("tree/a/cut.jpg", cut);
  storage.Put("tree/a/empty.jpg", "");
  storage.Put("tree/a/page.jpg", "<!DOCTYPE html><html></html>");
  storage.Put("tree/b/good.jpg", MakeJpeg());
  storage.PutSymlink("tree/b/gone.jpg", "nowhere");
}

TEST_CASE("Bad images are left out, copied aside or made as well as can be",
          "[resize][on-bad]") {
  const Bad bad = GENERATE(
      Bad{OnBad::kSkip, 1, {"skip", "skip", "skip"}},
      Bad{OnBad::kQuarantine, 1, {"quarantine", "quarantine", "quarantine"}},
      Bad{OnBad::kKeep, 2, {"keep", "skip", "skip"}});
  MemoryStorage storage;
  PutBadImages(storage);
  ResizeOptions options = ResizeOf("tree", "out");
  options.on_bad = bad.on_bad;
  const auto result = Run(storage, options);
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == bad.samples);
  CHECK(result->made == 2 * bad.samples);
  const auto rejects = ReadRejects(storage, "out/rejected.jsonl");
  REQUIRE(rejects.ok());
  REQUIRE(rejects->size() == 4);
  CHECK((*rejects)[0].reason == "dangling-link");
  CHECK((*rejects)[1].reason == "no-end-marker");
  CHECK((*rejects)[2].reason == "empty");
  CHECK((*rejects)[3].reason == "not-an-image");
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK((*rejects)[i + 1].action == bad.actions[i]);
  }
  const bool aside = bad.on_bad == OnBad::kQuarantine;
  CHECK(storage.Stat("out/quarantine/a/cut.jpg").ok() == aside);
  CHECK(storage.Stat("out/sz/8/a/cut.jpg").ok() ==
        (bad.on_bad == OnBad::kKeep));
  CHECK_FALSE(storage.Stat("out/sz/8/a/page.jpg").ok());
  // They stay rejected without being looked at again.
  const Snapshot whole = TakeSnapshot(storage, "out");
  const auto again = Run(storage, options);
  REQUIRE(again.ok());
  CHECK(again->nothing_to_do);
  CHECK(again->rejected.size() == result->rejected.size());
  CHECK(TakeSnapshot(storage, "out") == whole);
}

TEST_CASE(
    "A bad image stops a resize unless told otherwise, and what was made "
    "before it is kept",
    "[resize][on-bad]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("tree/b/bad.jpg", "bad");
  const Status failed = Run(storage).status();
  CHECK(failed.code() == Code::kCorrupt);
  CHECK(failed.where().key == "b/bad.jpg");
  CHECK(failed.where().path == "tree/b/bad.jpg");
  for (const auto& [name, contents] : TakeSnapshot(storage, "out/sz")) {
    CHECK(name.find(".tmp") == std::string::npos);
  }
  // Three of a/ and b/1.jpg come before it.
  CHECK(TakeSnapshot(storage, "out/sz").size() == 8);
  CHECK(Run(storage).status().code() == Code::kCorrupt);
  storage.PutSymlink("tree/b/gone.jpg", "nowhere");
  CHECK(Run(storage).status().ToString() == "key b/gone.jpg: dangling-link");
}

TEST_CASE("Another plan is refused in the same folder", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  REQUIRE(Run(storage).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  const std::function<void(ResizeOptions&)> changes[] = {
      [](ResizeOptions& options) { options.image.quality = 91; },
      [](ResizeOptions& options) { options.short_sides = {8}; },
      [&](ResizeOptions&) { storage.Put("tree/a/new.jpg", MakeJpeg()); }};
  for (const auto& change : changes) {
    ResizeOptions options = ResizeOf("tree", "out");
    change(options);
    const Status status = Run(storage, options).status();
    CHECK(status.code() == Code::kChanged);
    CHECK(status.where().path == "out");
    CHECK(TakeSnapshot(storage, "out") == whole);
  }
}

TEST_CASE("Files that are not of the tree are never replaced", "[resize]") {
  const auto put = GENERATE(
      as<std::function<void(MemoryStorage&)>>(),
      [](MemoryStorage& s) { s.Put("out/sz/8/b/1.jpg", "mine"); },
      [](MemoryStorage& s) { s.Put("out/sz/8/b/1.jpg/x", "mine"); },
      [](MemoryStorage& s) { s.PutFifo("out/sz/16/b/1.jpg"); },
      [](MemoryStorage& s) { s.PutSymlink("out/sz/8/b/1.jpg", "x"); },
      [](MemoryStorage& s) { s.Put("out/shardine.json", "mine"); },
      [](MemoryStorage& s) { s.Put("out/sz/8/shardine.json", "m"); },
      [](MemoryStorage& s) { s.Put("out/rejected.jsonl", "mine"); });
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  put(storage);
  const Status status = Run(storage).status();
  INFO(status.ToString());
  CHECK(status.code() == Code::kChanged);
  CHECK(status.where().path.starts_with("out"));
  CHECK_FALSE(storage.Stat("out/.resize").ok());
  CHECK_FALSE(storage.Stat("out/sz/8/a/1.jpg").ok());
}

TEST_CASE("Temporary files of others stay where no resize was begun",
          "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("out/sz/8/a/.mine.tmp", "mine");
  REQUIRE(Run(storage).ok());
  CHECK(*storage.Get("out/sz/8/a/.mine.tmp") == "mine");
}

TEST_CASE("An output that is a file is refused", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("out", "mine");
  CHECK(Run(storage).status().ToString() ==
        "out: is there and is not a folder");
}

TEST_CASE("A second resize at the same time is refused", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  const auto lock = FolderLock::Take(storage, "out");
  REQUIRE(lock.ok());
  CHECK(Run(storage).status().code() == Code::kAlreadyExists);
}

// Runs it to the end, where it equals a run that nothing came before.
ResizeResult RunAsUndisturbed(MemoryStorage& storage,
                              const ResizeOptions& options) {
  const auto result = Run(storage, options);
  REQUIRE(result.status().ToString() == "OK");
  ResizeOptions whole = options;
  whole.output = "whole";
  REQUIRE(Run(storage, whole).ok());
  CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(storage, "whole"));
  return *result;
}

TEST_CASE("After a bad image a resize goes on as it is told",
          "[resize][on-bad]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("tree/b/bad.jpg", "bad");
  REQUIRE(Run(storage).status().code() == Code::kCorrupt);
  ResizeOptions options = ResizeOf("tree", "out");
  SECTION("to skip it") { options.on_bad = OnBad::kSkip; }
  SECTION("to keep what can be kept") { options.on_bad = OnBad::kKeep; }
  SECTION("without the file") {
    REQUIRE(storage.Remove("tree/b/bad.jpg").ok());
  }
  SECTION("with a good one") { storage.Put("tree/b/bad.jpg", MakeJpeg()); }
  CHECK(RunAsUndisturbed(storage, options).reused == 8);
}

TEST_CASE("What was made of a source that changed since is made again",
          "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("tree/b/bad.jpg", "bad");
  REQUIRE_FALSE(Run(storage).ok());
  // The same size, another time.
  storage.Put("tree/a/1.jpg", *storage.Get("tree/a/1.jpg"));
  // Another size.
  storage.Put("tree/b/1.jpg", MakeJpeg({.width = 33, .height = 22}));
  ResizeOptions options = ResizeOf("tree", "out");
  options.on_bad = OnBad::kSkip;
  CHECK(RunAsUndisturbed(storage, options).reused == 4);
}

TEST_CASE(
    "Files of images that the source no longer has are not left behind "
    "in silence",
    "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("tree/b/bad.jpg", "bad");
  REQUIRE_FALSE(Run(storage).ok());
  REQUIRE(storage.Remove("tree/a/1.jpg").ok());
  REQUIRE(storage.Remove("tree/b/bad.jpg").ok());
  const Status refused = Run(storage).status();
  CHECK(refused.code() == Code::kChanged);
  CHECK(refused.where().path == "out");
}

TEST_CASE(
    "Bad images that were made are made anew when they are to be left out",
    "[resize][on-bad]") {
  MemoryStorage storage;
  PutBadImages(storage);
  PutPhotos(storage, "tree");
  ResizeOptions options = ResizeOf("tree", "out");
  options.on_bad = OnBad::kKeep;
  options.threads = 1;
  std::stop_source stop;
  static_cast<void>(
      ResizeTree(options,
                 {.progress = [&](const Progress&) { stop.request_stop(); },
                  .stop = stop.get_token(),
                  .storage = &storage})
          .ok());
  REQUIRE_FALSE(storage.Stat("out/rejected.jsonl").ok());
  options.on_bad = OnBad::kSkip;
  RunAsUndisturbed(storage, options);
}

TEST_CASE("All bad images are counted and listed after the first ends a resize",
          "[resize][on-bad]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  for (const char* name : {"a/0.jpg", "b/5.jpg", "b/6.jpg"}) {
    storage.Put(std::string("tree/") + name, "bad");
  }
  const Status failed = Run(storage).status();
  CHECK(failed.where().key == "a/0.jpg");
  CHECK(
      failed.message() ==
      "not-an-image: the first bytes are of no known kind of image; the first "
      "of 3 bad images, listed in out/.resize/bad.jsonl: also b/5.jpg "
      "(not-an-image), b/6.jpg (not-an-image)");
  const auto listed = ReadRejects(storage, "out/.resize/bad.jsonl");
  REQUIRE(listed.ok());
  CHECK(listed->size() == 3);
}

TEST_CASE("A stopped resize goes on where it was", "[resize]") {
  MemoryStorage undisturbed;
  PutPhotos(undisturbed, "tree");
  REQUIRE(Run(undisturbed).ok());
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  std::stop_source source;
  source.request_stop();
  const auto stopped =
      ResizeTree(ResizeOf("tree", "out"),
                 {.stop = source.get_token(), .storage = &storage});
  CHECK(stopped.status().code() == Code::kCancelled);
  REQUIRE(Run(storage).ok());
  CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(undisturbed, "out"));
}

TEST_CASE("A record that is damaged says so or forgets", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  REQUIRE(Run(storage).ok());
  const std::string record = *storage.Get("out/.resize/record");
  for (std::size_t size = 0; size < record.size(); ++size) {
    storage.Put("out/.resize/record", record.substr(0, size));
    const Status status = Run(storage).status();
    INFO(size << " " << status.ToString());
    REQUIRE(
        (status.code() == Code::kCorrupt || status.code() == Code::kChanged));
  }
  for (std::size_t at = 0; at < record.size(); ++at) {
    std::string flipped = record;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    storage.Put("out/.resize/record", flipped);
    REQUIRE_FALSE(Run(storage).ok());
  }
  storage.Put("out/.resize/record", record);
  CHECK(Run(storage)->nothing_to_do);
}

TEST_CASE("A resize into its own source is refused", "[resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.PutSymlink("elsewhere", "tree/a");
  for (const char* output : {"tree", "tree/out", "elsewhere/out", "elsewhere",
                             "tree/../tree/a/none/out"}) {
    INFO(output);
    const Status status = Run(storage, ResizeOf("tree", output)).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().starts_with("lies in the source tree"));
  }
  CHECK_FALSE(storage.Stat("tree/out").ok());
  CHECK(Run(storage, ResizeOf("tree", "tree2")).ok());
}

}  // namespace
}  // namespace shardine::resize_tree_test
