#include "source/bounding_boxes.h"

#include <catch2/catch.hpp>

#include "unit/source/source_fixture.h"

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
        "a.jpg,0,-1,1,1", "a.jpg,nan,0,1,1", "a.jpg,0.5,0,0.4,1",
        "a.jpg,0,1,1,0.9", "a.jpg,0,0,1,1 ", "a.jpg,0,0,1,",
        "file_name,xmin,ymin,xmax,ymax"}) {
    INFO(line);
    const Status status =
        Read("ok.jpg,0,0,1,1\n" + std::string(line) + "\n").status();
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "boxes.csv");
    CHECK_THAT(status.message(), Catch::Contains("line 2"));
  }
}

// field report B3.
TEST_CASE("BoundingBoxes finds a path before the name of its file", "[boxes]") {
  const auto boxes = Read("cat/a.jpg,0,0,1,1\na.jpg,0,0,0.5,0.5\n");
  REQUIRE(boxes.ok());
  CHECK(boxes->Find("cat/a.jpg")[0].xmax == 1.0f);
  CHECK(boxes->Find("dog/a.jpg")[0].xmax == 0.5f);
  CHECK(boxes->FindName("dog/a.jpg").empty());
}

TEST_CASE("Lines of boxes belong to one image each", "[boxes]") {
  MemoryStorage storage;
  PutAll(storage, {"t/cat/1.jpg", "t/dog/1.jpg", "t/dog/2.jpg"});
  SourceOptions options = TreeOptions();
  options.bounding_boxes = "boxes.csv";
  const auto put = [&](const std::string& lines) {
    storage.Put("boxes.csv", lines);
  };
  put("1.jpg,0,0,1,1\n");
  CHECK(LoadError(storage, options).ToString() ==
        "boxes.csv: \"1.jpg\" is the name of several images, such as cat/1.jpg "
        "and dog/1.jpg: lines with their paths tell them apart");
  put("cat/1.jpg,0,0,1,1\n2.jpg,0,0,0.5,1\n3,0,0,1,1\n3,0,0,1,1\n");
  const SourceSet set = Load(storage, options);
  CHECK(set.boxes.Find("dog/1.jpg").empty());
  CHECK(set.boxes.Find("dog/2.jpg")[0].xmax == 0.5f);
  CHECK(ProblemsOf(set.ignored) == Strings{"box-unmatched 3 (boxes.csv:3)"});
  CHECK(set.notes ==
        Strings{"1 of 3 names of boxes.csv are of no image, such as 3"});
  put("cat/1,0,0,1,1\n");
  CHECK(LoadError(storage, options).ToString() ==
        "boxes.csv: 1 of 1 names of boxes.csv are of no image");
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
