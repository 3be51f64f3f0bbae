#include "dataset/dataset_folder.h"

#include <catch2/catch.hpp>
#include <string>

#include "dataset/dataset_reader.h"
#include "io/memory_storage.h"

namespace shardine::dataset_folder_test {
namespace {

void MakeFile(Storage& storage, const std::string& path) {
  REQUIRE(storage.CreateDirectories(DirectoryOf(path)).ok());
  auto file = storage.Create(path);
  REQUIRE(file.ok());
  REQUIRE((*file)->Close().ok());
}

std::string Failure(Storage& storage, const std::string& path) {
  const auto folder = DatasetFolder(storage, path);
  REQUIRE_FALSE(folder.ok());
  CHECK(folder.status().code() == Code::kNotFound);
  return folder.status().ToString();
}

TEST_CASE("DatasetFolder takes a folder, or the manifest in it", "[dataset]") {
  MemoryStorage storage;
  MakeFile(storage, "/out/shardine.json");
  CHECK(*DatasetFolder(storage, "/out") == "/out");
  CHECK(*DatasetFolder(storage, "/out/shardine.json") == "/out");
  CHECK(*DatasetFolder(storage, "/nowhere") == "/nowhere");
}

TEST_CASE("DatasetFolder says which dataset a file is a part of", "[dataset]") {
  MemoryStorage storage;
  MakeFile(storage, "/out/shardine.json");
  for (const char* name :
       {"train-0.rec", "train-0.rec.sdx", ".shardine/train-0.rec.sdx"}) {
    const std::string path = std::string("/out/") + name;
    MakeFile(storage, path);
    CHECK(Failure(storage, path) ==
          path + ": is one file of the dataset /out, not the dataset");
  }
  MakeFile(storage, "/other/x.rec");
  CHECK(Failure(storage, "/other/x.rec") ==
        "/other/x.rec: is a file, not a dataset");
}

TEST_CASE("A shard that is a folder is said to be one file of its dataset",
          "[dataset]") {
  MemoryStorage storage;
  const std::string shard = "/out/train-0.lmdb";
  MakeFile(storage, shard + "/data.mdb");
  MakeFile(storage, "/out/.shardine/train-0.lmdb.sdx");
  MakeFile(storage, "/out/other/x");
  const auto opened = [&](const std::string& path) {
    return DatasetReader::Open(storage, path).status().ToString();
  };
  const std::string part =
      shard + ": is one file of the dataset /out, not the dataset";
  // Without a manifest there is no dataset that it could be a part of.
  CHECK(opened(shard).find("is one file") == std::string::npos);
  MakeFile(storage, "/out/shardine.json");
  CHECK(opened(shard) == part);
  CHECK(opened(shard + "/") == part);
  CHECK(opened("/out/other").find("is one file") == std::string::npos);
  CHECK(opened("/").find("is one file") == std::string::npos);
}

}  // namespace
}  // namespace shardine::dataset_folder_test
