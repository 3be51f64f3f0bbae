#include <catch2/catch.hpp>
#include <string>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "io/output_folder.h"
#include "io/storage_for.h"
#include "shardine/convert.h"
#include "shardine/dataset.h"
#include "shardine/diff.h"
#include "shardine/extract.h"
#include "shardine/index.h"
#include "shardine/inspect.h"
#include "shardine/job.h"
#include "shardine/pack.h"
#include "shardine/reindex.h"
#include "shardine/resize.h"
#include "shardine/scan.h"
#include "shardine/source_list_file.h"
#include "shardine/verify.h"
#include "support/pack_fixture.h"
#include "support/temp_directory.h"

namespace shardine::job_storage_test {
namespace {

TEST_CASE("The storage of a job takes all its paths", "[job]") {
  MemoryStorage memory;
  const Job job{.storage = &memory};
  for (const std::string path : {"x", "az://bucket/x"}) {
    CHECK(*StorageFor(job, path) == &memory);
    CHECK(*OutputStorageFor(job, path) == &memory);
    const auto folder = OutputFolder::Of(job, path);
    REQUIRE(folder.ok());
    CHECK(&folder->storage() == &memory);
    CHECK(folder->path() == path);
  }
}

TEST_CASE("A job without a storage has each path's own", "[job]") {
  CHECK(*StorageFor(Job(), "x") == &LocalStorage());
  CHECK(&OutputFolder::Of({}, "x")->storage() == &LocalStorage());
  const std::string remote = "az://bucket/x";
  for (const Status& refused : {StorageFor(Job(), remote).status(),
                                OutputStorageFor(Job(), remote).status(),
                                OutputFolder::Of({}, remote).status()}) {
    CHECK(refused.ToString() ==
          "az://bucket/x: of remote storage only s3://, gs://, http:// and "
          "https:// "
          "are read "
          "yet");
  }
}

VerifyOptions Target(const std::string& path) {
  VerifyOptions options;
  options.target = path;
  return options;
}

// A tree, and its dataset, on the disk.
struct World {
  World() {
    MemoryStorage made;
    PutTree(made, "tree", 2, 4, 500);
    for (const auto& [name, contents] : TakeSnapshot(made, "tree")) {
      const std::string path = disk / ("tree/" + name);
      REQUIRE(LocalStorage().CreateDirectories(DirectoryOf(path)).ok());
      auto file = LocalStorage().Create(path);
      REQUIRE(file.ok());
      REQUIRE((*file)->Append(AsBytes(contents)).ok());
      REQUIRE((*file)->Close().ok());
    }
    REQUIRE(Pack(PackOf(disk / "tree", disk / "data")).status().ToString() ==
            "OK");
  }
  static void CheckRefused(const Status& status) {
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.message() ==
          "of remote storage only s3://, gs://, http:// and https:// are read "
          "yet");
    CHECK(status.where().path == kRemote);
  }

  static constexpr const char* kRemote = "az://bucket/x";
  TempDirectory disk;
};

TEST_CASE_METHOD(World, "Verbs without a job read and write this machine",
                 "[job]") {
  const auto verified = Verify(Target(disk / "data"));
  REQUIRE(verified.ok());
  CHECK(verified->samples == 8);
  const auto dataset = Dataset::Open(disk / "data");
  REQUIRE(dataset.ok());
  CHECK((*dataset)->size() == 8);
}

TEST_CASE_METHOD(World, "Every verb refuses a remote output by its name",
                 "[job]") {
  const std::string data = disk / "data";
  CheckRefused(Pack(PackOf(disk / "tree", kRemote)).status());
  CheckRefused(PlanPack(PackOf(disk / "tree", kRemote)).status());
  ConvertOptions convert;
  convert.input = data;
  convert.output = kRemote;
  CheckRefused(Convert(convert).status());
  MergeOptions merge;
  merge.inputs = {data, data};
  merge.output = kRemote;
  CheckRefused(Merge(merge).status());
  IndexOptions index;
  index.files = {data + "/train-00000-of-00003.rec"};
  index.output = kRemote;
  CheckRefused(IndexShards(index).status());
  ResizeOptions resize;
  resize.source.folders = {{"train", disk / "tree"}};
  resize.output = kRemote;
  resize.short_sides = {16};
  CheckRefused(ResizeTree(resize).status());
  ExtractOptions extract;
  extract.dataset = data;
  extract.directory = kRemote;
  CheckRefused(ExtractDataset(extract).status());
  ReindexOptions reindex;
  reindex.dataset = kRemote;
  CheckRefused(Reindex(reindex).status());
  SourceListOptions list;
  list.source.folders = {{"train", disk / "tree"}};
  list.output = kRemote;
  CheckRefused(WriteSourceList(list).status());
}

TEST_CASE_METHOD(World, "Every verb refuses a remote input by its name",
                 "[job]") {
  const std::string data = disk / "data";
  CheckRefused(Pack(PackOf(kRemote, disk / "out")).status());
  CheckRefused(Verify(Target(kRemote)).status());
  const auto ignore = [](const Difference&) { return Status(); };
  CheckRefused(Diff(kRemote, data, ignore).status());
  CheckRefused(Diff(data, kRemote, ignore).status());
  CheckRefused(Dataset::Open(kRemote).status());
  CheckRefused(Dataset::OpenShards({kRemote}).status());
  CheckRefused(ReadDatasetInfo(kRemote).status());
  CheckRefused(ReadImage(kRemote, "key", "").status());
  CheckRefused(ListSamples({.dataset = kRemote},
                           [](const ListedSample&) { return Status(); }));
  ScanOptions scan;
  scan.target = kRemote;
  CheckRefused(Scan(scan).status());
  ConvertOptions convert;
  convert.input = kRemote;
  convert.output = disk / "out";
  CheckRefused(Convert(convert).status());
  // A source is in one storage with its lists.
  PackOptions pack = PackOf(disk / "tree", disk / "out");
  pack.source.list = kRemote;
  CheckRefused(Pack(pack).status());
  CHECK_FALSE(LocalStorage().Stat(disk / "out").ok());
}

}  // namespace
}  // namespace shardine::job_storage_test
