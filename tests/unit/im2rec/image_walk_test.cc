#include "im2rec/image_walk.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"

namespace shardine::image_walk_test {
namespace {

using Lines = std::vector<std::string>;

WalkOptions Options(bool recursive) {
  return {.root = "/tree",
          .recursive = recursive,
          .suffixes = {".jpeg", ".jpg", ".png"}};
}

// "id label path"
Lines Walk(MemoryStorage& storage, bool recursive) {
  const Result<ImageWalk> walk = WalkImages(storage, Options(recursive));
  REQUIRE(walk.ok());
  Lines lines;
  for (const ListedImage& image : walk->images) {
    lines.push_back(std::to_string(image.id) + " " +
                    std::to_string(image.label) + " " + image.path);
  }
  return lines;
}

TEST_CASE("WalkImages numbers directories that hold images, depth first",
          "[im2rec]") {
  MemoryStorage storage;
  for (const char* path :
       {"/tree/b/2.jpg", "/tree/b/10.jpg", "/tree/a/deep/x.png",
        "/tree/a/deep/er/y.jpeg", "/tree/a/text.txt", "/tree/c/none.gif",
        "/tree/d/z.JPG", "/tree/top.jpg"}) {
    storage.Put(path, "x");
  }
  CHECK(Walk(storage, true) == Lines{"0 0 top.jpg", "1 1 a/deep/x.png",
                                     "2 2 a/deep/er/y.jpeg", "3 3 b/10.jpg",
                                     "4 3 b/2.jpg", "5 4 d/z.JPG"});
  CHECK(WalkImages(storage, Options(true))->labelled ==
        Lines{".", "a/deep", "a/deep/er", "b", "d"});
}

TEST_CASE("WalkImages sorts names, not paths", "[im2rec]") {
  // As paths "a-b/x" < "a/x", as names "a" < "a-b".
  MemoryStorage storage;
  storage.Put("/tree/a-b/x.jpg", "x");
  storage.Put("/tree/a/x.jpg", "x");
  CHECK(Walk(storage, true) == Lines{"0 0 a/x.jpg", "1 1 a-b/x.jpg"});
}

TEST_CASE("WalkImages lists only the root's own files unless recursive",
          "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/tree/b.jpg", "x");
  storage.Put("/tree/a.png", "x");
  storage.Put("/tree/sub/c.jpg", "x");
  CHECK(Walk(storage, false) == Lines{"0 0 a.png", "1 0 b.jpg"});
  CHECK(WalkImages(storage, Options(false))->labelled.empty());
}

TEST_CASE("WalkImages follows links to files and directories", "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/other/x.jpg", "x");
  storage.Put("/tree/a/y.jpg", "x");
  storage.PutSymlink("/tree/b", "/other");
  storage.PutSymlink("/tree/a/link.jpg", "/other/x.jpg");
  CHECK(Walk(storage, true) ==
        Lines{"0 0 a/link.jpg", "1 0 a/y.jpg", "2 1 b/x.jpg"});
}

TEST_CASE("WalkImages does not follow a link to a directory above it",
          "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/tree/a/x.jpg", "x");
  storage.PutSymlink("/tree/a/loop", "/tree");
  // The same directory twice, but not above itself: listed twice.
  storage.PutSymlink("/tree/b", "/tree/a");
  CHECK(Walk(storage, true) == Lines{"0 0 a/x.jpg", "1 1 b/x.jpg"});
  CHECK(WalkImages(storage, Options(true))->notes ==
        Lines{"/tree/a/loop links to a directory above it: not followed",
              "/tree/b/loop links to a directory above it: not followed"});
}

TEST_CASE("WalkImages passes over names that are no files and says so",
          "[im2rec]") {
  MemoryStorage storage;
  storage.Put("/tree/dir.jpg/x.jpg", "x");
  storage.PutFifo("/tree/fifo.jpg");
  storage.PutSymlink("/tree/gone.jpg", "/nowhere");
  storage.PutSymlink("/tree/gone.txt", "/nowhere");
  CHECK(Walk(storage, true) == Lines{"0 0 dir.jpg/x.jpg"});
  CHECK(WalkImages(storage, Options(true))->notes ==
        Lines{"/tree/fifo.jpg is not a file: not listed",
              "/tree/gone.jpg is not a file: not listed"});
}

TEST_CASE("WalkImages refuses names that a list cannot hold", "[im2rec]") {
  const std::string name =
      GENERATE(as<std::string>(), "a\tb.jpg", "a\nb.jpg", "a\rb.jpg", " a.jpg");
  MemoryStorage storage;
  storage.Put("/tree/" + name, "x");
  const Status status = WalkImages(storage, Options(true)).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.where().path == "/tree/" + name);
}

TEST_CASE("WalkImages fails on a root that is not there", "[im2rec]") {
  MemoryStorage storage;
  CHECK(WalkImages(storage, Options(true)).status().code() == Code::kNotFound);
}

}  // namespace
}  // namespace shardine::image_walk_test
