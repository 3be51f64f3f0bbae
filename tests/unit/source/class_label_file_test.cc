#include "source/class_label_file.h"

#include <catch2/catch.hpp>
#include <string>

#include "unit/source/source_fixture.h"

namespace shardine::class_label_file_test {
namespace {

Result<ClassMap> Read(const std::string& text) {
  MemoryStorage storage;
  storage.Put("/names", text);
  return ReadClassLabels(storage, "/names");
}

const ClassMap kTwo = {{"n01440764", 0, 0, "tench"},
                       {"n01443537", 7, 0, "goldfish"}};

TEST_CASE("Class names are read in every form that is about", "[source]") {
  const std::string text = GENERATE(
      R"({"n01443537": {"id": 7, "name": "goldfish"},
          "n01440764": {"name": "tench", "id": 0}})",
      R"({"0": ["n01440764", "tench"], "7": ["n01443537", "goldfish"]})");
  const auto classes = Read(text);
  REQUIRE(classes.ok());
  CHECK(*classes == kTwo);
}

TEST_CASE("Class names that are not all of them are refused", "[source]") {
  for (const char* text :
       {R"({"n0": {"id": 1}})", R"({"n0": {"name": "x"}})",
        R"({"n0": {"id": "1", "name": "x"}})",
        R"({"n0": {"id": 1.5, "name": "x"}})",
        R"({"n0": {"id": 1, "name": 2}})",
        R"({"n0": {"id": 1, "name": "x", "more": 0}})",
        R"({"n0": {"id": 1, "id": 2, "name": "x"}})",
        R"({"n0": {"id": 18446744073709551615, "name": "x"}})",
        R"({"n0": {"id": 1, "name": "x"},
                               "n1": {"id": 1, "name": "y"}})"}) {
    INFO(text);
    CHECK(Read(text).status().code() == Code::kCorrupt);
  }
}

TEST_CASE("Two classes may each have an id", "[source]") {
  CHECK(Read(R"({"a": {"id": 1, "name": "x"}, "b": {"id": 2, "name": "x"}})")
            .ok());
}

TEST_CASE("A label map may be JSON, and brings texts along", "[source]") {
  MemoryStorage storage;
  PutAll(storage, {"/in/n01440764/a.jpg", "/in/n01443537/b.jpg"});
  storage.Put("/names", R"({"n01443537": {"id": 7, "name": "goldfish"},
                            "n01440764": {"id": 0, "name": "tench"}})");
  SourceOptions options;
  options.folders = {{"train", "/in"}};
  options.label_map = "/names";
  const auto set = LoadSource(storage, options);
  REQUIRE(set.ok());
  CHECK(RowsOf(*set) ==
        Strings{"train/0 n01440764/a.jpg =0", "train/1 n01443537/b.jpg =7"});
  CHECK(ClassesOf(*set) == Strings{"0 n01440764 x1", "7 n01443537 x1"});
  CHECK(set->classes[1].text == "goldfish");
}

}  // namespace
}  // namespace shardine::class_label_file_test
