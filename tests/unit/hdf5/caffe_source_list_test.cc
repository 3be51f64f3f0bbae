#include "hdf5/caffe_source_list.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <sstream>

#include "hdf5/hdf5_format.h"
#include "io/atomic_file.h"
#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::caffe_source_list_test {
namespace {

ShardPaths Temporary(const std::string& shard, const std::string& list) {
  return {TemporaryName(shard), TemporaryName(list)};
}

// hdf5/caffe:folder=FOLDER.
LayoutChoice In(const std::string& folder) {
  for (const Layout& layout : kHdf5Format.layouts) {
    if (layout.name != "caffe") continue;
    LayoutChoice choice = DefaultsOf(layout);
    choice.values[0] = folder;
    return choice;
  }
  return {};
}

// The names as Caffe's HDF5DataLayer reads them.
std::vector<std::string> NamesIn(const std::string& list) {
  std::istringstream stream(list);
  std::vector<std::string> names;
  for (std::string name; stream >> name;) names.push_back(name);
  return names;
}

TEST_CASE("A source list names the shard by its last name, without folder",
          "[hdf5][caffe]") {
  const std::string long_name = std::string(197, 'n') + ".h5";
  for (const ShardPaths& paths :
       {Temporary("a/b/train-0.h5", "a/b/train-0.txt"),
        Temporary("train-0.h5", "train-0.txt"),
        ShardPaths{"a/train-0.h5", "a/train-0.txt"},
        ShardPaths{"train-0.h5", TemporaryName("c/other.txt")}}) {
    MemoryStorage storage;
    REQUIRE(storage.CreateDirectories("a/b").ok());
    REQUIRE(storage.CreateDirectories("c").ok());
    INFO(paths.shard);
    REQUIRE(WriteSourceList(storage, paths, In(".")).ToString() == "OK");
    CHECK(NamesIn(*storage.Get(paths.companion)) ==
          std::vector<std::string>{"train-0.h5"});
    CHECK(CheckSourceList(storage, paths).ok());
  }
  MemoryStorage storage;
  const ShardPaths paths = Temporary(long_name, "x.txt");
  REQUIRE(WriteSourceList(storage, paths, In(".")).ok());
  CHECK(NamesIn(*storage.Get(paths.companion)) ==
        std::vector<std::string>{long_name});
}

TEST_CASE("A source list names the shard in the folder that is asked for",
          "[hdf5][caffe]") {
  MemoryStorage storage;
  REQUIRE(storage.CreateDirectories("/out").ok());
  const ShardPaths paths = Temporary("/out/train-0.h5", "/out/train-0.txt");
  for (const char* folder : {"/data/sets", "/data/sets/", "../sets"}) {
    REQUIRE(WriteSourceList(storage, paths, In(folder)).ok());
    const std::vector<std::string> names =
        NamesIn(*storage.Get(paths.companion));
    REQUIRE(names.size() == 1);
    CHECK(names[0] == JoinPath(folder, "train-0.h5"));
    CHECK(CheckSourceList(storage, paths).ok());
  }
  for (const char* other : {"/data/sets/train-1.h5\n", "/data/train-0.h5",
                            "/data/train-0.h5\n/data/train-0.h5\n"}) {
    storage.Put(paths.companion, other);
    CHECK(CheckSourceList(storage, paths).code() == Code::kCorrupt);
  }
  for (const char* folder : {"", "/my data", "/a\nb"}) {
    CHECK_FALSE(In(".").layout->parameters[0].is_valid(folder));
  }
}

TEST_CASE("A source list keeps its folder when its shard is renamed",
          "[hdf5][caffe]") {
  for (const char* folder : {"/data/sets", "."}) {
    MemoryStorage storage;
    REQUIRE(storage.CreateDirectories("/out").ok());
    REQUIRE(
        WriteSourceList(storage, {"/out/0.h5", "/out/0.txt"}, In(folder)).ok());
    const std::string renamed = TemporaryName("/out/0.txt");
    REQUIRE(RenameSourceList(storage, {"/out/train-0.h5", renamed}).ok());
    CHECK(NamesIn(*storage.Get(renamed)) ==
          std::vector<std::string>{JoinPath(folder, "train-0.h5")});
  }
  MemoryStorage storage;
  CHECK(RenameSourceList(storage, {"/out/train-0.h5", "/out/0.txt"}).code() ==
        Code::kUnsupported);
}

TEST_CASE("A source list is not written for a name that was cut",
          "[hdf5][caffe]") {
  MemoryStorage storage;
  const ShardPaths paths = Temporary(std::string(198, 'n') + ".h5", "x.txt");
  const Status status = WriteSourceList(storage, paths, In("."));
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().path == paths.shard);
  CHECK_FALSE(storage.Get(paths.companion).ok());
  storage.Put(paths.companion, "x.h5\n");
  CHECK(CheckSourceList(storage, paths).code() == Code::kUnsupported);
}

TEST_CASE("A source list that was changed in any byte is damaged",
          "[hdf5][caffe][corruption]") {
  MemoryStorage storage;
  const ShardPaths paths = {"a/train-0.h5", "a/train-0.txt"};
  const std::string good = "train-0.h5\n";
  const auto damaged = [&](const std::string& text) {
    storage.Put(paths.companion, text);
    const Status status = CheckSourceList(storage, paths);
    INFO(text);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == paths.companion);
    CHECK(status.where().offset == 0);
    CHECK_THAT(status.message(), Catch::Contains("train-0.h5"));
  };
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string text = good;
    text[at] = static_cast<char>(text[at] ^ 1);
    damaged(text);
    damaged(good.substr(0, at));
    damaged(good.substr(0, at) + " " + good.substr(at));
  }
  damaged(good + good);
  damaged(good + '\0');
  damaged("a/x" + good);
  damaged("train-0.h5\r\n");
  storage.Put(paths.companion, good);
  CHECK(CheckSourceList(storage, paths).ok());
}

TEST_CASE("A source list that is absent or huge is said to be so, with path",
          "[hdf5][caffe]") {
  MemoryStorage storage;
  const ShardPaths paths = {"x.h5", "x.txt"};
  const Status absent = CheckSourceList(storage, paths);
  CHECK(absent.code() == Code::kNotFound);
  CHECK(absent.where().path == "x.txt");
  // It is not read into memory.
  storage.PutSparse("x.txt", std::uint64_t{1} << 40);
  const Status huge = CheckSourceList(storage, paths);
  CHECK_FALSE(huge.ok());
  CHECK(huge.where().path == "x.txt");
}

TEST_CASE("A failure at any call is one of the source list",
          "[hdf5][caffe][fault]") {
  const ShardPaths paths = Temporary("x.h5", "x.txt");
  std::uint64_t call = 0;
  for (;; ++call) {
    REQUIRE(call < 100);
    MemoryStorage memory;
    FaultStorage storage(memory, {.call = call, .error = ENOSPC});
    Status status = WriteSourceList(storage, paths, In("."));
    if (status.ok()) status = CheckSourceList(storage, paths);
    INFO("call " << call << ": " << status.ToString());
    CHECK(status.ok() == !storage.struck());
    if (!storage.struck()) break;
    CHECK(status.system_error() == ENOSPC);
    CHECK(status.where().path == paths.companion);
  }
  // Create, write, sync, close; open, read.
  CHECK(call >= 6);
}

}  // namespace
}  // namespace shardine::caffe_source_list_test
