// The files that other programs look for beside a dataset's shards: written,
// listed, refreshed and verified, and never put over anybody's own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "dataset/dataset_summary.h"
#include "dataset/manifest.h"
#include "shardine/convert.h"
#include "shardine/dataset_writer.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "support/fault_storage.h"
#include "support/pack_fixture.h"
#include "support/verify_findings.h"

namespace shardine::metadata_test {
namespace {

using Catch::Contains;

constexpr char kTimm[] = "webdataset:metadata=timm";
constexpr char kTfds[] = "tfrecord/tfds:metadata=tfds";
constexpr char kJoined[] = "recordio:metadata=joined-index";

struct World {
  World() { PutTree(storage, "tree", 3, 4, 900); }

  Status PackAs(const std::string& format, const std::string& out = "out") {
    PackOptions options = PackOf("tree", out);
    options.format = format;
    return Pack(options, {.storage = &storage}).status();
  }
  std::string Text(const std::string& path) {
    const auto text = storage.Get(path);
    INFO(path);
    REQUIRE(text.ok());
    return *text;
  }
  std::vector<std::string> Listed(const std::string& out = "out") {
    const auto manifest = ReadManifest(storage, out);
    REQUIRE(manifest.ok());
    std::vector<std::string> paths;
    for (const ManifestFile& file : manifest->files) paths.push_back(file.path);
    return paths;
  }
  // Forges a file with a valid digest.
  void Forge(const std::string& path, const std::string& text) {
    storage.Put("out/" + path, text);
    auto manifest = ReadManifest(storage, "out");
    REQUIRE(manifest.ok());
    for (ManifestFile& file : manifest->files) {
      if (file.path != path) continue;
      auto described = DescribeFile(storage, "out", path);
      REQUIRE(described.ok());
      file = *std::move(described);
    }
    REQUIRE(WriteManifest(storage, "out", *manifest).ok());
  }

  MemoryStorage storage;
};

TEST_CASE_METHOD(World, "Metadata is listed, and verify makes it again",
                 "[pack][metadata]") {
  const auto [format, files] = GENERATE(
      std::pair(kTimm, std::vector<std::string>{"_info.json"}),
      std::pair(kTfds,
                std::vector<std::string>{"dataset_info.json", "features.json",
                                         "label.labels.txt"}),
      std::pair(kJoined, std::vector<std::string>{".shardine/train.idx"}));
  REQUIRE(PackAs(format).ToString() == "OK");
  CHECK(Listed() == files);
  CHECK(FindingsOf(storage).empty());
  for (const std::string& file : files) {
    const std::string text = Text("out/" + file);
    Forge(file, text + " ");
    const auto longer = FindingsOf(storage);
    REQUIRE(longer.size() == 1);
    CHECK(longer[0].where().path == "out/" + file);
    CHECK(longer[0].where().offset == text.size());
    for (const std::size_t at : {std::size_t{0}, text.size() / 2}) {
      std::string other = text;
      other[at] = other[at] == 'x' ? 'y' : 'x';
      Forge(file, other);
      const auto found = FindingsOf(storage);
      REQUIRE(found.size() == 1);
      CHECK(found[0].where().offset == at);
      CHECK_THAT(found[0].message(), Contains("says something else"));
    }
    Forge(file, text);
  }
  CHECK(FindingsOf(storage).empty());
}

TEST_CASE_METHOD(World, "A manifest that leaves its metadata out is found",
                 "[pack][metadata]") {
  REQUIRE(PackAs(kTimm).ok());
  auto manifest = ReadManifest(storage, "out");
  REQUIRE(manifest.ok());
  manifest->files.clear();
  REQUIRE(WriteManifest(storage, "out", *manifest).ok());
  const auto found = FindingsOf(storage);
  REQUIRE(found.size() == 1);
  CHECK(found[0].where().path == "out/_info.json");
}

TEST_CASE_METHOD(World, "The joined index has every record's place in a row",
                 "[pack][metadata]") {
  REQUIRE(PackAs(kJoined).ok());
  std::string all;
  for (int shard = 0; shard < 3; ++shard) {
    all += Text("out/train-0000" + std::to_string(shard) + "-of-00003.rec");
  }
  std::string index = Text("out/.shardine/train.idx");
  std::vector<std::uint64_t> ids;
  while (!index.empty()) {
    const std::size_t tab = index.find('\t');
    const std::size_t end = index.find('\n');
    ids.push_back(std::stoull(index.substr(0, tab)));
    const std::size_t at = std::stoull(index.substr(tab + 1, end));
    // Magic, then lrec, flag and label: the id is where IRHeader has it.
    REQUIRE(all.substr(at, 4) == "\x0a\x23\xd7\xce");
    CHECK(LoadLe<std::uint64_t>(AsBytes(all).data() + at + 16) == ids.back());
    index.erase(0, end + 1);
  }
  std::ranges::sort(ids);
  CHECK(ids ==
        std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE_METHOD(World, "Conversions and merges write it for their own shards",
                 "[pack][metadata]") {
  REQUIRE(PackAs(kTimm).ok());
  ConvertOptions one;
  one.input = "out";
  one.output = "one";
  one.shards = 1;
  REQUIRE(Convert(one, {.storage = &storage}).status().ToString() == "OK");
  CHECK(Listed("one") == Listed());
  CHECK_THAT(Text("one/_info.json"), Contains("train-00000-of-00001.tar") &&
                                         Contains("\"num_samples\": 12"));
  MergeOptions merge;
  merge.inputs = {"out", "one"};
  merge.output = "merged";
  merge.key_prefix = "{name}/";
  REQUIRE(Merge(merge, {.storage = &storage}).status().ToString() == "OK");
  CHECK_THAT(Text("merged/_info.json"), Contains("\"num_samples\": 24"));
  // A dataset of another format has no such metadata.
  one.output = "plain";
  one.format = "tfrecord/tfds";
  REQUIRE(Convert(one, {.storage = &storage}).ok());
  CHECK(Listed("plain").empty());
}

TEST_CASE_METHOD(World, "Somebody's file is left, and the way out is one",
                 "[pack][metadata]") {
  storage.Put("out/_info.json", "mine");
  const Status status = PackAs(kTimm);
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK(status.where().path == "out/_info.json");
  CHECK_THAT(status.message(), Contains("move it away"));
  CHECK(Text("out/_info.json") == "mine");
  CHECK_FALSE(storage.Stat("out/shardine.json").ok());
  REQUIRE(storage.Remove("out/_info.json").ok());
  REQUIRE(PackAs(kTimm).ToString() == "OK");
  REQUIRE(PackAs(kTimm, "undisturbed").ok());
  CHECK(TakeSnapshot(storage, "out") == TakeSnapshot(storage, "undisturbed"));
}

TEST_CASE_METHOD(World, "A pack that is killed anywhere ends in the same bytes",
                 "[pack][metadata][one_thread]") {
  REQUIRE(PackAs(kTfds).ok());
  const Snapshot whole = TakeSnapshot(storage, "out");
  PackOptions options = PackOf("tree", "out");
  options.format = kTfds;
  options.threads = 1;
  for (std::uint64_t call = 0;; call += 5) {
    MemoryStorage fresh;
    PutTree(fresh, "tree", 3, 4, 900);
    FaultStorage killed(fresh, {.call = call, .effect = Fault::Effect::kCrash});
    (void)Pack(options, {.storage = &killed});
    if (!killed.struck()) break;
    INFO(call);
    REQUIRE(Pack(options, {.storage = &fresh}).status().ToString() == "OK");
    CHECK(TakeSnapshot(fresh, "out") == whole);
  }
}

Status WriteOne(Storage& storage, const std::vector<NewClass>& classes) {
  auto writer = DatasetWriter::Create({.output = "out",
                                       .format = kTfds,
                                       .classes = classes,
                                       .check = ImageCheckLevel::kNone},
                                      {.storage = &storage});
  if (!writer.ok()) return writer.status();
  const FieldView field{.name = kImageField, .bytes = AsBytes("image")};
  const Label label(classes.back().label);
  const Status status = (*writer)->Append(
      {.key = "k", .labels = {&label, 1}, .fields = {&field, 1}});
  return status.ok() ? (*writer)->Finish().status() : status;
}

TEST_CASE("A DatasetWriter that fails leaves no metadata",
          "[pack][metadata][writer]") {
  for (std::uint64_t call = 0;; ++call) {
    MemoryStorage storage;
    FaultStorage failing(storage, {.call = call});
    const Status status = WriteOne(failing, {{"a", 0}});
    if (!failing.struck()) break;
    if (status.ok()) continue;
    INFO(call);
    CHECK_FALSE(storage.Stat("out/dataset_info.json").ok());
    CHECK_FALSE(storage.Stat("out/label.labels.txt").ok());
  }
}

TEST_CASE("Names that are no lines, or not numbered in a row, are not listed",
          "[pack][metadata]") {
  const auto [classes, count] =
      GENERATE(table<std::vector<NewClass>, std::string>(
          {{{{"a", 0}, {"b\nc", 1}}, "2"},
           {{{" a", 0}, {"b", 1}}, "2"},
           {{{"a\xc2\xa0", 0}, {"b", 1}}, "2"},
           {{{"\xff", 0}, {"b", 1}}, "2"},
           {{{"a", 0}, {"b", 7}}, "8"}}));
  MemoryStorage storage;
  REQUIRE(WriteOne(storage, classes).ToString() == "OK");
  CHECK_FALSE(storage.Stat("out/label.labels.txt").ok());
  CHECK_THAT(*storage.Get("out/features.json"),
             Contains("\"numClasses\": \"" + count + "\""));
  CHECK(FindingsOf(storage).empty());
}

TEST_CASE_METHOD(World,
                 "Shards that TensorFlow Datasets would not find are said",
                 "[pack][metadata]") {
  REQUIRE(PackAs("tfrecord/tfds").ok());
  storage.Put("files/a.tfrecord", Text("out/train-00000-of-00003.tfrecord"));
  IndexOptions options;
  options.files = {"files/a.tfrecord"};
  options.output = "index";
  options.format = kTfds;
  const Status status = IndexShards(options, {.storage = &storage}).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Contains("train-00000-of-00008.tfrecord"));
  CHECK_FALSE(storage.Stat("index/shardine.json").ok());
}

}  // namespace
}  // namespace shardine::metadata_test
