#include "dataset/own_path.h"

#include <catch2/catch.hpp>

#include "io/memory_storage.h"

namespace shardine::own_path_test {
namespace {

TEST_CASE("CheckOwnFile takes what lies below the dataset's folder",
          "[own_path]") {
  MemoryStorage storage;
  storage.Put("out/a/b/c.sde", "x");
  CHECK(CheckOwnFile(storage, "out", "c.sde").ok());
  CHECK(CheckOwnFile(storage, "out", "a/b/c.sde").ok());
  CHECK(CheckOwnFile(storage, "out", "not/there").ok());
  CHECK(CheckOwnFolder(storage, "out", "a/b").ok());
  // The user's own way to the dataset may be a link.
  storage.PutSymlink("link", "out");
  CHECK(CheckOwnFile(storage, "link", "a/b/c.sde").ok());
}

TEST_CASE("CheckOwnFile refuses what lies elsewhere", "[own_path][hostile]") {
  MemoryStorage storage;
  storage.Put("other/c.sde", "x");
  for (const char* path : {"../other/c.sde", "..", "/other/c.sde", "",
                           "a/../../other/c.sde", "./c.sde", "a//c.sde"}) {
    CAPTURE(path);
    CHECK(CheckOwnFile(storage, "out", path).code() == Code::kCorrupt);
    CHECK(CheckOwnFolder(storage, "out", path).code() == Code::kCorrupt);
  }
}

TEST_CASE("CheckOwnFile refuses folders that are links",
          "[own_path][hostile]") {
  MemoryStorage storage;
  storage.Put("other/deep/c.sde", "x");
  storage.Put("out/shardine.json", "x");
  storage.PutSymlink("out/sub", "../other");
  storage.PutSymlink("out/c.sde", "../other/deep/c.sde");
  const Status status = CheckOwnFile(storage, "out", "sub/deep/c.sde");
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().path == "out/sub");
  CHECK(CheckOwnFolder(storage, "out", "sub").code() == Code::kUnsupported);
  // A link that is replaced or removed itself does no harm.
  CHECK(CheckOwnFile(storage, "out", "c.sde").ok());
}

}  // namespace
}  // namespace shardine::own_path_test
