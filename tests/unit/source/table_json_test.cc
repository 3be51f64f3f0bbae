#include "source/table_json.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::table_json_test {
namespace {

// "path=a label=3", one text a row, with a letter for the kind of each cell.
Status RowsOfArray(std::string_view text, std::vector<std::string>& rows) {
  std::vector<std::string> columns;
  const JsonRows::Take take = [&](const TableRow& row) {
    std::string& shown = rows.emplace_back();
    for (const TableCell& cell : row.cells) {
      shown += (shown.empty() ? "" : " ") + columns[cell.column] + "=" +
               "?ptnbj"[static_cast<std::size_t>(cell.kind)] +
               std::string(cell.text);
    }
    return Status();
  };
  return JsonRows(columns, take).TakeArray(text);
}

std::vector<std::string> Rows(std::string_view text) {
  std::vector<std::string> rows;
  const Status status = RowsOfArray(text, rows);
  INFO(status.ToString());
  REQUIRE(status.ok());
  return rows;
}

Status ErrorOf(std::string_view text) {
  std::vector<std::string> rows;
  Status status = RowsOfArray(text, rows);
  INFO(text);
  CHECK(status.code() == Code::kCorrupt);
  return status;
}

TEST_CASE("JsonRows takes texts and objects", "[table_json]") {
  using Texts = std::vector<std::string>;
  CHECK(Rows(R"( ["a/1.jpg", "b \u00e9\"\n/2.jpg"] )") ==
        Texts{"path=ta/1.jpg", "path=tb \xc3\xa9\"\n/2.jpg"});
  CHECK(Rows("[]").empty());
  CHECK(Rows(R"([{"path": "a", "label": 3, "id": 18446744073709551615},
                 {"labels": [1, -2, 0.50, "x", [true]], "path": "b"},
                 {"path": "c", "box": {"x": [], "y": {"z": null}}}])") ==
        Texts{"path=ta label=n3 id=n18446744073709551615",
              R"(labels=j[1,-2,0.50,"x",[true]] path=tb)",
              R"(path=tc box=j{"x":[],"y":{"z":null}})"});
}

TEST_CASE("JsonRows says at which byte the JSON ends to be JSON",
          "[table_json][corruption]") {
  const Status cut = ErrorOf(R"(["a", "b)");
  CHECK(cut.message() == "not valid JSON");
  CHECK(cut.where().offset == 8);
  for (const char* bad :
       {"", "[", "[\"a\",]", "[\"a\"] x", "['a']", "[\"\xff\"]",
        "[{\"path\":\"a\"]", "[{\"path\":\"a\",\"label\":1e999}]"}) {
    CHECK(ErrorOf(bad).where().offset.has_value());
  }
}

TEST_CASE("JsonRows says which entry is no row", "[table_json][corruption]") {
  struct Case {
    const char* text;
    const char* message;
    std::uint64_t record;
  };
  const char* shape = "neither a path nor an object";
  const Case cases[] = {{"\"a\"", "the index is not an array", 0},
                        {"7", "the index is not an array", 0},
                        {"null", "the index is not an array", 0},
                        {"{\"paths\": []}", "the index is not an array", 0},
                        {"[\"a\", 7]", shape, 1},
                        {"[\"a\", [\"b\"]]", shape, 1},
                        {"[null]", shape, 0},
                        {"[{\"path\": \"a\", \"path\": \"b\"}]",
                         "member \"path\" given twice", 0}};
  for (const Case& c : cases) {
    INFO(c.text);
    const Status status = ErrorOf(c.text);
    CHECK(status.message() == c.message);
    CHECK(status.where().record == c.record);
  }
}

TEST_CASE("JsonRows survives deep nesting", "[table_json][corruption]") {
  CHECK_FALSE(ErrorOf(std::string(1'000'000, '[')).ok());
  CHECK(ErrorOf("[{\"path\":" + std::string(100'000, '[')).message() ==
        "nested too deeply");
}

}  // namespace
}  // namespace shardine::table_json_test
