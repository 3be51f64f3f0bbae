// Several datasets as one, and loaders of them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "unit/load/loader_fixture.h"

namespace shardine::mixed_datasets_test {
namespace {

using Datasets = std::vector<std::shared_ptr<const Dataset>>;

std::shared_ptr<const Dataset> Join(const Datasets& datasets) {
  auto joined = Dataset::Concatenate(datasets);
  REQUIRE(joined.status().ToString() == "OK");
  return *std::move(joined);
}

// Two datasets, and the shards of the second without theirs, whose ids are
// positions, in one; the first has labels of a list.
struct Several {
  Several() : first(13), second(20, "webdataset") {
    std::ofstream(list / "list.lst") << "3\t7\tany\n12\t8\tany\n";
    std::vector<std::string> shards;
    for (const auto& entry :
         std::filesystem::directory_iterator(second.path())) {
      if (entry.path().extension() == ".tar") shards.push_back(entry.path());
    }
    std::ranges::sort(shards);
    auto bare = Dataset::OpenShards(shards);
    REQUIRE(bare.status().ToString() == "OK");
    datasets = {
        first.Open({.labels = list / "list.lst", .labels_by = MatchBy::kId}),
        second.Open(), *std::move(bare)};
  }

  TempDirectory list;
  LoaderFixture first;
  LoaderFixture second;
  Datasets datasets;
};

TEST_CASE("Datasets one after another have the samples of each",
          "[dataset][mix]") {
  const Several several;
  const auto joined = Join(several.datasets);
  // A joined dataset can be joined again.
  const auto nested = Join(
      {Join({several.datasets[0], several.datasets[1]}), several.datasets[2]});
  REQUIRE(joined->size() == 53);
  REQUIRE(nested->size() == 53);
  std::uint64_t position = 0;
  std::vector<std::vector<Label>> labels;
  REQUIRE(joined->Labels(0, 53, labels).ok());
  int relabelled = 0;
  for (const auto& dataset : several.datasets) {
    for (std::uint64_t i = 0; i < dataset->size(); ++i, ++position) {
      const auto expected = dataset->Read(i);
      REQUIRE(expected.status().ToString() == "OK");
      for (const auto& whole : {joined, nested}) {
        const auto sample = whole->Read(position);
        REQUIRE(sample.status().ToString() == "OK");
        CHECK(sample->id == expected->id);
        CHECK(sample->key == expected->key);
        CHECK(sample->labels == expected->labels);
        CHECK(std::ranges::equal(sample->image(), expected->image()));
      }
      CHECK(labels[position] == expected->labels);
      relabelled += expected->labels[0].integer() >= 7 ? 1 : 0;
    }
  }
  CHECK(relabelled == 2);
  CHECK(joined->order_digest() != several.datasets[0]->order_digest());
  CHECK(joined->order_digest() !=
        Join({several.datasets[1], several.datasets[0], several.datasets[2]})
            ->order_digest());
}

TEST_CASE("A loader of several datasets has the counts of their weights",
          "[loader][mix]") {
  const Several several;
  LoaderOptions options;
  options.batch_size = 7;
  options.last_batch = LastBatch::kShort;
  options.transform = RandomResizedCrop{.width = 24, .height = 20};
  options.sampling = MixedSampling{{13, 20, 20}, {2, 1, 0}, 39};
  const auto loader = Loader::Create(Join(several.datasets), options);
  REQUIRE(loader.status().ToString() == "OK");
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::map<bool, int> counts;
    while (true) {
      const auto batch = (*loader)->Next();
      REQUIRE(batch.status().ToString() == "OK");
      if (!batch->has_value()) break;
      for (const std::uint64_t position : (*batch)->positions()) {
        CHECK(position < 33);
        ++counts[position < 13];
      }
    }
    CHECK(counts[true] == 26);
    CHECK(counts[false] == 13);
  }
}

TEST_CASE("Samples of one id in two parts have draws of their own",
          "[loader][mix]") {
  const LoaderFixture fixture(13);
  LoaderOptions options;
  options.batch_size = 13;
  options.transform = RandomResizedCrop{.width = 24, .height = 20};
  const auto boxes = [&](const std::shared_ptr<const Dataset>& dataset) {
    const auto loader = Loader::Create(dataset, options);
    REQUIRE(loader.status().ToString() == "OK");
    std::map<std::uint64_t, CropBox> by_position;
    while (true) {
      const auto batch = (*loader)->Next();
      REQUIRE(batch.status().ToString() == "OK");
      if (!batch->has_value()) return by_position;
      for (std::size_t i = 0; i < (*batch)->size(); ++i) {
        const std::uint64_t position = (*batch)->positions()[i];
        by_position[position] = (*batch)->boxes()[i];
        const std::uint64_t part = position / 13;
        CHECK((*batch)->repetitions()[i] == part << 40);
      }
    }
  };
  const auto alone = boxes(fixture.Open());
  options.sampling = MixedSampling{{13, 13}, {1, 1}};
  const auto mixed = boxes(Join({fixture.Open(), fixture.Open()}));
  REQUIRE(mixed.size() == 26);
  int same = 0;
  for (const auto& [position, box] : alone) {
    CHECK(mixed.at(position) == box);
    same += mixed.at(position + 13) == box ? 1 : 0;
  }
  CHECK(same < 2);
}

TEST_CASE("A sample of several labels is in no class", "[loader][sampling]") {
  TempDirectory temp;
  const LoaderFixture fixture(6);
  std::ofstream(temp / "list.lst") << "3\t1\t2\tany\n";
  LoaderOptions options;
  options.batch_size = 2;
  options.transform = RandomResizedCrop{.width = 24, .height = 20};
  options.sampling = ClassBalancedSampling{};
  const Status status =
      Loader::Create(fixture.Open({.labels = temp / "list.lst",
                                   .labels_by = MatchBy::kId}),
                     options)
          .status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message() ==
        "sampling: by classes, a sample has one label, an integer; the sample "
        "of id 3 has 2 labels");
  CHECK(status.where().key.has_value());
}

TEST_CASE("A damaged sample of a joined dataset is named by its own shard",
          "[dataset][mix]") {
  const LoaderFixture first(5);
  const LoaderFixture second(8);
  second.Damage(6);
  const auto joined = Join({first.Open(), second.Open()});
  const Status expected = second.Open()->Read(6).status();
  const Status status = joined->Read(11).status();
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.ToString() == expected.ToString());
  CHECK(joined->Read(6).ok());
}

TEST_CASE("Datasets whose classes are others are not joined",
          "[dataset][mix]") {
  const LoaderFixture fixture(6);
  TempDirectory temp;
  const auto other = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      std::filesystem::create_directories(temp / ("tree/" + name));
      std::ofstream((temp / ("tree/" + name)) + "/a.jpg", std::ios::binary)
          << MakeJpeg({.width = 8, .height = 8, .seed = 1});
    }
    PackOptions pack;
    pack.source.folders = {{"train", temp / "tree"}};
    pack.output = temp / ("out" + names[0]);
    REQUIRE(Pack(pack).status().ToString() == "OK");
    std::filesystem::remove_all(temp / "tree");
    auto dataset = Dataset::Open(pack.output);
    REQUIRE(dataset.ok());
    return *std::move(dataset);
  };
  CHECK(Join({fixture.Open(), other({"class0", "class1"})})->classes().size() ==
        3);
  for (const auto& names : {std::vector<std::string>{"b", "c"},
                            std::vector<std::string>{"a", "class0"}}) {
    const Status status =
        Dataset::Concatenate({fixture.Open(), other(names)}).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("datasets of other classes: \"class0\" with "
                                "the label 0 is in one before") !=
          std::string::npos);
  }
  CHECK(Dataset::Concatenate({}).status().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace shardine::mixed_datasets_test
