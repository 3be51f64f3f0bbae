// Lists whose relative paths start elsewhere than at the source.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/philox.h"
#include "source/image_files.h"
#include "unit/source/source_fixture.h"

namespace shardine::list_root_test {
namespace {

SourceOptions ListOf(MemoryStorage& storage, const std::string& list,
                     const std::string& source, const std::string& root,
                     const std::string& name = "/lists/l.lst") {
  storage.Put(name, list);
  SourceOptions options;
  options.folders = {{"train", source}};
  options.list = name;
  options.list_root = root;
  return options;
}

void PutData(MemoryStorage& storage) {
  PutAll(storage, {"/data/set/a.jpg", "/data/set/n1/b.jpg", "/data/other/c.jpg",
                   "/data/other/n1/b.jpg"});
}

TEST_CASE("Relative paths of a list start from its root, keys from the source",
          "[source][list]") {
  MemoryStorage storage;
  PutData(storage);
  const std::string list =
      "1\t0\ta.jpg\n2\t0\t./n1/b.jpg\n3\t0\t../other/c.jpg\n"
      "4\t0\t/data/other/n1/b.jpg\n";
  CHECK(RowsOf(Load(storage, ListOf(storage, list, "/data", "/data/set"))) ==
        Strings{"train/1 set/a.jpg =0", "train/2 set/n1/b.jpg =0",
                "train/3 other/c.jpg =0", "train/4 other/n1/b.jpg =0"});
  CHECK(KeysOf(Load(storage, ListOf(storage, list, "/", "/data/set"))) ==
        Strings{"data/set/a.jpg", "data/set/n1/b.jpg", "data/other/c.jpg",
                "data/other/n1/b.jpg"});
  // A root below the source, and one above it.
  CHECK(KeysOf(Load(storage, ListOf(storage, "1\t0\tb.jpg\n", "/data/set",
                                    "/data/set/n1"))) == Strings{"n1/b.jpg"});
  CHECK(KeysOf(Load(storage, ListOf(storage, "1\t0\tset/n1/b.jpg\n",
                                    "/data/set", "/data"))) ==
        Strings{"n1/b.jpg"});
}

TEST_CASE("A root that is the source changes nothing", "[source][list]") {
  MemoryStorage storage;
  PutData(storage);
  // A path without dots stays as it is written.
  const std::string list = "1\t0\tn1//b.jpg\n2\t0\ta.jpg\n";
  const Strings keys = {"n1//b.jpg", "a.jpg"};
  for (const char* root : {"", "/data/set", "/data/./set/", "/data/x/../set"}) {
    INFO(root);
    CHECK(KeysOf(Load(storage, ListOf(storage, list, "/data/set", root))) ==
          keys);
  }
}

TEST_CASE("JSON lists have a root, too, and classes by folders of the source",
          "[source][list]") {
  MemoryStorage storage;
  PutData(storage);
  const SourceSet set =
      Load(storage, ListOf(storage, R"(["../set/a.jpg", "c.jpg"])", "/data",
                           "/data/other", "/lists/l.json"));
  CHECK(RowsOf(set) ==
        Strings{"train/0 other/c.jpg =0", "train/1 set/a.jpg =1"});
}

TEST_CASE("A path outside of the source is refused wherever it starts from",
          "[source][list]") {
  MemoryStorage storage;
  PutData(storage);
  const auto error = [&](const std::string& list, const std::string& root,
                         const std::string& name = "/lists/l.lst") {
    return LoadError(storage, ListOf(storage, list, "/data/set", root, name))
        .ToString();
  };
  CHECK(error("1\t0\tc.jpg\n", "/data/other") ==
        "/lists/l.lst: byte 0: line 1: the path is not below the source");
  CHECK_THAT(error("1\t0\t/data/other/c.jpg\n", "/data/other"),
             Catch::Contains("absolute, and not below the source"));
  CHECK_THAT(error("1\t0\t../settle/x.jpg\n", "/data/set"),
             Catch::Contains("not below the source"));
  CHECK_THAT(error(R"(["c.jpg"])", "/data/other", "/lists/l.json"),
             Catch::Contains("not below the source"));
}

TEST_CASE("A path that begins with a dot and slashes is relative",
          "[source][list]") {
  MemoryStorage storage;
  PutData(storage);
  CHECK(KeysOf(Load(storage, ListOf(storage, "1\t0\t.//a.jpg\n", "/data/set",
                                    ""))) == Strings{"a.jpg"});
}

// Parts of a path, dots resolved: the expected key below "/".
std::string Resolve(const std::string& path) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : path + "/") {
    if (c != '/') {
      part += c;
      continue;
    }
    if (part == ".." && !parts.empty()) parts.pop_back();
    if (!part.empty() && part != "." && part != "..") parts.push_back(part);
    part.clear();
  }
  std::string joined;
  for (const std::string& name : parts) {
    joined += (joined.empty() ? "" : "/") + name;
  }
  return joined;
}

TEST_CASE("A drawn path has the key of its file, however it is written",
          "[source][list][property]") {
  const Strings parts = {"a", "b", "..", "..", ".", "", "a.jpg"};
  const auto draw = [](std::uint32_t seed, std::uint32_t number) {
    return Philox4x32({number, 0, 0, 0}, {seed, 3})[0];
  };
  std::uint32_t compared = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    std::string path = draw(seed, 0) % 3 == 0 ? "/" : "";
    for (std::uint32_t i = draw(seed, 1) % 6; i > 0; --i) {
      path += parts[draw(seed, 1 + i) % parts.size()] + "/";
    }
    path += "x.jpg";
    const bool absolute = path.starts_with('/');
    const std::string file = Resolve(absolute ? path : "/a/b/" + path);
    INFO(path);
    MemoryStorage storage;
    storage.Put("/" + file, "bytes");
    const SourceSet whole =
        Load(storage, ListOf(storage, "1\t0\t" + path + "\n", "/", "/a/b"));
    REQUIRE(KeysOf(whole) == Strings{file});
    const auto below = LoadSource(
        storage, ListOf(storage, "1\t0\t" + path + "\n", "/a", "/a/b"));
    REQUIRE(below.ok() == file.starts_with("a/"));
    if (!below.ok()) continue;
    REQUIRE("a/" + KeysOf(*below).front() == file);
    ++compared;
  }
  CHECK(compared > 100);
}

TEST_CASE("A root for a list's paths needs the list", "[source][list]") {
  MemoryStorage storage;
  PutAll(storage, {"t/n/a.jpg"});
  SourceOptions options = TreeOptions();
  options.list_root = "t";
  CHECK(LoadError(storage, options).message() ==
        "a folder that a list's paths start from needs the list");
  CHECK(LoadImageFiles(storage, options, "out").status().message() ==
        "a folder that a list's paths start from needs the list");
}

}  // namespace
}  // namespace shardine::list_root_test
