#include "dataset/dataset_path.h"

#include <catch2/catch.hpp>
#include <span>

#include "io/local_storage.h"
#include "unit/dataset/disk_dataset.h"

namespace shardine::dataset_path_test {
namespace {

// No formats: their directories are tested where they are known.
Result<DatasetPath> Find(const std::string& path) {
  return FindDatasetPath(LocalStorage(), path,
                         FormatRegistry(std::span<const Format* const>()));
}

class DatasetPaths {
 public:
  DatasetPaths() {
    data_.AddShard("train", {{.id = 1, .key = "a", .image = "x"}});
    data_.Publish();
    Put(data_ / "alone.rec");
    Put(data_.path() + "/notes.txt");
  }

 protected:
  static void Put(const std::string& path) {
    REQUIRE(WriteFileAtomically(LocalStorage(), path, AsBytes("?")).ok());
  }
  std::string InFolder(const std::string& name) const {
    return data_.path() + "/" + name;
  }

  DiskDataset data_;
};

TEST_CASE_METHOD(DatasetPaths, "A dataset is given by its folder or manifest",
                 "[dataset][given]") {
  for (const std::string& path : {data_.path(), InFolder("shardine.json")}) {
    const auto found = Find(path);
    REQUIRE(found.ok());
    CHECK(found->path == data_.path());
    CHECK_FALSE(found->is_bare_shard);
  }
}

TEST_CASE_METHOD(DatasetPaths, "A file of a dataset names the folder to give",
                 "[dataset][given]") {
  for (const char* const name : {"train-0.rec", "train-0.rec.sdx"}) {
    const std::string path = InFolder(name);
    const Status status = Find(path).status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.where().path == path);
    CHECK(status.message() ==
          "is one file of the dataset " + data_.path() + ", not the dataset");
  }
}

TEST_CASE_METHOD(DatasetPaths, "A file that is in no dataset may be a shard",
                 "[dataset][given]") {
  for (const std::string& path : {data_ / "alone.rec", InFolder("notes.txt")}) {
    const auto found = Find(path);
    REQUIRE(found.ok());
    CHECK(found->path == path);
    CHECK(found->is_bare_shard);
  }
}

TEST_CASE_METHOD(DatasetPaths, "Paths of nothing are left to who opens them",
                 "[dataset][given]") {
  for (const std::string& path : {data_ / "none", data_ / ""}) {
    const auto found = Find(path);
    REQUIRE(found.ok());
    CHECK(found->path == path);
    CHECK_FALSE(found->is_bare_shard);
  }
}

TEST_CASE_METHOD(DatasetPaths, "A damaged manifest does not hide a shard",
                 "[dataset][given]") {
  data_.Flip("shardine.json", 20);
  CHECK(Find(InFolder("train-0.rec"))->is_bare_shard);
  CHECK(Find(InFolder("shardine.json"))->path == data_.path());
}

TEST_CASE_METHOD(DatasetPaths,
                 "Files of a dataset are replaced by nothing else",
                 "[dataset][given]") {
  for (const char* const name :
       {"shardine.json", "train-0.rec", "train-0.rec.sdx", "train-0.rec/part",
        "./train-0.rec", "other/shardine.json"}) {
    INFO(name);
    const Status status = CheckIsNotOfDataset(LocalStorage(), InFolder(name));
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.where().path == InFolder(name));
  }
  for (const std::string& path :
       {data_ / "alone.rec", InFolder("notes.txt"), InFolder("train-0.recs"),
        InFolder("new.html")}) {
    INFO(path);
    CHECK(CheckIsNotOfDataset(LocalStorage(), path).ok());
  }
  data_.Flip("shardine.json", 20);
  CHECK_FALSE(CheckIsNotOfDataset(LocalStorage(), InFolder("notes.txt")).ok());
}

}  // namespace
}  // namespace shardine::dataset_path_test
