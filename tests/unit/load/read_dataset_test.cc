// The public class Dataset over files of this machine.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/atomic_file.h"
#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "shardine/dataset.h"
#include "shardine/loader.h"
#include "shardine/pack.h"
#include "support/pack_fixture.h"
#include "support/temp_directory.h"

namespace shardine::read_dataset_test {
namespace {

struct World {
  World() {
    PutTree(storage, "tree", 3, 4, 900);
    PackOptions options = PackOf("tree", "out");
    options.format = "webdataset";
    const auto result = Pack(options, {.storage = &storage});
    REQUIRE(result.status().ToString() == "OK");
    for (const auto& [name, bytes] : TakeSnapshot(storage, "out")) {
      const std::string path = directory / name;
      REQUIRE(LocalStorage().CreateDirectories(DirectoryOf(path)).ok());
      REQUIRE(WriteFileAtomically(LocalStorage(), path, AsBytes(bytes)).ok());
    }
  }

  std::shared_ptr<const Dataset> Open() {
    auto dataset = Dataset::Open(directory.path());
    REQUIRE(dataset.status().ToString() == "OK");
    return *std::move(dataset);
  }
  bool IsRight(const Sample& sample) const {
    return AsText(sample.image()) == *storage.Get("tree/" + sample.key);
  }

  MemoryStorage storage;
  TempDirectory directory;
};

TEST_CASE_METHOD(World, "Dataset gives samples that outlive it", "[dataset]") {
  std::vector<Sample> samples;
  {
    const auto dataset = Open();
    CHECK(dataset->path() == directory.path());
    CHECK(dataset->split() == "train");
    CHECK(dataset->variant() == "original");
    CHECK(dataset->classes().size() == 3);
    CHECK(dataset->warnings().empty());
    REQUIRE(dataset->size() == 12);
    for (std::uint64_t i = 0; i < dataset->size(); ++i) {
      auto sample = dataset->Read(i);
      REQUIRE(sample.status().ToString() == "OK");
      CHECK(sample->key == *dataset->Key(i));
      samples.push_back(*std::move(sample));
    }
  }
  for (const Sample& sample : samples) {
    CHECK(IsRight(sample));
    CHECK(sample.labels ==
          std::vector<Label>{static_cast<std::int64_t>(sample.id / 4)});
    REQUIRE(sample.fields.size() == 1);
    CHECK(sample.fields[0].name == "image");
    const Sample copy = sample;  // NOLINT: shares the memory
    CHECK(copy.image().data() == sample.image().data());
  }
}

TEST_CASE_METHOD(World, "Dataset opens shards without a manifest",
                 "[dataset]") {
  const auto dataset =
      Dataset::OpenShards({directory / "train-00001-of-00003.tar",
                           directory / "train-00000-of-00003.tar"});
  REQUIRE(dataset.status().ToString() == "OK");
  REQUIRE((*dataset)->size() == 8);
  CHECK_FALSE((*dataset)->warnings().empty());
  const auto sample = (*dataset)->Read(7);
  REQUIRE(sample.ok());
  CHECK(IsRight(*sample));
}

TEST_CASE_METHOD(World, "Dataset knows labels without reading samples",
                 "[dataset]") {
  const auto dataset = Open();
  std::vector<std::vector<Label>> all;
  for (std::uint64_t i = 0; i < dataset->size(); ++i) {
    all.push_back(dataset->Read(i)->labels);
  }
  // All shards are shorter than the requested range.
  for (std::uint64_t first = 0; first <= all.size(); ++first) {
    for (std::uint64_t count = 0; count <= all.size() - first; ++count) {
      std::vector<std::vector<Label>> some = {{Label(std::int64_t{9})}};
      REQUIRE(dataset->Labels(first, count, some).ok());
      CHECK(some ==
            std::vector(all.begin() + static_cast<long>(first),
                        all.begin() + static_cast<long>(first + count)));
    }
  }
}

TEST_CASE_METHOD(World, "Dataset names the shard whose labels it cannot read",
                 "[dataset]") {
  const std::string index =
      directory / ".shardine/train-00001-of-00003.tar.sdx";
  const auto dataset = Open();
  std::filesystem::remove(index);
  std::vector<std::vector<Label>> labels;
  CHECK(dataset->Labels(0, 4, labels).ok());
  const Status status = dataset->Labels(0, 12, labels);
  CHECK(status.code() == Code::kNotFound);
  CHECK_THAT(status.ToString(), Catch::Contains("train-00001-of-00003.tar"));
}

TEST_CASE("A sample without an image has none", "[dataset]") {
  const Sample sample;
  CHECK(sample.image().empty());
}

TEST_CASE_METHOD(World, "Dataset reads on in a process forked after opening",
                 "[dataset]") {
  const auto dataset = Open();
  REQUIRE(dataset->Read(0).ok());
  const pid_t child = fork();
  if (child == 0) {
    bool right = true;
    for (std::uint64_t i = 0; i < dataset->size(); ++i) {
      const auto sample = dataset->Read(i);
      right = right && sample.ok() && IsRight(*sample);
    }
    _exit(right ? 0 : 1);
  }
  REQUIRE(child > 0);
  for (std::uint64_t i = 0; i < dataset->size(); ++i) {
    const auto sample = dataset->Read(i);
    REQUIRE(sample.ok());
    CHECK(IsRight(*sample));
  }
  int state = 0;
  REQUIRE(waitpid(child, &state, 0) == child);
  CHECK(WIFEXITED(state));
  CHECK(WEXITSTATUS(state) == 0);
}

TEST_CASE_METHOD(World, "Dataset is opened by its manifest, too", "[dataset]") {
  const auto dataset = Dataset::Open(directory / "shardine.json");
  REQUIRE(dataset.status().ToString() == "OK");
  CHECK((*dataset)->size() == 12);
  CHECK((*dataset)->path() == directory.path());
}

TEST_CASE_METHOD(World, "Dataset of one shard of several says where they are",
                 "[dataset]") {
  const auto entries = LocalStorage().List(directory.path());
  REQUIRE(entries.ok());
  int shards = 0;
  for (const DirEntry& entry : *entries) {
    if (!entry.name.ends_with(".tar")) continue;
    ++shards;
    const Status status = Dataset::Open(directory / entry.name).status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().find(directory.path()) != std::string::npos);
    // Without a dataset around it, it is read by its sidecar, and without that
    // as it is.
    REQUIRE(LocalStorage().Remove(directory / "shardine.json").ok());
    const auto beside = Dataset::Open(directory / entry.name);
    REQUIRE(beside.status().ToString() == "OK");
    CHECK((*beside)->warnings().empty());
    CHECK(IsRight(*(*beside)->Read(0)));
    const std::string sidecar = ".shardine/" + entry.name + ".sdx";
    REQUIRE(LocalStorage().Remove(directory / sidecar).ok());
    const auto bare = Dataset::Open(directory / entry.name);
    REQUIRE(bare.status().ToString() == "OK");
    CHECK((*bare)->warnings().size() == 1);
    CHECK(IsRight(*(*bare)->Read(0)));
    break;
  }
  CHECK(shards == 1);
}

TEST_CASE_METHOD(World, "Dataset that is to stop says so, whatever it reads",
                 "[dataset]") {
  std::stop_source stop;
  stop.request_stop();
  const auto entries = LocalStorage().List(directory.path());
  REQUIRE(entries.ok());
  std::vector<std::string> shards;
  for (const DirEntry& entry : *entries) {
    if (entry.name.ends_with(".tar")) shards.push_back(directory / entry.name);
  }
  CHECK(Dataset::OpenShards(shards, {}, BuiltinFormats(), stop.get_token())
            .status()
            .code() == Code::kCancelled);
  LoaderOptions options;
  options.batch_size = 2;
  options.order.order = SampleOrder::kRatio;
  options.transform = RectangularCrop(16);
  CHECK(Loader::Create(Open(), options).status().ToString() == "OK");
  CHECK(Loader::Create(Open(), options, stop.get_token()).status().code() ==
        Code::kCancelled);
}

}  // namespace
}  // namespace shardine::read_dataset_test
