#include "source/json_list.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"

namespace shardine::json_list_test {
namespace {

std::vector<JsonEntry> Parse(std::string_view text) {
  const auto entries = ParseJsonList(text);
  INFO(entries.status().ToString());
  REQUIRE(entries.ok());
  return *entries;
}

Status ErrorOf(std::string_view text) {
  const auto entries = ParseJsonList(text);
  INFO(text);
  REQUIRE_FALSE(entries.ok());
  CHECK(entries.status().code() == Code::kCorrupt);
  return entries.status();
}

TEST_CASE("ParseJsonList reads an array of paths", "[json_list]") {
  const auto entries = Parse(R"( ["a/1.jpg", "b \u00e9\"\n/2.jpg"] )");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].path == "a/1.jpg");
  CHECK(entries[1].path == "b \xc3\xa9\"\n/2.jpg");
  CHECK_FALSE(entries[0].labels);
  CHECK_FALSE(entries[0].id);
  CHECK(Parse("[]").empty());
}

TEST_CASE("ParseJsonList reads objects with labels and ids", "[json_list]") {
  const auto entries = Parse(R"([
      {"path": "a", "label": 3, "id": 18446744073709551615},
      {"labels": [1, -2, 0.5, 2.0], "id": 0, "path": "b"},
      {"path": "c", "labels": []},
      "d",
      {"path": "e"}])");
  REQUIRE(entries.size() == 5);
  CHECK(entries[0].labels == std::vector<Label>{Label(3)});
  CHECK(entries[0].id == UINT64_MAX);
  CHECK(entries[1].labels == std::vector<Label>{Label(1), Label(-2),
                                                Label::FromReal(0.5),
                                                Label(2)});
  CHECK(entries[1].id == 0);
  CHECK(entries[2].labels == std::vector<Label>{});
  CHECK_FALSE(entries[3].labels);
  CHECK_FALSE(entries[4].labels);
  CHECK_FALSE(entries[4].id);
}

TEST_CASE("ParseJsonList keeps large labels exact or refuses them",
          "[json_list]") {
  CHECK(Parse(R"([{"path":"a","label":9223372036854775807}])")[0].labels ==
        std::vector<Label>{Label(INT64_MAX)});
  CHECK(Parse(R"([{"path":"a","label":9223372036854775808}])")[0].labels ==
        std::vector<Label>{Label::FromReal(0x1p63)});
  CHECK(ErrorOf(R"([{"path":"a","label":9223372036854775809}])").message() ==
        "a label that cannot be held exactly");
}

TEST_CASE("ParseJsonList says at which byte the JSON ends to be JSON",
          "[json_list][corruption]") {
  const Status cut = ErrorOf(R"(["a", "b)");
  CHECK(cut.message() == "not valid JSON");
  CHECK(cut.where().offset == 8);
  for (const char* bad :
       {"", "[", "[\"a\",]", "[\"a\"] x", "['a']", "[\"\xff\"]",
        "[{\"path\":\"a\"]", "[{\"path\":\"a\",\"label\":1e999}]"}) {
    CHECK(ErrorOf(bad).where().offset.has_value());
  }
}

TEST_CASE("ParseJsonList says which entry is none", "[json_list][corruption]") {
  struct Case {
    const char* text;
    const char* message;
    std::uint64_t record;
  };
  const char* shape =
      "neither a path nor an object with path, label or labels, id";
  const Case cases[] = {
      {"\"a\"", "the index is not an array", 0},
      {"7", "the index is not an array", 0},
      {"{\"paths\": []}", "the index is not an array", 0},
      {"[\"a\", 7]", shape, 1},
      {"[\"a\", [\"b\"]]", shape, 1},
      {"[null]", "null has no meaning here", 0},
      {"[{\"path\": \"a\", \"label\": true}]", "a boolean has no meaning here",
       0},
      {"[{\"path\": \"a\", \"label\": \"cat\"}]", shape, 0},
      {"[{\"path\": 3}]", shape, 0},
      {"[{\"path\": {\"path\": \"a\"}}]", shape, 0},
      {"[{\"path\": \"a\", \"label\": [1]}]", shape, 0},
      {"[{\"path\": \"a\", \"labels\": 1}]", shape, 0},
      {"[{\"path\": \"a\", \"labels\": [[1]]}]", shape, 0},
      {"[{\"path\": \"a\", \"labels\": [\"1\"]}]", shape, 0},
      {"[{\"path\": \"a\", \"size\": 1}]", "unknown member \"size\"", 0},
      {"[{\"path\": \"a\", \"path\": \"b\"}]", "member \"path\" given twice",
       0},
      {"[{\"path\": \"a\", \"label\": 1, \"labels\": [1]}]",
       "member \"labels\" given twice", 0},
      {"[{\"path\": \"a\", \"id\": -1}]", "the id is not in [0, 2^64)", 0},
      {"[{\"path\": \"a\", \"id\": 1.0}]", "the id is not a whole number", 0},
      {"[{\"id\": 1}]", "no path", 0},
      {"[\"a\", \"\"]", "no path", 1},
      {"[\"a\\u0000b\"]", "NUL byte in the path", 0}};
  for (const Case& c : cases) {
    INFO(c.text);
    const Status status = ErrorOf(c.text);
    CHECK(status.message() == c.message);
    CHECK(status.where().record == c.record);
  }
}

TEST_CASE("ParseJsonList survives deep nesting", "[json_list][corruption]") {
  CHECK_FALSE(ErrorOf(std::string(1'000'000, '[')).ok());
  CHECK_FALSE(ErrorOf("[{\"path\":" + std::string(100'000, '{')).ok());
}

TEST_CASE("ReadJsonList names the file", "[json_list]") {
  MemoryStorage storage;
  storage.Put("i.json", "[7]");
  CHECK(ReadJsonList(storage, "i.json").status().where().path == "i.json");
  storage.PutSparse("big.json", kMaxJsonList + 1);
  CHECK(ReadJsonList(storage, "big.json").status().code() ==
        Code::kUnsupported);
  CHECK(ReadJsonList(storage, "none.json").status().code() == Code::kNotFound);
}

}  // namespace
}  // namespace shardine::json_list_test
