#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "dataset/dataset_path.h"
#include "dataset/dataset_reader.h"
#include "dataset/sample_source.h"
#include "io/memory_storage.h"
#include "io/readable_storage.h"
#include "shardine/dataset.h"
#include "shardine/pack.h"
#include "source/source_set.h"
#include "support/pack_fixture.h"

namespace shardine::read_only_storage_test {
namespace {

// A web server as we see it: nothing of it can be written.
class PublishedFiles : public ReadableStorage {
 public:
  explicit PublishedFiles(MemoryStorage& files) : files_(files) {}
  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    return files_.Open(path);
  }
  Result<FileInfo> Stat(const std::string& path) override {
    return files_.Stat(path);
  }
  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    return files_.List(directory);
  }

 private:
  MemoryStorage& files_;
};

struct World {
  World() {
    PutTree(files, "tree", 3, 5, 500);
    const auto packed = Pack(PackOf("tree", "data"), {.storage = &files});
    REQUIRE(packed.status().ToString() == "OK");
  }
  MemoryStorage files;
  PublishedFiles published{files};
};

TEST_CASE_METHOD(World,
                 "A dataset is read from a storage that can only be read",
                 "[dataset][storage]") {
  const auto given =
      FindDatasetPath(published, "data/shardine.json", BuiltinFormats());
  REQUIRE(given.ok());
  auto source = SampleSource::Open(published, given->path, {});
  REQUIRE(source.status().ToString() == "OK");
  const Dataset dataset(*std::move(source));
  REQUIRE(dataset.size() == 15);
  for (std::uint64_t i = 0; i < dataset.size(); ++i) {
    const auto sample = dataset.Read(i);
    REQUIRE(sample.status().ToString() == "OK");
    CHECK(AsText(sample->image()) == *files.Get("tree/" + sample->key));
  }
}

TEST_CASE_METHOD(World, "Bare shards are read from such a storage, too",
                 "[dataset][storage]") {
  auto source = SampleSource::OpenShards(
      published, {"data/train-00000-of-00003.rec"}, {}, BuiltinFormats());
  REQUIRE(source.status().ToString() == "OK");
  CHECK((*source)->size() == 5);
}

TEST_CASE_METHOD(World, "A tree of images is listed in such a storage, too",
                 "[dataset][storage]") {
  const auto set = LoadSource(published, PackOf("tree", "out").source);
  REQUIRE(set.status().ToString() == "OK");
  CHECK(set->samples.size() == 15);
}

}  // namespace
}  // namespace shardine::read_only_storage_test
