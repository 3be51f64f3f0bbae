#include "source/list_file.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "support/fault_storage.h"

namespace shardine::list_file_test {
namespace {

struct Row {
  std::uint64_t id;
  std::vector<Label> labels;
  std::string path;

  bool operator==(const Row&) const = default;
};

Result<std::vector<Row>> ReadRows(std::string contents) {
  MemoryStorage storage;
  storage.Put("a.lst", std::move(contents));
  const auto file = storage.Open("a.lst");
  REQUIRE(file.ok());
  ListReader reader(**file);
  ListEntry entry;
  std::vector<Row> rows;
  while (true) {
    const Result<bool> more = reader.Next(entry);
    if (!more.ok()) return more.status();
    if (!*more) return rows;
    rows.push_back({entry.id, entry.labels, std::string(entry.path)});
  }
}

std::vector<Row> Rows(std::string contents) {
  const auto rows = ReadRows(std::move(contents));
  INFO(rows.status().ToString());
  REQUIRE(rows.ok());
  return *rows;
}

std::string ErrorOf(std::string contents) {
  const auto rows = ReadRows(std::move(contents));
  REQUIRE_FALSE(rows.ok());
  CHECK(rows.status().code() == Code::kCorrupt);
  return rows.status().ToString();
}

TEST_CASE("ListReader reads what im2rec.py writes", "[list_file]") {
  CHECK(Rows("895099\t464.000000\tn04467665_17283.JPEG\n"
             "0\t0.000000\ta b/c d.jpg\n") ==
        std::vector<Row>{{895099, {Label(464)}, "n04467665_17283.JPEG"},
                         {0, {Label(0)}, "a b/c d.jpg"}});
}

TEST_CASE("ListReader reads any number of labels", "[list_file]") {
  CHECK(Rows("1\tx.jpg\n2\t1\t0.5\t-3\t1e3\ty.jpg\n") ==
        std::vector<Row>{
            {1, {}, "x.jpg"},
            {2,
             {Label(1), Label::FromReal(0.5), Label(-3), Label(1000)},
             "y.jpg"}});
}

TEST_CASE("ListReader takes CRLF, empty lines and a missing last line end",
          "[list_file]") {
  const std::vector<Row> expected = {{1, {Label(2)}, "a.jpg"},
                                     {2, {Label(3)}, "b.jpg"}};
  CHECK(Rows("1\t2\ta.jpg\r\n2\t3\tb.jpg\r\n") == expected);
  CHECK(Rows("\n1\t2\ta.jpg\n\r\n2\t3\tb.jpg") == expected);
  CHECK(Rows("").empty());
}

TEST_CASE("ListReader takes blanks around id and labels", "[list_file]") {
  CHECK(Rows("1 \t 2\ta.jpg\n  2\t  0.5 \t-1 \t b.jpg\n") ==
        std::vector<Row>{{1, {Label(2)}, "a.jpg"},
                         {2, {Label::FromReal(0.5), Label(-1)}, " b.jpg"}});
  CHECK_THAT(ErrorOf("1 2\t3\ta.jpg\n"), Catch::Contains("the id"));
  CHECK_THAT(ErrorOf(" \t3\ta.jpg\n"), Catch::Contains("the id"));
  CHECK_THAT(ErrorOf("1\t\ta.jpg\n"), Catch::Contains("label 1"));
}

TEST_CASE("ListReader keeps paths with any bytes but tab and line feed",
          "[list_file]") {
  const std::string path = " \xff\"'\\x41\r \x01";
  CHECK(Rows("1\t" + path + "\n") == std::vector<Row>{{1, {}, path}});
}

TEST_CASE("ListReader reads the smallest and largest id", "[list_file]") {
  CHECK(Rows("18446744073709551615\ta\n0\tb\n")[0].id == UINT64_MAX);
}

TEST_CASE("ListReader names path, line and byte of a line that is wrong",
          "[list_file][corruption]") {
  const std::string good = "1\t2\ta.jpg\n";
  CHECK(ErrorOf(good + "2 3 b.jpg\n") ==
        "a.lst: byte 10: line 2: no tab: a line is id, labels and path with "
        "one tab between them");
  const std::string id =
      "a.lst: byte 0: line 1: the id is not a whole number in [0, 2^64)";
  for (const char* bad : {"", " ", "1 2", "-1", "+1", "1.0", "0x1", "a",
                          "18446744073709551616"}) {
    INFO(bad);
    CHECK(ErrorOf(std::string(bad) + "\t2\ta.jpg\n") == id);
  }
  CHECK(ErrorOf(good + "2\t0\tcat\tb.jpg\n") ==
        "a.lst: byte 10: line 2: label 2 is not a number that can be held");
  CHECK(ErrorOf("1\t2\t\n") == "a.lst: byte 0: line 1: no path");
  CHECK(ErrorOf("1\t2\ta\r\r\n") ==
        "a.lst: byte 0: line 1: carriage return at the end of the path");
  CHECK(ErrorOf(std::string("1\t2\ta\0b\n", 8)) ==
        "a.lst: byte 0: line 1: NUL byte in the path");
}

TEST_CASE("ParseLabel takes decimal numbers and keeps whole ones exact",
          "[list_file]") {
  CHECK(ParseLabel("0") == Label(0));
  CHECK(ParseLabel("-0.0") == Label(0));
  CHECK(ParseLabel("007") == Label(7));
  CHECK(ParseLabel("9223372036854775807") == Label(INT64_MAX));
  CHECK(ParseLabel("-9223372036854775808") == Label(INT64_MIN));
  CHECK(ParseLabel("16777217.000000") == Label(16777217));
  CHECK(ParseLabel("0.1") == Label::FromReal(0.1));
  CHECK(ParseLabel("1e-3") == Label::FromReal(0.001));
  CHECK(ParseLabel("-inf") ==
        Label::FromReal(-std::numeric_limits<double>::infinity()));
  // Beyond int64: only numbers that a double holds exactly.
  CHECK(ParseLabel("9223372036854775808") == Label::FromReal(0x1p63));
  CHECK(ParseLabel("9223372036854775809") == std::nullopt);
  CHECK(ParseLabel("99999999999999999999.5") == Label::FromReal(1e20));
}

TEST_CASE("ParseLabel refuses whatever is not one decimal number",
          "[list_file]") {
  for (const char* bad :
       {"", " ", "1 2", "+1", "1,5", "0x10", "1e", "1e400", "1e-400", "nan",
        "NaN", "-nan", "nan(1)", "--1", "1.2.3", "cat", "1\r"}) {
    INFO(bad);
    CHECK(ParseLabel(bad) == std::nullopt);
  }
}

TEST_CASE("AppendListLine writes the shortest text that reads as the same",
          "[list_file]") {
  std::string text;
  const std::vector<Label> labels = {
      Label(3), Label::FromReal(0.1), Label::FromReal(1e300),
      Label::FromReal(0x1p63), Label::FromReal(-INFINITY)};
  REQUIRE(AppendListLine(7, labels, "a b.jpg", text).ok());
  REQUIRE(AppendListLine(8, {}, "c.jpg", text).ok());
  CHECK(text ==
        "7\t3\t0.1\t1e+300\t9223372036854775808\t-inf\ta b.jpg\n"
        "8\tc.jpg\n");
  CHECK(Rows(text) ==
        std::vector<Row>{{7, labels, "a b.jpg"}, {8, {}, "c.jpg"}});
}

TEST_CASE("AppendListLine refuses a path that a line cannot hold",
          "[list_file]") {
  const std::string long_path(LineReader::kMaxLine, 'x');
  for (const std::string& path :
       {std::string(), std::string("a\tb"), std::string("a\nb"),
        std::string("a\r"), std::string("a\0b", 3), long_path}) {
    std::string text = "before\n";
    const Status status = AppendListLine(1, {}, path, text);
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.where().key == path);
    CHECK(text == "before\n");
  }
}

TEST_CASE("ListWriter's file reads and writes back byte for byte",
          "[list_file]") {
  MemoryStorage storage;
  auto writer = ListWriter::Create(storage, "out.lst");
  REQUIRE(writer.ok());
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::vector<Label> labels(
        i % 4, Label::FromReal(static_cast<double>(i) / 7));
    REQUIRE(writer->Add(i * 31, labels, "dir " + std::to_string(i)).ok());
  }
  CHECK(storage.Get("out.lst").status().code() == Code::kNotFound);
  REQUIRE(writer->Publish().ok());
  const auto written = storage.Get("out.lst");
  REQUIRE(written.ok());
  REQUIRE(written->size() > 2 * (64u << 10));

  std::string again;
  for (const Row& row : Rows(*written)) {
    REQUIRE(AppendListLine(row.id, row.labels, row.path, again).ok());
  }
  CHECK(again == *written);
}

TEST_CASE("A list takes the place of lists alone", "[list_file]") {
  for (const char* list : {"", "\n\n", "1\t2\ta.jpg\n", "7 0 a.jpg\n",
                           "a.jpg 0\n", "1\t2\ta.jpg\nand more"}) {
    MemoryStorage storage;
    storage.Put("d.lst", list);
    INFO(list);
    auto writer = ListWriter::Create(storage, "d.lst");
    REQUIRE(writer.ok());
    REQUIRE(writer->Add(1, {}, "a").ok());
    REQUIRE(writer->Publish().ok());
    CHECK(*storage.Get("d.lst") == "1\ta\n");
  }
  for (const std::string& other :
       {std::string("{\"format\": \"recordio\"}\n"), std::string("# Notes\n"),
        std::string("\xff\xd8\xff\xe0\0\x10JFIF", 10), std::string("\0", 1),
        std::string(LineReader::kMaxLine + 1, 'x')}) {
    MemoryStorage storage;
    storage.Put("d.lst", other);
    const auto writer = ListWriter::Create(storage, "d.lst");
    CHECK(writer.status().code() == Code::kInvalidArgument);
    CHECK(*storage.Get("d.lst") == other);
  }
}

TEST_CASE("ListWriter leaves nothing behind when a call fails", "[list_file]") {
  for (std::uint64_t call = 0; call < 6; ++call) {
    MemoryStorage memory;
    FaultStorage storage(memory, {.call = call});
    const auto write = [&storage]() -> Status {
      auto writer = ListWriter::Create(storage, "d.lst");
      if (!writer.ok()) return writer.status();
      if (Status status = writer->Add(1, {}, "a"); !status.ok()) return status;
      return writer->Publish();
    };
    const Status status = write();
    if (!storage.struck()) {
      CHECK(call > 3);  // create, append, sync, close at least
      break;
    }
    INFO(call);
    CHECK_FALSE(status.ok());
    const auto left = memory.Get("d.lst");
    // The rename may be done when the sync of the directory fails.
    if (left.ok()) CHECK(*left == "1\ta\n");
  }
}

}  // namespace
}  // namespace shardine::list_file_test
