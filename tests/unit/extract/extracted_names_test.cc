#include "extract/extracted_names.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/atomic_file.h"
#include "shardine/extract.h"
#include "unit/extract/extracted_tree.h"

namespace shardine::extracted_names_test {
namespace {

namespace fs = std::filesystem;

Result<ExtractResult> ExtractBy(ExtractNames names, const std::string& dataset,
                                const std::string& directory) {
  return ExtractDataset(
      {.dataset = dataset, .directory = directory, .names = names});
}

TEST_CASE("ExtractDataset leaves out ./ in front of keys", "[extract]") {
  DiskDataset data;
  data.AddShard("train",
                {KeyedSample("./a/1.jpg", "one"), KeyedSample("././2", "two")});
  data.Publish();
  REQUIRE(ExtractBy(ExtractNames::kKey, data.path(), data / "tree").ok());
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"a/1.jpg", "one"}, {"2", "two"}});
  DiskDataset both;
  both.AddShard("train", {KeyedSample("./a", "one"), KeyedSample("a", "two")});
  both.Publish();
  CHECK(ExtractBy(ExtractNames::kKey, both.path(), both / "tree")
            .status()
            .message() == "two samples of split train have one name");
}

TEST_CASE("ExtractDataset names files by ids, with extensions by content",
          "[extract]") {
  using namespace std::string_literals;
  DiskDataset data;
  std::uint64_t id = 0;
  const auto sample = [&](const std::string& key, const std::string& image) {
    return DiskSample{.id = id++, .key = key, .image = image};
  };
  const std::string jpeg = "\xff\xd8\xff\xe0 and on";
  const std::string png = "\x89PNG\r\n\x1a\n and on";
  data.AddShard("train", {sample("a.png", jpeg), sample("a.png", png),
                          sample("", "x"), sample("/etc/passwd", "y"),
                          sample("../../b", "z"), sample("c/..", "II*\0"s)});
  data.AddShard("val", {sample("a.png", jpeg)});
  data.Publish();
  CHECK(ExtractBy(ExtractNames::kKey, data.path(), data / "tree")
            .status()
            .code() == Code::kUnsupported);
  CHECK_FALSE(fs::exists(data / "tree"));
  REQUIRE(
      ExtractBy(ExtractNames::kId, data.path(), data / "tree").status().ok());
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"train/00000000.jpg", jpeg},
                                           {"train/00000001.png", png},
                                           {"train/00000002.img", "x"},
                                           {"train/00000003.img", "y"},
                                           {"train/00000004.img", "z"},
                                           {"train/00000005.tif", "II*\0"s},
                                           {"val/00000006.jpg", jpeg}});
}

TEST_CASE("ExtractDataset writes ids of one value of a hostile index once",
          "[extract][corruption]") {
  DiskDataset data;
  data.AddShard("train", {KeyedSample("a", "one"), KeyedSample("b", "one")});
  data.Publish();
  CHECK(ExtractBy(ExtractNames::kId, data.path(), data / "tree")
            .status()
            .code() == Code::kAlreadyExists);
  CHECK_FALSE(fs::exists(data / "tree"));
}

TEST_CASE("ExtractDataset puts ids into folders of their classes",
          "[extract]") {
  DiskDataset data;
  data.manifest.classes = {{.name = "cat", .label = 0, .count = 1},
                           {.name = "dog", .label = 1, .count = 1}};
  data.AddShard("train", {{.id = 7, .key = "k", .image = "x", .labels = {1}},
                          {.id = 8, .key = "k", .image = "y", .labels = {0}}});
  data.Publish();
  REQUIRE(ExtractBy(ExtractNames::kClassId, data.path(), data / "tree").ok());
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"cat/00000008.img", "y"},
                                           {"dog/00000007.img", "x"}});
}

TEST_CASE("ExtractDataset names folders by labels without classes",
          "[extract]") {
  DiskDataset data;
  data.AddShard("train", {{.id = 7, .key = "k", .image = "x", .labels = {-1}},
                          {.id = 8, .key = "k", .image = "y", .labels = {12}}});
  data.Publish();
  REQUIRE(ExtractBy(ExtractNames::kClassId, data.path(), data / "tree").ok());
  CHECK(Tree(data / "tree") ==
        std::map<std::string, std::string>{{"-1/00000007.img", "x"},
                                           {"12/00000008.img", "y"}});
}

TEST_CASE("ExtractDataset refuses folders for what has no class", "[extract]") {
  const auto labels = GENERATE(std::vector<Label>{}, std::vector<Label>{1, 2},
                               std::vector<Label>{Label::FromReal(0.5)});
  DiskDataset data;
  data.AddShard("train",
                {{.id = 0, .key = "k", .image = "x", .labels = {1}},
                 {.id = 1, .key = "l", .image = "y", .labels = labels}});
  data.Publish();
  const Status status =
      ExtractBy(ExtractNames::kClassId, data.path(), data / "tree").status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() == "has no class to name a folder by");
  CHECK(status.where().key == "l");
  CHECK_FALSE(fs::exists(data / "tree"));
}

TEST_CASE("ExtractDataset makes no folder outside of the tree for a class",
          "[extract][corruption]") {
  const std::string name =
      GENERATE(as<std::string>{}, "..", "a/b", "/etc", ".", TemporaryName("x"));
  INFO(name);
  DiskDataset data;
  data.manifest.classes = {{.name = name, .label = 0, .count = 1}};
  data.AddShard("train", {{.id = 7, .key = "k", .image = "x", .labels = {0}}});
  data.Publish();
  const Status status =
      ExtractBy(ExtractNames::kClassId, data.path(), data / "tree").status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Catch::EndsWith(" to name a folder by"));
  CHECK_FALSE(fs::exists(data / "tree"));
}

}  // namespace
}  // namespace shardine::extracted_names_test
