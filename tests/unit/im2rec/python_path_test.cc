#include "im2rec/python_path.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace shardine::python_path_test {
namespace {

// The expected values of this file were printed by Python's os.path.

TEST_CASE("PythonJoin joins as os.path.join does", "[im2rec]") {
  CHECK(PythonJoin("a", "b") == "a/b");
  CHECK(PythonJoin("a/", "b") == "a/b");
  CHECK(PythonJoin("", "b") == "b");
  CHECK(PythonJoin("a", "/b") == "/b");
  CHECK(PythonJoin("/", "b") == "/b");
  CHECK(PythonJoin("a", "") == "a/");
}

TEST_CASE("PythonNormPath normalises as os.path.normpath does", "[im2rec]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "."},
      {".", "."},
      {"/", "/"},
      {"//", "//"},
      {"///", "/"},
      {"//a", "//a"},
      {"///a", "/a"},
      {"a/", "a"},
      {"a//b", "a/b"},
      {"a/./b", "a/b"},
      {"a/../b", "b"},
      {"../a", "../a"},
      {"a/../..", ".."},
      {"/..", "/"},
      {"/../a", "/a"},
      {"/a/b/../..", "/"},
      {"../../a", "../../a"}};
  for (const auto& [path, normal] : cases) {
    INFO(path);
    CHECK(PythonNormPath(path) == normal);
  }
}

TEST_CASE("PythonAbsPath begins relative paths with the working directory",
          "[im2rec]") {
  const Result<std::string> here = PythonAbsPath("");
  REQUIRE(here.ok());
  CHECK(here->starts_with('/'));
  CHECK(*PythonAbsPath("/a/../b/") == "/b");
  CHECK(*PythonAbsPath("a/..//b") == PythonJoin(*here, "b"));
}

TEST_CASE("PythonSuffix is the lower-case suffix of os.path.splitext",
          "[im2rec]") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a.jpg", ".jpg"}, {"a.b.JPG", ".jpg"}, {"a", ""},   {".jpg", ""},
      {"..jpg", ""},     {"..a.jpg", ".jpg"}, {"a.", "."}, {"", ""},
      {"...", ""},       {"a..png", ".png"}};
  for (const auto& [name, suffix] : cases) {
    INFO(name);
    CHECK(PythonSuffix(name) == suffix);
  }
}

TEST_CASE("PythonStrip removes the ASCII white space that str.strip removes",
          "[im2rec]") {
  CHECK(PythonStrip(" \t\n\v\f\r\x1c\x1d\x1e\x1f"
                    "a b\x1f ") == "a b");
  CHECK(PythonStrip("\x1b"
                    "a\x7f") ==
        "\x1b"
        "a\x7f");
  CHECK(PythonStrip(" \t ").empty());
}

}  // namespace
}  // namespace shardine::python_path_test
