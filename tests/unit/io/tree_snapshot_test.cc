#include "io/tree_snapshot.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"

namespace shardine::tree_snapshot_test {
namespace {

std::vector<std::string> NamesIn(ReadableStorage& storage,
                                 const std::string& folder) {
  const auto entries = storage.List(folder);
  REQUIRE(entries.ok());
  std::vector<std::string> names;
  for (const DirEntry& entry : *entries) {
    names.push_back(entry.name +
                    (entry.kind == FileKind::kDirectory ? "/" : ""));
  }
  std::ranges::sort(names);
  return names;
}

TEST_CASE("A snapshot lists the folders that its files make", "[io]") {
  MemoryStorage below;
  TreeSnapshot snapshot(below);
  snapshot.AddRoot("s3://b/photos/");
  REQUIRE(snapshot.AddFile("s3://b/photos/", "cat/a.jpg", 7, 5).ok());
  REQUIRE(snapshot.AddFile("s3://b/photos/", "cat/deep/b.jpg", 8, 6).ok());
  REQUIRE(snapshot.AddFile("s3://b/photos/", "c.jpg", 9, 0).ok());
  CHECK(NamesIn(snapshot, "s3://b/photos") ==
        std::vector<std::string>{"c.jpg", "cat/"});
  CHECK(NamesIn(snapshot, "s3://b/photos/cat") ==
        std::vector<std::string>{"a.jpg", "deep/"});
  const auto file = snapshot.Stat("s3://b/photos/cat/a.jpg");
  REQUIRE(file.ok());
  CHECK(file->kind == FileKind::kRegular);
  CHECK(file->size == 7);
  CHECK(file->mtime_ns == 5);
  CHECK(snapshot.Stat("s3://b/photos/cat")->kind == FileKind::kDirectory);
  CHECK(snapshot.Stat("s3://b/photos/dog").status().code() == Code::kNotFound);
  CHECK(snapshot.List("s3://b/photos/dog").status().code() == Code::kNotFound);
}

TEST_CASE("What cannot be a tree of files is refused", "[io]") {
  MemoryStorage below;
  for (const char* name :
       {"", "/a", "a//b", "a/", "./a", "a/../b", "..", "x/y", "x"}) {
    INFO(name);
    TreeSnapshot snapshot(below);
    snapshot.AddRoot("r");
    REQUIRE(snapshot.AddFile("r", "x/y/z", 1, 0).ok());
    CHECK(snapshot.AddFile("r", name, 1, 0).code() == Code::kUnsupported);
  }
  TreeSnapshot snapshot(below);
  snapshot.AddRoot("r");
  REQUIRE(snapshot.AddFile("r", "x", 1, 0).ok());
  CHECK(snapshot.AddFile("r", "x/y", 1, 0).code() == Code::kUnsupported);
  const std::string with_nul("a\0b", 3);
  CHECK(snapshot.AddFile("r", with_nul, 1, 0).code() == Code::kUnsupported);
}

TEST_CASE("For what a snapshot was not told of it asks", "[io]") {
  MemoryStorage below;
  REQUIRE(below.Create("elsewhere").ok());
  TreeSnapshot snapshot(below);
  snapshot.AddRoot("r");
  CHECK(snapshot.Stat("elsewhere").ok());
  CHECK(snapshot.Open("elsewhere").ok());
  CHECK(snapshot.Stat("r/elsewhere").status().code() == Code::kNotFound);
  CHECK(snapshot.Stat("nowhere").status().code() == Code::kNotFound);
}

}  // namespace
}  // namespace shardine::tree_snapshot_test
