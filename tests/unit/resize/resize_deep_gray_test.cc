#include <catch2/catch.hpp>

#include "shardine/resize.h"
#include "support/resize_fixture.h"

namespace shardine::resize_deep_gray_test {
namespace {

TEST_CASE("A resize warns of 16-bit gray, in the run that reads it",
          "[resize][deep_gray]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  const ResizeOptions options = ResizeOf("tree", "out");
  const auto before = ResizeTree(options, {.storage = &storage});
  REQUIRE(before.status().ToString() == "OK");
  CHECK(before->warnings.empty());

  const std::string deep = MakePng({.bits = 16, .color_type = 0});
  storage.Put("tree/c/2.png", deep);
  storage.Put("tree/c/1.png", deep);
  const ResizeOptions other = ResizeOf("tree", "other");
  const auto after = ResizeTree(other, {.storage = &storage});
  REQUIRE(after.status().ToString() == "OK");
  REQUIRE(after->warnings.size() == 1);
  CHECK(after->warnings[0].starts_with(
      "2 images are 16-bit gray PNGs (the first: c/1.png): "));
  const auto again = ResizeTree(other, {.storage = &storage});
  REQUIRE(again.ok());
  CHECK(again->nothing_to_do);
  CHECK(again->warnings.empty());
}

}  // namespace
}  // namespace shardine::resize_deep_gray_test
