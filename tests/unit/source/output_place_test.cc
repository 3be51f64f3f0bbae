#include "source/output_place.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "io/local_storage.h"
#include "io/memory_storage.h"
#include "support/temp_directory.h"

namespace shardine::output_place_test {
namespace {

SourceOptions TreesOf(const std::string& path) {
  SourceOptions options;
  options.folders = {{"train", path}};
  return options;
}

Status Check(const std::string& source, const std::string& output) {
  return RefuseOutputInSource(LocalStorage(), TreesOf(source),
                              {LocalStorage(), output});
}

TEST_CASE("RefuseOutputInSource finds the source by any way to it",
          "[output_place]") {
  namespace fs = std::filesystem;
  const TempDirectory world;
  fs::create_directories(world / "tree/a/deep");
  fs::create_directories(world / "other");
  fs::create_directory_symlink(world / "tree/a", world / "link");
  fs::create_directory_symlink(world / "tree", world / "same");
  const std::string tree = world / "tree";
  for (const char* inside :
       {"tree", "tree/", "tree/out", "tree/a/out/of/many", "link", "link/out",
        "same", "same/out", "other/../tree/out", "link/deep/../.."}) {
    INFO(inside);
    const Status refused = Check(tree, world / inside);
    CHECK(refused.code() == Code::kInvalidArgument);
    CHECK(refused.where().path == world / inside);
    CHECK_FALSE(Check(world / "same", world / inside).ok());
  }
  for (const char* outside :
       {"other", "out", "tree2/x", "", "tree/../out", "other/deep/out"}) {
    INFO(outside);
    CHECK(Check(tree, world / outside).ToString() == "OK");
  }
  CHECK(Check(world / "none", world / "out").code() == Code::kNotFound);
}

TEST_CASE("RefuseOutputInSource leaves lists alone", "[output_place]") {
  MemoryStorage storage;
  storage.Put("in/a.jpg", "x");
  SourceOptions options = TreesOf("in");
  CHECK_FALSE(RefuseOutputInSource(storage, options, {storage, "in/out"}).ok());
  options.list = "in/train.lst";
  CHECK(RefuseOutputInSource(storage, options, {storage, "in/out"}).ok());
}

TEST_CASE("An output in another storage lies in no source", "[output_place]") {
  MemoryStorage sources;
  sources.Put("in/a.jpg", "x");
  MemoryStorage elsewhere;
  CHECK(RefuseOutputInSource(sources, TreesOf("in"), {elsewhere, "in/out"})
            .ToString() == "OK");
}

TEST_CASE("IsOutput knows what runs leave in a folder", "[output_place]") {
  MemoryStorage storage;
  storage.Put("a/shardine.json", "x");
  storage.Put("b/.pack/journal", "x");
  storage.Put("c/.resize/record", "x");
  storage.Put("d/x.jpg", "x");
  for (const char* made : {"a", "b", "c"}) CHECK(*IsOutput(storage, made));
  for (const char* plain : {"d", "none"})
    CHECK_FALSE(*IsOutput(storage, plain));
  CHECK(NamesOutput(".pack"));
  CHECK_FALSE(NamesOutput("pack"));
}

}  // namespace
}  // namespace shardine::output_place_test
