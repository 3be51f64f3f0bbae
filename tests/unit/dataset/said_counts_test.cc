// Numbers of samples in files beside shards, held against the shards.
#include "dataset/said_counts.h"

#include <catch2/catch.hpp>

#include "dataset/sample_source.h"
#include "shardine/convert.h"
#include "shardine/index.h"
#include "shardine/pack.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"

namespace shardine::said_counts_test {
namespace {

using Texts = std::vector<std::string>;

const Format& FormatOf(const std::string& name) {
  const Format* const format = BuiltinFormats().FindByName(name);
  REQUIRE(format != nullptr);
  return *format;
}

// The counts said for d/a.tar with 9 samples and d/b.tar with 5, with `text` in
// d/NAME beside them.
std::string SaidOf(const std::string& name, const std::string& text,
                   const std::string& format = "webdataset") {
  MemoryStorage storage;
  storage.Put("d/" + name, text);
  const CountedShard shards[] = {{"d/a.tar", 9}, {"d/b.tar", 5}};
  const Texts said = SaidCountWarnings(storage, FormatOf(format), shards);
  REQUIRE(said.size() <= 1);
  return said.empty() ? "" : said.front();
}

std::string Timm(const std::string& split) {
  return R"({"splits": {"train": )" + split + "}}";
}

TEST_CASE("timm's counts are held against those of archives", "[counts]") {
  const std::string files = R"("filenames": ["a.tar", "b.tar"])";
  for (const char* name : {"_info.json", "info.json"}) {
    CHECK(SaidOf(name, Timm("{" + files + R"(, "num_samples": 14,
                                "shard_lengths": [9, 5]})"))
              .empty());
    CHECK(SaidOf(name, Timm("{" + files + R"(, "num_samples": 15,
                                "shard_lengths": [9, 6]})")) ==
          "d/" + std::string(name) +
              ": says that b.tar has 6 samples where there are 5");
  }
  CHECK(SaidOf("_info.json", Timm("{" + files + R"(, "num_samples": 140})")) ==
        "d/_info.json: says that the split train has 140 samples where there "
        "are 14");
  CHECK(SaidOf("_info.json", Timm("{" + files + R"(,
                                 "shard_lengths": [1, 0]})")) ==
        "d/_info.json: says that a.tar has 1 sample where there are 9; 1 other "
        "entry of it is wrong, too");
}

TEST_CASE("A shard that a count file lists and that is lost is said",
          "[counts]") {
  const std::string text =
      Timm(R"({"filenames": ["a.tar", "b.tar", "c.tar"], "num_samples": 20})");
  CHECK(SaidOf("_info.json", text) ==
        "d/_info.json: lists c.tar, which does not exist");
  MemoryStorage storage;
  storage.Put("d/_info.json", text);
  storage.Put("d/c.tar", "left out on purpose");
  const CountedShard shards[] = {{"d/a.tar", 9}, {"d/b.tar", 5}};
  CHECK(SaidCountWarnings(storage, FormatOf("webdataset"), shards).empty());
}

TEST_CASE("Counts of wids and OpenCLIP are held against those of archives",
          "[counts]") {
  for (const char* name : {"index.json", "shardindex.json"}) {
    CHECK(SaidOf(name, R"({"wids_version": 1, "shardlist": [
                  {"url": "https://x.org/y/a.tar", "nsamples": 9},
                  {"url": "/elsewhere/b.tar", "nsamples": 50}]})") ==
          "d/" + std::string(name) +
              ": says that /elsewhere/b.tar has 50 samples where there are 5");
  }
  CHECK(SaidOf("sizes.json", R"({"a.tar": 9, "b.tar": 5, "all": 1})").empty());
  CHECK(SaidOf("sizes.json", R"({"a.tar": 8, "b.tar": 5})") ==
        "d/sizes.json: says that a.tar has 8 samples where there are 9");
}

TEST_CASE("TensorFlow Datasets' counts are held against those of its files",
          "[counts]") {
  const auto said = [](const std::string& split, const std::string& shard) {
    MemoryStorage storage;
    storage.Put("d/dataset_info.json",
                R"({"name": "mnist", "fileFormat": "tfrecord", "splits": [)" +
                    split + "]}");
    const CountedShard shards[] = {{"d/" + shard, 9}};
    const Texts texts =
        SaidCountWarnings(storage, FormatOf("tfrecord"), shards);
    return texts.empty() ? "" : texts.front();
  };
  const std::string name = "mnist-test.tfrecord-00000-of-00001";
  const std::string wrong = "d/dataset_info.json: says that ";
  CHECK(said(R"({"name": "test", "shardLengths": ["9"]})", name).empty());
  CHECK(said(R"({"name": "test", "shardLengths": ["10"]})", name) ==
        wrong + name + " has 10 samples where there are 9");
  CHECK(
      said(R"({"name": "test", "shardLengths": [10], "filepathTemplate": ""})",
           name) == wrong + name + " has 10 samples where there are 9");
  CHECK(said(R"({"name": "a", "shardLengths": ["10"], "filepathTemplate":
                 "{SPLIT}.{SHARD_INDEX}.{NUM_SHARDS}"})",
             "a.00000.00001") ==
        wrong + "a.00000.00001 has 10 samples where there are 9");
  CHECK(said(R"({"name": "test", "shardLengths": ["9", "1"]})",
             "mnist-test.tfrecord-00000-of-00002") ==
        "d/dataset_info.json: lists mnist-test.tfrecord-00001-of-00002, which "
        "does not exist");
  // Another split is not looked at.
  CHECK(said(R"({"name": "train", "shardLengths": ["10"]})", name).empty());
}

TEST_CASE("A count file of another form is said, and is no failure",
          "[counts]") {
  const std::string end = "; its counts are not compared";
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{
           {"_info.json", "{"},
           {"_info.json", "[]"},
           {"_info.json", R"({"splits": []})"},
           {"_info.json", Timm("[]")},
           {"_info.json", Timm(R"({"filenames": 1})")},
           {"_info.json", Timm(R"({"filenames": [1]})")},
           {"_info.json", std::string(200'000, '[')},
           {"index.json", R"({"shardlist": {}})"},
           {"index.json", R"({"shardlist": [{"nsamples": 1}]})"},
           {"sizes.json", "9"}}) {
    INFO(name << ": " << text.substr(0, 30));
    const std::string said = SaidOf(name, text);
    CHECK(said.starts_with("d/" + name + ": its text is not "));
    CHECK(said.ends_with(end));
  }
  for (const char* text :
       {"", R"({"splits": {}})", R"({"splits": [{"shardLengths": 9}]})"}) {
    CHECK(SaidOf("dataset_info.json", text, "tfrecord").ends_with(end));
  }
  // A file about something else.
  for (const char* text : {"{}", R"({"splits": {}})", R"({"a": {"b": 1}})"}) {
    CHECK(SaidOf("_info.json", text).empty());
    CHECK(SaidOf("index.json", text).empty());
    CHECK(SaidOf("sizes.json", text).empty());
  }
}

// Two shards with their program's file beside them, and no dataset.
struct Foreign {
  Foreign(const std::string& format, const std::string& suffix,
          const std::string& file)
      : info("foreign/" + file) {
    PutTree(storage, "tree", 2, 5, 100);
    PackOptions options = PackOf("tree", "packed");
    options.format = format;
    options.shards = 2;
    REQUIRE(Pack(options, job()).status().ToString() == "OK");
    for (const std::string& name :
         {"train-00000-of-00002" + suffix, "train-00001-of-00002" + suffix}) {
      storage.Put("foreign/" + name, *storage.Get("packed/" + name));
      shards.push_back("foreign/" + name);
    }
    storage.Put(info, *storage.Get("packed/" + file));
  }

  Job job() { return {.storage = &storage}; }

  // How many of the lines are about the file.
  std::size_t Count(const Texts& lines) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines, [&](const std::string& line) {
          return line.starts_with(info + ": ");
        }));
  }

  // Counts said by index, convert, an opening and a verification of the first
  // shard.
  std::vector<std::size_t> Said() {
    IndexOptions index;
    index.files = shards;
    index.output = "index";
    const auto indexed = IndexShards(index, job());
    REQUIRE(indexed.status().ToString() == "OK");
    REQUIRE(storage.Remove("index/shardine.json").ok());
    ConvertOptions convert;
    convert.files = shards;
    convert.output = "converted" + std::to_string(++runs);
    const auto converted = Convert(convert, job());
    REQUIRE(converted.status().ToString() == "OK");
    const auto opened =
        SampleSource::OpenShards(storage, shards, {}, BuiltinFormats());
    REQUIRE(opened.status().ToString() == "OK");
    VerifyOptions verify;
    verify.target = shards[0];
    const auto verified = Verify(verify, job());
    REQUIRE(verified.status().ToString() == "OK");
    Texts found = verified->notes;
    for (const Status& finding : verified->findings) {
      CHECK(finding.code() == Code::kCorrupt);
      found.push_back(finding.ToString());
    }
    return {Count(indexed->warnings), Count(converted->warnings),
            Count((*opened)->warnings()), Count(found)};
  }

  MemoryStorage storage;
  const std::string info;
  std::vector<std::string> shards;
  int runs = 0;
};

TEST_CASE("Every look at shards holds the counts beside them against them",
          "[counts][index][convert][verify]") {
  const auto [format, suffix, file] =
      GENERATE(std::tuple("webdataset:metadata=timm", ".tar", "_info.json"),
               std::tuple("tfrecord/tfds:metadata=tfds", ".tfrecord",
                          "dataset_info.json"));
  Foreign foreign(format, suffix, file);
  // Our own packs write right counts.
  CHECK(foreign.Said() == std::vector<std::size_t>{0, 0, 0, 0});
  // The first shard's number, the first of a list.
  std::string text = *foreign.storage.Get(foreign.info);
  const std::size_t list =
      std::min(text.find("shardLengths"), text.find("shard_lengths"));
  REQUIRE(list != text.npos);
  text.insert(text.find_first_of("123456789", list), "1");
  foreign.storage.Put(foreign.info, text);
  CHECK(foreign.Said() == std::vector<std::size_t>{1, 1, 1, 1});
  foreign.storage.Put(foreign.info, "{");
  CHECK(foreign.Said() == std::vector<std::size_t>{1, 1, 1, 1});
}

}  // namespace
}  // namespace shardine::said_counts_test
