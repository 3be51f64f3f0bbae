#include "source/class_numbers.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"

namespace shardine::class_numbers_test {
namespace {

Result<ClassNumbers> ReadMap(std::string contents) {
  MemoryStorage storage;
  storage.Put("map", std::move(contents));
  return ClassNumbers::ReadLabelMap(storage, "map");
}

std::string MapError(std::string contents) {
  const auto numbers = ReadMap(std::move(contents));
  REQUIRE_FALSE(numbers.ok());
  CHECK(numbers.status().code() == Code::kCorrupt);
  return numbers.status().ToString();
}

TEST_CASE("ClassNumbers are dense over the sorted names", "[class_numbers]") {
  const ClassNumbers numbers =
      ClassNumbers::Dense({"b", "\xff", "a", "10", "9", "b"});
  CHECK(numbers.Classes() ==
        ClassMap{{"10", 0}, {"9", 1}, {"a", 2}, {"b", 3}, {"\xff", 4}});
  CHECK(numbers.Find("b") == 3);
  CHECK(numbers.Find("c") == std::nullopt);
  CHECK(numbers.HasLabel(4));
  CHECK_FALSE(numbers.HasLabel(5));
  CHECK(numbers.LabelRange() == "0..4");
  CHECK(ClassNumbers::Dense({}).empty());
}

TEST_CASE("ClassNumbers reads a label map of names and labels",
          "[class_numbers]") {
  const auto numbers =
      ReadMap("n02 cat\t7\r\nn01 -1\n\nn03  9\nback\\x5Cslash\t0\n");
  REQUIRE(numbers.ok());
  CHECK(numbers->Classes() ==
        ClassMap{{"n01", -1}, {"back\\slash", 0}, {"n02 cat", 7}, {"n03", 9}});
}

TEST_CASE("ClassNumbers numbers a label map of names in file order",
          "[class_numbers]") {
  const auto numbers = ReadMap("zebra\ngreat white shark\n10\na 1.5\n");
  REQUIRE(numbers.ok());
  CHECK(numbers->Classes() ==
        ClassMap{
            {"zebra", 0}, {"great white shark", 1}, {"10", 2}, {"a 1.5", 3}});
}

TEST_CASE("ClassNumbers refuses a label map that says two things",
          "[class_numbers][corruption]") {
  CHECK(MapError("a 1\nb\n") ==
        "map: byte 4: line 2: some lines have a label, others do not");
  CHECK(MapError("a\nb 1\n") ==
        "map: byte 2: line 2: some lines have a label, others do not");
  CHECK(MapError("a 1\na 2\n") ==
        "map: byte 4: line 2: this name or label was given before");
  CHECK(MapError("a 1\nb 1\n") ==
        "map: byte 4: line 2: this name or label was given before");
  CHECK(MapError("a\na\n") ==
        "map: byte 2: line 2: this name or label was given before");
  CHECK(MapError("a\\q\n").find("line 1: a backslash") != std::string::npos);
  CHECK(MapError("\n\n") == "map: the label map is empty");
}

// field report B4.
TEST_CASE("ClassNumbers refuses columns and headers among names alone",
          "[class_numbers]") {
  const auto refused = [](const std::string& text) {
    MemoryStorage storage;
    storage.Put("map", text);
    const auto numbers = ClassNumbers::ReadLabelMap(storage, "map");
    return numbers.ok() ? std::string() : numbers.status().message();
  };
  CHECK(refused("0,ant\n1,bee\n") ==
        "\"0,ant\" is the name of a class, or label 0 with the name ant: write "
        "\"name label\" lines, or JSON");
  CHECK_THAT(refused("ant,0\nbee,1\n"),
             Catch::Contains("label 0 with the name ant"));
  CHECK_THAT(refused("Name\nant\nbee\n"),
             Catch::Contains("is the name of class 0, or a header"));
  CHECK_THAT(refused("0 ant\n1 bee\n"),
             Catch::Contains("label 0 with the name ant"));
  CHECK_THAT(refused("1: ant\n2: bee\n"),
             Catch::Contains("label 1 with the name ant"));
  CHECK_THAT(refused("name\n0\tant\n1\tbee\n"),
             Catch::Contains("label 0 with the name ant"));
  CHECK(refused("7 spot ladybird\nant\n").empty());
  CHECK(refused("18 wheeler\n2CV\n").empty());
  CHECK(refused("tench, Tinca tinca\nant\n").empty());
  CHECK(refused("ant\n1,2-dichloroethane\nbee\n").empty());
}

TEST_CASE("CountClasses counts and names a sample of no class",
          "[class_numbers]") {
  SourceList samples;
  const auto add = [&samples](const char* key, std::vector<Label> labels) {
    samples.Add(key, 0, labels, 0);
  };
  add("a", {Label(1)});
  add("b", {Label(1)});
  add("c", {});
  ClassMap classes = {{"x", 0, 99}, {"y", 1}};
  REQUIRE(CountClasses(samples, classes).ok());
  CHECK(classes == ClassMap{{"x", 0, 0}, {"y", 1, 2}});
  ClassMap none;
  add("d", {Label(2)});
  CHECK(CountClasses(samples, none).ok());
  const Status status = CountClasses(samples, classes);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.where().key == "d");
  CHECK(status.message() == "its label 2 is none of the classes' 0..1");
  samples.SetLabel(3, Label::FromReal(0.5));
  CHECK_FALSE(CountClasses(samples, classes).ok());
}

TEST_CASE("ClassMapDigest depends on names, labels and order, not counts",
          "[class_map]") {
  const Digest128 digest = ClassMapDigest({{"a", 0, 1}, {"b", 1, 2}});
  CHECK(ClassMapDigest({{"a", 0, 5}, {"b", 1, 0}}) == digest);
  CHECK(ClassMapDigest({{"a", 0}, {"b", 2}}) != digest);
  CHECK(ClassMapDigest({{"a", 0}, {"c", 1}}) != digest);
  CHECK(ClassMapDigest({{"b", 1}, {"a", 0}}) != digest);
  CHECK(ClassMapDigest({{"a", 0}}) != digest);
  // xxhsum -H2 of no bytes.
  CHECK(ClassMapDigest({}).ToHex() == "99aa06d3014798d86001c324468d497f");
}

}  // namespace
}  // namespace shardine::class_numbers_test
