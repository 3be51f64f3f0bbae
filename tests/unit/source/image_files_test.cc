#include "source/image_files.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "unit/source/source_fixture.h"

namespace shardine::image_files_test {
namespace {

using Keys = std::vector<std::string>;

SourceOptions From(const std::vector<SourceOptions::Folder>& folders) {
  SourceOptions options;
  options.folders = folders;
  return options;
}

Keys Ignored(const SourceSet& set) {
  Keys keys;
  for (const SourceProblem& problem : set.ignored) {
    keys.push_back(problem.key + ": " + problem.reason);
  }
  return keys;
}

TEST_CASE("LoadImageFiles takes every image, whatever folder it is in",
          "[image_files]") {
  MemoryStorage storage;
  for (const char* key :
       {"top.png", "train/b/1.jpg", "train/a/2.JPEG", "val/a/3.jpg"}) {
    storage.Put("/in/" + std::string(key), "x");
  }
  storage.Put("/in/train/a/notes.txt", "x");
  storage.Put("/in/train/.hidden/4.jpg", "x");
  const auto set = LoadImageFiles(storage, From({{"train", "/in"}}), "/out");
  REQUIRE(set.ok());
  CHECK(KeysOf(*set) ==
        Keys{"top.png", "train/a/2.JPEG", "train/b/1.jpg", "val/a/3.jpg"});
  CHECK(Ignored(*set) == Keys{"train/.hidden: hidden",
                              "train/a/notes.txt: not-an-image-suffix"});
  CHECK(set->classes.empty());
  CHECK(set->samples.label_count(0) == 0);
}

TEST_CASE("LoadImageFiles leaves the output out that lies in a source",
          "[image_files]") {
  MemoryStorage storage;
  storage.Put("/in/a.jpg", "x");
  storage.Put("/in/made/sz/160/a.jpg", "x");
  storage.PutSymlink("/elsewhere/link", "/in/made");
  const auto set =
      LoadImageFiles(storage, From({{"train", "/in"}}), "/elsewhere/link");
  REQUIRE(set.ok());
  CHECK(KeysOf(*set) == Keys{"a.jpg"});
  CHECK(Ignored(*set) == Keys{"made: output-folder"});
}

TEST_CASE("LoadImageFiles refuses a source that is the output",
          "[image_files]") {
  MemoryStorage storage;
  storage.Put("/in/a.jpg", "x");
  const Status status =
      LoadImageFiles(storage, From({{"train", "/in"}}), "/in/").status();
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.ToString() == "/in: is the output, too");
}

TEST_CASE("LoadImageFiles numbers through several folders", "[image_files]") {
  MemoryStorage storage;
  storage.Put("/a/x/1.jpg", "x");
  storage.PutSymlink("/a/x/2.jpg", "gone");
  storage.Put("/b/1.jpg", "xyz");
  const auto set =
      LoadImageFiles(storage, From({{"train", "/a"}, {"val", "/b"}}), "/out");
  REQUIRE(set.ok());
  CHECK(KeysOf(*set) == Keys{"x/1.jpg", "1.jpg"});
  CHECK(set->samples.id(1) == 2);
  CHECK(set->samples.root(1) == 1);
  CHECK(set->samples.facts(1).size == 3);
  CHECK(set->splits == Keys{"train", "val"});
  REQUIRE(set->bad.size() == 1);
  CHECK(set->bad[0].reason == "dangling-link");
}

TEST_CASE("LoadImageFiles takes the files that a list names", "[image_files]") {
  MemoryStorage storage;
  storage.Put("/in/a/1.gif", "x");
  storage.Put("/in/b/2.jpg", "x");
  storage.Put("/x.lst", "9\t0\tb/2.jpg\n3\t0\ta/1.gif\n");
  SourceOptions options = From({{"train", "/in"}});
  options.list = "/x.lst";
  const auto set = LoadImageFiles(storage, options, "/out");
  REQUIRE(set.ok());
  CHECK(KeysOf(*set) == Keys{"b/2.jpg", "a/1.gif"});
}

TEST_CASE("LoadImageFiles leaves out what a blacklist names", "[image_files]") {
  MemoryStorage storage;
  storage.Put("/in/a/1.jpg", "x");
  storage.Put("/in/b/2.jpg", "x");
  storage.Put("/black", "1.jpg\n");
  SourceOptions options = From({{"train", "/in"}});
  options.blacklist = "/black";
  const auto set = LoadImageFiles(storage, options, "/out");
  REQUIRE(set.ok());
  CHECK(KeysOf(*set) == Keys{"b/2.jpg"});
}

TEST_CASE("LoadImageFiles fails where there is no image", "[image_files]") {
  MemoryStorage storage;
  storage.Put("/in/a.txt", "x");
  CHECK(LoadImageFiles(storage, From({{"train", "/in"}}), "/out")
            .status()
            .ToString() == "/in: no images");
  CHECK(LoadImageFiles(storage, From({{"train", "/none"}}), "/out")
            .status()
            .code() == Code::kNotFound);
  CHECK(LoadImageFiles(storage, From({}), "/out").status().code() ==
        Code::kInvalidArgument);
}

}  // namespace
}  // namespace shardine::image_files_test
