#include "source/bounding_boxes.h"

#include <catch2/catch.hpp>

#include "io/memory_storage.h"

namespace shardine::bounding_boxes_test {
namespace {

Result<BoundingBoxes> Read(const std::string& text) {
  MemoryStorage storage;
  storage.Put("boxes.csv", text);
  return BoundingBoxes::Read(storage, "boxes.csv");
}

TEST_CASE("BoundingBoxes keeps the boxes of each file in order", "[boxes]") {
  const auto boxes =
      Read("a.jpg,0,0.25,0.5,1\nb,c.jpg,0.1,0.2,0.3,0.4\r\na.jpg,1,1,1,1\n");
  REQUIRE(boxes.status().ToString() == "OK");
  const auto found = boxes->Find("a.jpg");
  REQUIRE(found.size() == 2);
  CHECK(found[0].xmin == 0.0f);
  CHECK(found[0].ymin == 0.25f);
  CHECK(found[0].xmax == 0.5f);
  CHECK(found[0].ymax == 1.0f);
  CHECK(found[1].xmin == 1.0f);
  // A file name may hold commas: the numbers are the last four.
  CHECK(boxes->Find("b,c.jpg").size() == 1);
  CHECK(boxes->Find("c.jpg").empty());
}

TEST_CASE("BoundingBoxes names the line that is none", "[boxes]") {
  for (const char* line :
       {"a.jpg,0,0,0", "a.jpg", "0,0,1,1", ",0,0,1,1", "a.jpg,0,0,1,1.5",
        "a.jpg,0,-1,1,1", "a.jpg,nan,0,1,1", "a.jpg,0,0,1,1 ", "a.jpg,0,0,1,",
        "file_name,xmin,ymin,xmax,ymax"}) {
    INFO(line);
    const Status status =
        Read("ok.jpg,0,0,1,1\n" + std::string(line) + "\n").status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "boxes.csv");
    CHECK_THAT(status.message(), Catch::Contains("line 2"));
  }
}

TEST_CASE("BoundingBoxes has a digest of what it says", "[boxes]") {
  const auto digest = [](const std::string& text) {
    const auto boxes = Read(text);
    REQUIRE(boxes.ok());
    return boxes->digest();
  };
  const Digest128 one = digest("a,0,0,1,1\nb,0,0,1,1\n");
  CHECK(digest("b,0,0,1,1\na,0.0,0,1,1\n") == one);
  CHECK(digest("a,0,0,1,0.5\nb,0,0,1,1\n") != one);
  CHECK(digest("a,0,0,1,1\nc,0,0,1,1\n") != one);
}

}  // namespace
}  // namespace shardine::bounding_boxes_test
