// Files at other sizes, of lists.
#include <catch2/catch.hpp>
#include <string>

#include "shardine/resize.h"
#include "support/pack_fixture.h"
#include "support/resize_fixture.h"

namespace shardine::resize_list_test {
namespace {

TEST_CASE("A list that names a file twice makes a file for each of its lines",
          "[resize][list]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("l.lst", "0\t0\ta/3.png\n1\t0\ta/1.jpg\n2\t0\ta/3.png\n");
  ResizeOptions options = ResizeOf("tree", "out");
  options.source.list = "l.lst";
  const auto result = ResizeTree(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  CHECK(result->samples == 3);
  const Snapshot files = TakeSnapshot(storage, "out/sz/16");
  CHECK(files.size() == 3);
  CHECK(files.at("a/3#2.jpg") == files.at("a/3.jpg"));
  CHECK(files.at("a/3.jpg") != files.at("a/1.jpg"));
  const auto again = ResizeTree(options, {.storage = &storage});
  REQUIRE(again.ok());
  CHECK(again->nothing_to_do);
}

TEST_CASE("Files of a list whose paths start elsewhere have the source's names",
          "[resize][list]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  storage.Put("l.lst", "0\t0\t../b/1.jpg\n1\t0\t1.jpg\n");
  ResizeOptions options = ResizeOf("tree", "out");
  options.source.list = "l.lst";
  options.source.list_root = "tree/a";
  const auto result = ResizeTree(options, {.storage = &storage});
  REQUIRE(result.status().ToString() == "OK");
  const Snapshot files = TakeSnapshot(storage, "out/sz/8");
  CHECK(files.size() == 2);
  CHECK(files.contains("a/1.jpg"));
  CHECK(files.contains("b/1.jpg"));
}

}  // namespace
}  // namespace shardine::resize_list_test
