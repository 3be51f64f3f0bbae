#include "shardine/inspect.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "unit/dataset/disk_dataset.h"

namespace shardine::inspect_test {
namespace {

// ListedSample without its views.
struct Listed {
  std::uint64_t id = 0;
  std::string split;
  std::vector<Label> labels;
  std::string key;
  std::uint64_t bytes = 0;
  std::string shard;
  std::uint64_t record = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
};

std::vector<Listed> List(const std::string& dataset) {
  std::vector<Listed> all;
  const Status status =
      ListSamples({.dataset = dataset}, [&](const ListedSample& sample) {
        all.push_back({sample.id,
                       std::string(sample.split),
                       {sample.labels.begin(), sample.labels.end()},
                       std::string(sample.key),
                       sample.bytes,
                       std::string(sample.shard),
                       sample.record,
                       {sample.extents.begin(), sample.extents.end()}});
        return Status();
      });
  CHECK(status.ToString() == "OK");
  return all;
}

// train: two shards, val: one; key "a/1" is in both.
void Fill(DiskDataset& data) {
  data.AddShard("train", {{.id = 7, .key = "a/1", .image = "one"},
                          {.id = 3,
                           .key = "a/2",
                           .image = "twotwo",
                           .labels = {Label(4), Label::FromReal(0.5)},
                           .cut = 2}});
  data.AddShard("train", {{.id = 5, .key = "b/3", .image = ""}});
  data.AddShard("val",
                {{.id = 9, .key = "a/1", .image = "four"},
                 {.id = 10, .key = "c/5", .image = "five", .mask = "mask"}});
  data.Publish();
}

TEST_CASE("ReadDatasetInfo says what the manifest says", "[inspect]") {
  DiskDataset data;
  data.manifest.classes = {{"a", 0, 3}, {"b\xFF", 4, 2}};
  data.manifest.rejected = {{"empty", "skip", 2}, {"empty", "keep", 1}};
  std::ranges::sort(data.manifest.rejected, {}, &ManifestRejected::action);
  data.manifest.variants = {{"sz/160", {5, 6}}};
  Fill(data);
  data.manifest.splits[0].content_digest = {10, 0};
  data.manifest.splits[1].content_digest = {20, 0};
  data.manifest.splits[0].names_digest = {1, 0};
  data.manifest.splits[1].order_digest = {2, 0};
  data.Publish();

  const auto info = ReadDatasetInfo(data.path());
  REQUIRE(info.ok());
  CHECK(info->format == "recordio/mxnet");
  CHECK(info->variant == "original");
  CHECK(info->tool_version == "0.0.0");
  CHECK(info->samples == 5);
  CHECK(info->rejected == 3);
  CHECK(info->content_digest == Digest128{30, 0});
  CHECK(info->names_digest == Digest128{1, 0});
  CHECK(info->order_digest == data.manifest.order_digest());
  CHECK(info->plan_digest == Digest128{1, 2});
  CHECK(info->variants == std::vector<std::string>{"sz/160"});
  REQUIRE(info->classes.size() == 2);
  CHECK(info->classes[1].name == "b\xFF");
  CHECK(info->classes[1].label == 4);
  CHECK(info->classes[1].count == 2);
  REQUIRE(info->splits.size() == 2);
  CHECK(info->splits[0].name == "train");
  CHECK(info->splits[0].samples == 3);
  CHECK(info->splits[1].content_digest == Digest128{20, 0});
  CHECK(info->splits[1].order_digest == Digest128{2, 0});
  REQUIRE(info->splits[0].shards.size() == 2);
  CHECK(info->splits[0].shards[1].path == "train-1.rec");
  CHECK(info->splits[0].shards[1].samples == 1);
  CHECK(info->splits[0].shards[1].bytes == 2);
  std::uint64_t bytes = 0;
  for (const DatasetSplitInfo& split : info->splits) {
    for (const DatasetShardInfo& shard : split.shards) bytes += shard.bytes;
  }
  CHECK(info->bytes == bytes);
}

TEST_CASE("ReadDatasetInfo says that a folder is no dataset", "[inspect]") {
  const TempDirectory directory;
  const Status status = ReadDatasetInfo(directory.path()).status();
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.where().path == directory.path());
}

TEST_CASE("ListSamples goes by split, shard and record", "[inspect]") {
  DiskDataset data;
  Fill(data);
  const std::vector<Listed> all = List(data.path());
  REQUIRE(all.size() == 5);
  const std::vector<std::uint64_t> ids = {7, 3, 5, 9, 10};
  const std::vector<std::string> shards = {
      "train-0.rec", "train-0.rec", "train-1.rec", "val-0.rec", "val-0.rec"};
  const std::vector<std::uint64_t> records = {0, 1, 0, 0, 1};
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(all[i].id == ids[i]);
    CHECK(all[i].shard == shards[i]);
    CHECK(all[i].record == records[i]);
    CHECK(all[i].split == (i < 3 ? "train" : "val"));
  }
  CHECK(all[1].key == "a/2");
  CHECK(all[1].labels == std::vector<Label>{Label(4), Label::FromReal(0.5)});
}

TEST_CASE("ListSamples takes a split, a class and the first so many",
          "[inspect]") {
  DiskDataset data;
  data.manifest.classes = {{"a", 4, 1}};
  Fill(data);
  const auto ids = [&](ListingOptions options) {
    std::vector<std::uint64_t> found;
    options.dataset = data.path();
    const Status status = ListSamples(options, [&](const ListedSample& sample) {
      found.push_back(sample.id);
      return Status();
    });
    CHECK(status.ToString() == "OK");
    return found;
  };
  using Ids = std::vector<std::uint64_t>;
  CHECK(ids({.dataset = {}, .split = "val"}) == Ids{9, 10});
  CHECK(ids({.dataset = {}, .limit = 2}) == Ids{7, 3});
  CHECK(ids({.dataset = {}, .split = "val", .limit = 1}) == Ids{9});
  // One of several labels counts.
  CHECK(ids({.dataset = {}, .class_name = "a"}) == Ids{3});
  CHECK(ids({.dataset = {}, .class_name = "4"}) == Ids{3});
  CHECK(ids({.dataset = {}, .class_name = "0.5"}) == Ids{3});
  for (const ListingOptions& wrong :
       {ListingOptions{.dataset = data.path(), .split = "tran"},
        ListingOptions{.dataset = data.path(), .class_name = "b"}}) {
    const Status status =
        ListSamples(wrong, [](const ListedSample&) { return Status(); });
    CHECK(status.code() == Code::kInvalidArgument);
  }
}

TEST_CASE("ReadImage refuses a key that a split has twice, by both ids",
          "[inspect]") {
  DiskDataset data;
  data.AddShard("train", {{.id = 7, .key = "k", .image = "one"}});
  data.AddShard("train", {{.id = 3, .key = "k", .image = "two"},
                          {.id = 4, .key = "other", .image = "three"}});
  data.Publish();
  for (const char* const split : {"", "train"}) {
    const Status status = ReadImage(data.path(), "k", split).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() ==
          "split train has this key more than once: ids 7 and 3");
  }
  CHECK(ReadImage(data.path(), "other").ok());
}

TEST_CASE("SaveImages writes over a file only where that is asked for",
          "[inspect]") {
  DiskDataset data;
  Fill(data);
  const std::string file = data.path() + "/saved.jpg";
  const ImageKeys wanted{.dataset = data.path(), .keys = {"a/2", "c/5"}};
  CHECK(SaveImages(wanted, file, false).ok());
  CHECK(std::filesystem::file_size(file) == 10);
  CHECK(SaveImages({.dataset = data.path(), .keys = {"c/5"}}, file, false)
            .code() == Code::kAlreadyExists);
  CHECK(SaveImages({.dataset = data.path(), .keys = {"none"}}, file, true)
            .code() == Code::kNotFound);
  CHECK(std::filesystem::file_size(file) == 10);
  CHECK(SaveImages({.dataset = data.path(), .keys = {"c/5"}}, file, true).ok());
  CHECK(std::filesystem::file_size(file) == 4);
}

TEST_CASE("ListSamples counts the bytes of the image and says where they lie",
          "[inspect]") {
  using Extents = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  DiskDataset data;
  Fill(data);
  const std::vector<Listed> all = List(data.path());
  REQUIRE(all.size() == 5);
  CHECK(all[0].bytes == 3);
  CHECK(all[0].extents == Extents{{2, 3}});
  CHECK(all[1].bytes == 6);
  CHECK(all[1].extents == Extents{{7, 2}, {11, 4}});
  CHECK(all[2].bytes == 0);
  CHECK(all[4].bytes == 4);  // not of the mask
  CHECK(all[4].extents.size() == 1);
}

TEST_CASE("ListSamples lists a sample without an image", "[inspect]") {
  DiskDataset data;
  data.AddShard("train",
                {{.id = 1, .key = "k", .image = "array", .has_image = false}});
  data.Publish();
  const std::vector<Listed> all = List(data.path());
  REQUIRE(all.size() == 1);
  CHECK(all[0].bytes == 0);
  CHECK(all[0].extents.empty());
}

TEST_CASE("ListSamples lists shards of more samples than it reads at once",
          "[inspect]") {
  std::vector<DiskSample> samples;
  for (std::uint64_t i = 0; i < 4096 + 4096 + 1; ++i) {
    samples.push_back(
        {.id = 2 * i, .key = "k" + std::to_string(i), .image = "x"});
  }
  DiskDataset data;
  data.AddShard("train", samples);
  data.Publish();
  const std::vector<Listed> all = List(data.path());
  REQUIRE(all.size() == samples.size());
  bool same = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    same = same && all[i].id == 2 * i && all[i].record == i &&
           all[i].key == samples[i].key;
  }
  CHECK(same);
}

TEST_CASE("ListSamples stops at the failure its visitor returns", "[inspect]") {
  DiskDataset data;
  Fill(data);
  int calls = 0;
  const Status status =
      ListSamples({.dataset = data.path()}, [&](const ListedSample& sample) {
        ++calls;
        return sample.id == 3 ? Status(Code::kIo, "full") : Status();
      });
  CHECK(status.message() == "full");
  CHECK(calls == 2);
}

TEST_CASE("ListSamples names the damaged sidecar", "[inspect][corruption]") {
  DiskDataset data;
  Fill(data);
  data.Flip("train-1.rec.sdx", 4100);
  std::uint64_t calls = 0;
  const Status status =
      ListSamples({.dataset = data.path()}, [&](const ListedSample&) {
        ++calls;
        return Status();
      });
  CHECK(status.code() == Code::kCorrupt);
  CHECK_THAT(status.where().path, Catch::EndsWith("train-1.rec.sdx"));
  CHECK(calls == 2);
}

TEST_CASE("ReadImage gives the bytes of the image only", "[inspect]") {
  DiskDataset data;
  Fill(data);
  const auto read = [&](const std::string& key, const std::string& split) {
    const auto image = ReadImage(data.path(), key, split);
    return image.ok() ? *image : image.status().ToString();
  };
  CHECK(read("a/1", "train") == "one");
  CHECK(read("a/1", "val") == "four");
  CHECK(read("a/2", "") == "twotwo");
  CHECK(read("b/3", "") == "");
  CHECK(read("c/5", "") == "five");
}

TEST_CASE("ReadImage takes keys of any bytes", "[inspect]") {
  const std::string key = std::string("n\n\t\"\\\xFF\0x", 8);
  DiskDataset data;
  data.AddShard("train", {{.id = 1, .key = key, .image = "found"}});
  data.Publish();
  const auto image = ReadImage(data.path(), key);
  REQUIRE(image.ok());
  CHECK(*image == "found");
}

TEST_CASE("ReadImage says why it has no image", "[inspect]") {
  DiskDataset data;
  Fill(data);
  const auto code = [&](const std::string& key, const std::string& split) {
    return ReadImage(data.path(), key, split).status().code();
  };
  CHECK(code("a/4", "") == Code::kNotFound);
  CHECK(code("c/5", "train") == Code::kNotFound);
  CHECK(code("a/1", "") == Code::kInvalidArgument);
  CHECK(code("a/1", "test") == Code::kInvalidArgument);

  DiskDataset other;
  other.AddShard("train",
                 {{.id = 1, .key = "k", .image = "array", .has_image = false}});
  other.Publish();
  const Status status = ReadImage(other.path(), "k").status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().key == "k");
}

TEST_CASE("ReadImage refuses an image that does not match its checksum",
          "[inspect][corruption]") {
  DiskDataset data;
  Fill(data);
  data.Flip("train-0.rec", 12);
  const Status status = ReadImage(data.path(), "a/2").status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK_THAT(status.where().path, Catch::EndsWith("train-0.rec"));
  CHECK(status.where().record == 1u);
  CHECK(status.where().key == "a/2");
  CHECK(ReadImage(data.path(), "a/1", "train").ok());
}

}  // namespace
}  // namespace shardine::inspect_test
