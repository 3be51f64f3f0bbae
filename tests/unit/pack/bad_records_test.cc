// Datasets of others whose records are damaged: left out, counted and listed,
// for each format and each damage.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dataset/rejects.h"
#include "shardine/convert.h"
#include "shardine/resize.h"
#include "support/bad_records_fixture.h"
#include "support/dataset_checks.h"
#include "support/fault_sweep.h"

namespace shardine::bad_records_test {
namespace {

constexpr const char* kFormats[] = {"recordio", "tfrecord", "lmdb", "hdf5",
                                    "webdataset"};

Result<PackResult> RunConvert(Storage& storage, const ConvertOptions& options) {
  return Convert(options, {.storage = &storage});
}

std::vector<Reject> RejectsIn(Storage& storage, const std::string& output) {
  auto rejects = ReadRejects(storage, output + "/rejected.jsonl");
  REQUIRE(rejects.status().ToString() == "OK");
  return *std::move(rejects);
}

std::uint64_t CountOf(const PackResult& result, const std::string& reason) {
  for (const RejectedCount& entry : result.rejected) {
    if (entry.reason == reason && entry.action == "skip") return entry.count;
  }
  return 0;
}

// The conversion that leaves out `left`, by 1, 2 and 7 threads, again, and
// under OnBad::kFail.
PackResult CheckSkips(MemoryStorage& storage, std::uint64_t left) {
  const auto converted = RunConvert(storage, Skipping("out"));
  REQUIRE(converted.status().ToString() == "OK");
  CHECK(converted->samples == kBadRecordImages - left);
  CheckSound(storage, "out");
  CHECK(ManifestOf(storage, "out").made.options.at("on-bad") == "skip");
  for (const unsigned threads : {1u, 7u}) {
    ConvertOptions options = Skipping("t" + std::to_string(threads));
    options.threads = threads;
    REQUIRE(RunConvert(storage, options).status().ToString() == "OK");
    CHECK((TakeSnapshot(storage, options.output) ==
           TakeSnapshot(storage, "out")));
  }
  const auto again = RunConvert(storage, Skipping("out"));
  REQUIRE(again.status().ToString() == "OK");
  CHECK(again->nothing_to_do);
  ConvertOptions other = Skipping("out");
  other.on_bad = OnBad::kFail;
  CHECK(RunConvert(storage, other).status().code() == Code::kChanged);
  return *converted;
}

TEST_CASE("Convert leaves out a record whose payload is damaged, and names it",
          "[convert][on-bad]") {
  for (const char* format : kFormats) {
    INFO(format);
    MemoryStorage storage;
    PutPhotoDataset(storage, format);
    const Extent image = ImageAt(storage, 1, 2);
    const std::string shard = ShardOf(storage, 1);
    Flip(storage, shard, image.offset + image.length / 2);
    const Status failed = RunConvert(storage, Failing("no")).status();
    CHECK(failed.code() == Code::kCorrupt);
    CHECK(failed.where().record == 2u);
    const PackResult result = CheckSkips(storage, 1);
    CHECK(CountOf(result, "checksum") == 1);
    const std::vector<Reject> rejects = RejectsIn(storage, "out");
    REQUIRE(rejects.size() == 1);
    CHECK(rejects[0].key == PhotoKey(8));
    CHECK("in/" + rejects[0].file == shard);
    CHECK(rejects[0].record == 2u);
    CHECK(rejects[0].byte == image.offset);
    CHECK_FALSE(rejects[0].detail.empty());
  }
}

TEST_CASE("Convert leaves out the records that a shard was cut before",
          "[convert][on-bad]") {
  for (const char* format : kFormats) {
    INFO(format);
    MemoryStorage storage;
    PutPhotoDataset(storage, format);
    std::vector<Extent> images;
    for (std::uint64_t i = 0; i < kBadRecordImages / 2; ++i) {
      images.push_back(ImageAt(storage, 0, i));
    }
    const auto last = std::ranges::max_element(images, {}, &Extent::offset);
    const std::string shard = ShardOf(storage, 0);
    storage.Put(shard, storage.Get(shard)->substr(0, last->offset + 10));
    CHECK(RunConvert(storage, Failing("no")).status().code() == Code::kCorrupt);
    const PackResult result = CheckSkips(storage, 1);
    CHECK(CountOf(result, "cut-off") == 1);
    const std::vector<Reject> rejects = RejectsIn(storage, "out");
    REQUIRE(rejects.size() == 1);
    CHECK(rejects[0].key ==
          PhotoKey(static_cast<std::uint64_t>(last - images.begin())));
    CHECK(rejects[0].byte == last->offset);
  }
}

TEST_CASE("Convert leaves out images that are no images", "[convert][on-bad]") {
  const std::string cut = PhotoImage(5).substr(0, 200);
  for (const char* format : kFormats) {
    for (const auto& [odd, reason] :
         {std::pair<std::string, std::string>("", "empty"),
          {"<html>not found</html>", "not-an-image"},
          {cut, "no-end-marker"}}) {
      INFO(format << " " << reason);
      MemoryStorage storage;
      PutPhotoDataset(storage, format, odd);
      // By default images pass through as they are.
      const auto passed = RunConvert(storage, Failing("all"));
      REQUIRE(passed.status().ToString() == "OK");
      CHECK(passed->samples == kBadRecordImages);
      const PackResult result = CheckSkips(storage, 1);
      CHECK(CountOf(result, reason) == 1);
      const std::vector<Reject> rejects = RejectsIn(storage, "out");
      REQUIRE(rejects.size() == 1);
      CHECK(rejects[0].key == PhotoKey(5));
      CHECK(rejects[0].record == 5u);
      CHECK("in/" + rejects[0].file == ShardOf(storage, 0));
      // A dataset of unjudged images is no dataset of judged ones.
      ConvertOptions judged = Skipping("all");
      CHECK(RunConvert(storage, judged).status().code() == Code::kChanged);
    }
  }
}

TEST_CASE("Convert copies bad images aside or keeps them, if asked",
          "[convert][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "tfrecord", "<html>not found</html>");
  const Extent image = ImageAt(storage, 1, 0);
  Flip(storage, ShardOf(storage, 1), image.offset + 30);
  ConvertOptions options = Skipping("aside");
  options.on_bad = OnBad::kQuarantine;
  const auto aside = RunConvert(storage, options);
  REQUIRE(aside.status().ToString() == "OK");
  CHECK(aside->samples == kBadRecordImages - 2);
  CHECK(*storage.Get("aside/quarantine/train/" + PhotoKey(5)) ==
        "<html>not found</html>");
  CHECK_FALSE(storage.Stat("aside/quarantine/train/" + PhotoKey(6)).ok());
  CheckSound(storage, "aside");
  options = Skipping("kept");
  options.on_bad = OnBad::kKeep;
  const auto kept = RunConvert(storage, options);
  REQUIRE(kept.status().ToString() == "OK");
  CHECK(kept->samples == kBadRecordImages - 1);
  CheckSound(storage, "kept");
}

TEST_CASE("An image kept though bad is listed once, as it is judged last",
          "[convert][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "recordio");
  storage.Put("tree/" + PhotoKey(3), "no image");
  PackOptions pack = PackOf("tree", "in2");
  pack.check = ImageCheckLevel::kHeader;
  pack.on_bad = OnBad::kKeep;
  REQUIRE(Pack(pack, {.storage = &storage}).ok());
  ConvertOptions options = Skipping("out");
  options.input = "in2";
  const auto converted = RunConvert(storage, options);
  REQUIRE(converted.status().ToString() == "OK");
  CHECK(converted->samples == kBadRecordImages - 1);
  const std::vector<Reject> rejects = RejectsIn(storage, "out");
  REQUIRE(rejects.size() == 1);
  CHECK(rejects[0].action == "skip");
  CheckSound(storage, "out");
}

TEST_CASE("A conversion that leaves records out and is killed goes on",
          "[convert][on-bad]") {
  const Work work = {.prepare =
                         [](MemoryStorage& storage) {
                           PutPhotoDataset(storage, "webdataset", "no image");
                           const Extent image = ImageAt(storage, 1, 2);
                           Flip(storage, ShardOf(storage, 1),
                                image.offset + 30);
                         },
                     .run =
                         [](Storage& storage) {
                           return RunConvert(storage, Skipping("out")).status();
                         }};
  const Snapshot whole = Undisturbed(work);
  KillAtEachCall(work, 20, [&](const Aftermath& after) {
    CheckNothingHalfWritten(after.storage, whole);
    REQUIRE(work.run(after.storage).ToString() == "OK");
    CHECK((TakeSnapshot(after.storage, "out") == whole));
  });
}

TEST_CASE("Merge and relabel leave out what convert leaves out",
          "[merge][relabel][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "lmdb", "no image");
  const Extent image = ImageAt(storage, 1, 2);
  const std::string shard = ShardOf(storage, 1);
  Flip(storage, shard, image.offset + 30);
  MergeOptions merge;
  merge.inputs = {"in", "in"};
  merge.output = "both";
  merge.key_prefix = "{n}/";
  CHECK(Merge(merge, {.storage = &storage}).status().code() == Code::kCorrupt);
  merge.on_bad = OnBad::kSkip;
  const auto merged = Merge(merge, {.storage = &storage});
  REQUIRE(merged.status().ToString() == "OK");
  CHECK(merged->samples == 2 * (kBadRecordImages - 2));
  const std::vector<Reject> rejects = RejectsIn(storage, "both");
  REQUIRE(rejects.size() == 4);
  CHECK(std::ranges::count(rejects, shard, &Reject::file) == 2);
  CheckSound(storage, "both");
  CHECK(Merge(merge, {.storage = &storage})->nothing_to_do);

  storage.Put("new.lst", "0\t0\t" + PhotoKey(0) + "\n");
  RelabelOptions relabel{.input = "in", .output = "new", .list = "new.lst"};
  relabel.on_bad = OnBad::kSkip;
  const auto relabelled = Relabel(relabel, {.storage = &storage});
  REQUIRE(relabelled.status().ToString() == "OK");
  CHECK(relabelled->samples == kBadRecordImages - 2);
  CheckSound(storage, "new");
}

TEST_CASE("Resized shards leave out records that do not match their checksums",
          "[resize][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "webdataset");
  const Extent image = ImageAt(storage, 1, 2);
  Flip(storage, ShardOf(storage, 1), image.offset + 30);
  ResizeShardsOptions resize;
  resize.source.folders = {{"train", "in"}};
  resize.output = "small";
  resize.short_sides = {16};
  const Status failed = ResizeShards(resize, {.storage = &storage}).status();
  CHECK(failed.code() == Code::kCorrupt);
  CHECK(failed.where().record == 2u);
  resize.on_bad = OnBad::kSkip;
  const auto resized = ResizeShards(resize, {.storage = &storage});
  REQUIRE(resized.status().ToString() == "OK");
  CHECK(resized->samples == kBadRecordImages - 1);
  CHECK(CountOf(*resized, "checksum") == 1);
  CheckSound(storage, "small/sz/16");
}

// The shards of "in" alone, which are in no dataset.
std::vector<std::string> PutForeign(MemoryStorage& storage) {
  std::vector<std::string> files;
  for (const std::size_t shard : {0u, 1u}) {
    const std::string path = ShardOf(storage, shard);
    files.push_back("foreign/" + std::to_string(shard) +
                    path.substr(path.rfind('.')));
    storage.Put(files.back(), *storage.Get(path));
  }
  return files;
}

ConvertOptions OfFiles(const std::vector<std::string>& files) {
  ConvertOptions options = Skipping("out");
  options.input.clear();
  options.files = files;
  return options;
}

TEST_CASE("A record without a right checksum is passed over in a TFRecord",
          "[convert][files][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "tfrecord");
  const Extent image = ImageAt(storage, 0, 0);
  const auto files = PutForeign(storage);
  Flip(storage, files[0], image.offset + 30);
  storage.Put(files[1], *storage.Get(files[1]));
  ConvertOptions options = OfFiles(files);
  const auto converted = RunConvert(storage, options);
  REQUIRE(converted.status().ToString() == "OK");
  CHECK(converted->samples == kBadRecordImages - 1);
  CHECK(CountOf(*converted, "unreadable") == 1);
  CHECK(converted->rejected_before.empty());
  CheckSound(storage, "out");
  const std::vector<Reject> rejects = RejectsIn(storage, "out");
  REQUIRE(rejects.size() == 1);
  CHECK(rejects[0].file == files[0]);
  CHECK(rejects[0].record == 0u);
  CHECK(rejects[0].byte == 0u);
  CHECK(rejects[0].split == "train");
  CHECK(RunConvert(storage, options)->nothing_to_do);
  options.on_bad = OnBad::kFail;
  CHECK(RunConvert(storage, options).status().code() == Code::kCorrupt);
}

TEST_CASE("A bad image has its number in the file after one passed over",
          "[convert][files][on-bad]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "tfrecord", "no image");
  const Extent image = ImageAt(storage, 0, 1);
  const auto files = PutForeign(storage);
  Flip(storage, files[0], image.offset + 30);
  REQUIRE(RunConvert(storage, OfFiles(files)).status().ToString() == "OK");
  const std::vector<Reject> rejects = RejectsIn(storage, "out");
  REQUIRE(rejects.size() == 2);
  CHECK(rejects[0].record == 1u);
  CHECK(rejects[1].reason == "not-an-image");
  CHECK(rejects[1].record == 5u);
  CHECK(rejects[1].file == files[0]);
}

TEST_CASE("Where records cannot be told apart any more the rest is lost aloud",
          "[convert][files][on-bad]") {
  for (const char* format : {"recordio", "tfrecord", "webdataset"}) {
    for (const bool cut : {false, true}) {
      INFO(format << (cut ? " cut" : " flipped"));
      MemoryStorage storage;
      PutPhotoDataset(storage, format);
      const Extent third = ImageAt(storage, 0, 2);
      const Extent fourth = ImageAt(storage, 0, 3);
      const auto files = PutForeign(storage);
      if (cut) {
        storage.Put(files[0],
                    storage.Get(files[0])->substr(0, fourth.offset + 10));
      } else {
        // The frame of the fourth record begins between the two images.
        const std::uint64_t end = third.offset + third.length;
        for (std::uint64_t byte = end; byte < fourth.offset; ++byte) {
          Flip(storage, files[0], byte);
        }
      }
      const auto converted = RunConvert(storage, OfFiles(files));
      REQUIRE(converted.status().ToString() == "OK");
      CHECK(converted->samples <= kBadRecordImages / 2 + 3);
      CHECK(converted->samples >= kBadRecordImages / 2 + 2);
      CHECK(CountOf(*converted, "lost-rest") == 1);
      CheckSound(storage, "out");
      const std::string said = " records are lost is not known: " + files[0];
      CHECK(std::ranges::any_of(
          converted->warnings, [&](const std::string& warning) {
            return warning.starts_with("reading ends before record ") &&
                   warning.find(said) != std::string::npos;
          }));
      const std::vector<Reject> rejects = RejectsIn(storage, "out");
      CHECK(rejects.back().key.empty());
      CHECK(rejects.back().file == files[0]);
      CHECK(rejects.back().byte.has_value());
    }
  }
}

TEST_CASE("A shard that cannot be opened is lost aloud beside others",
          "[convert][files][on-bad]") {
  for (const char* format : {"lmdb", "hdf5"}) {
    INFO(format);
    MemoryStorage storage;
    PutPhotoDataset(storage, format);
    const auto files = PutForeign(storage);
    const std::string bytes = *storage.Get(files[1]);
    storage.Put(files[1], bytes.substr(0, bytes.size() - bytes.size() / 3));
    ConvertOptions options = OfFiles(files);
    const auto converted = RunConvert(storage, options);
    REQUIRE(converted.status().ToString() == "OK");
    CHECK(converted->samples == kBadRecordImages / 2);
    CHECK(CountOf(*converted, "lost-rest") == 1);
    CheckSound(storage, "out");
    options.files = {files[1]};
    options.output = "alone";
    const Status alone = RunConvert(storage, options).status();
    CHECK_FALSE(alone.ok());
  }
}

TEST_CASE("Keys of a file are left out, and those of no sample are listed",
          "[convert][merge][drop-keys]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "recordio");
  storage.Put("drop.txt", PhotoKey(3) + "\nnothing.jpg\n" + PhotoKey(7) + "\n");
  ConvertOptions options = Failing("out");
  options.drop_keys = "drop.txt";
  const auto converted = RunConvert(storage, options);
  REQUIRE(converted.status().ToString() == "OK");
  CHECK(converted->samples == kBadRecordImages - 2);
  CheckSound(storage, "out");
  const Manifest manifest = ManifestOf(storage, "out");
  CHECK(manifest.made.options.at("drop-keys") == "drop.txt");
  REQUIRE(manifest.ignored.size() == 2);
  CHECK(manifest.ignored[0] == ManifestIgnored{"drop-keys-unmatched", 1});
  CHECK(manifest.ignored[1] == ManifestIgnored{"dropped", 2});
  CHECK(storage.Get("out/ignored.jsonl")->find("nothing.jpg") !=
        std::string::npos);
  CHECK(std::ranges::count(converted->warnings,
                           "drop.txt: 1 of 3 keys to leave out are of no "
                           "sample") == 1);
  CHECK(RunConvert(storage, options)->nothing_to_do);
  options.drop_keys.clear();
  const Status other = RunConvert(storage, options).status();
  CHECK(other.code() == Code::kChanged);
  CHECK(other.message().find("drop-keys") != std::string::npos);
  // A table, and keys as they are in the output.
  storage.Put("drop.csv",
              "key,why\n1/" + PhotoKey(3) + ",dark\n" + PhotoKey(4) + ",\n");
  MergeOptions merge;
  merge.inputs = {"in", "in"};
  merge.output = "both";
  merge.key_prefix = "{n}/";
  merge.drop_keys = "drop.csv";
  const auto merged = Merge(merge, {.storage = &storage});
  REQUIRE(merged.status().ToString() == "OK");
  CHECK(merged->samples == 2 * kBadRecordImages - 3);
  CHECK(std::ranges::count(merged->warnings, "drop.csv: " + PhotoKey(4) +
                                                 " is the key of 2 samples") ==
        1);
  CheckSound(storage, "both");
}

TEST_CASE("Keys to leave out of which no sample has any are refused",
          "[convert][drop-keys]") {
  MemoryStorage storage;
  PutPhotoDataset(storage, "recordio");
  storage.Put("empty.txt", "");
  storage.Put("wrong.txt", "b.jpg\na.jpg\n");
  for (const char* file : {"empty.txt", "wrong.txt", "missing.txt"}) {
    ConvertOptions options = Failing("out");
    options.drop_keys = file;
    const Status status = RunConvert(storage, options).status();
    CHECK_FALSE(status.ok());
    CHECK(status.where().path == file);
    CHECK_FALSE(storage.Stat("out").ok());
  }
}

}  // namespace
}  // namespace shardine::bad_records_test
