#include "shardine/file_pattern.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "support/temp_directory.h"

namespace shardine::file_pattern_test {
namespace {

using Files = std::vector<std::string>;

Files Expanded(const std::string& pattern) {
  const auto files = ExpandPattern(pattern);
  REQUIRE(files.status().ToString() == "OK");
  return *files;
}

TEST_CASE("braces are lists and ranges, of paths and of addresses") {
  CHECK(Expanded("{a,b,}/x") == Files{"a/x", "b/x", "/x"});
  CHECK(Expanded("s3://b/t-{008..011}.tar") ==
        Files{"s3://b/t-008.tar", "s3://b/t-009.tar", "s3://b/t-010.tar",
              "s3://b/t-011.tar"});
  CHECK(Expanded("{a,b}/{9..10}") == Files{"a/9", "a/10", "b/9", "b/10"});
  CHECK(Expanded("{99..101}x").back() == "101x");
  CHECK(Expanded("https://h/x?y={0..1}").size() == 2);
  CHECK(Expanded("{4294967295..4294967295}") == Files{"4294967295"});
}

TEST_CASE("braces that say nothing stand for themselves") {
  for (const std::string plain :
       {"a{b}c", "{", "}{", "a{1..}", "{..}", "{2..1}", "{a..c}", "{-1..2}",
        "{1..4294967296}", "{}", "x"}) {
    CHECK(Expanded(plain) == Files{plain});
  }
  CHECK(Expanded("{x}{a,b}") == Files{"{x}a", "{x}b"});
}

TEST_CASE("more than a million files are refused") {
  for (const std::string& many :
       {std::string("{0..4000000000}"), std::string("{0..1000}{0..1000}"),
        std::string("{0..999999}{0..1}"), std::string(100'000, '{')}) {
    const Status status = ExpandPattern(many).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.where().path == many);
  }
}

TEST_CASE("local patterns stand for the files that fit, sorted") {
  const TempDirectory temp;
  for (const char* const name : {"b.tar", "a.tar", "c.rec", "[x].tar", "{a,b}"})
    std::ofstream(temp / name) << "x";
  CHECK(Expanded(temp / "?.tar") == Files{temp / "a.tar", temp / "b.tar"});
  CHECK(Expanded(temp / "{c,a}.*") == Files{temp / "c.rec", temp / "a.tar"});
  // An existing name is no pattern, and errors name a pattern that fits
  // nothing.
  CHECK(Expanded(temp / "[x].tar") == Files{temp / "[x].tar"});
  CHECK(Expanded(temp / "{a,b}") == Files{temp / "{a,b}"});
  CHECK(Expanded(temp / "*.hdf5") == Files{temp / "*.hdf5"});
  CHECK(Expanded("s3://bucket/*.tar") == Files{"s3://bucket/*.tar"});
}

}  // namespace
}  // namespace shardine::file_pattern_test
