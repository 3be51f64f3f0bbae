#include "archive/pax_header.h"

#include "unit/archive/tar_blocks.h"

namespace shardine::pax_header_test {
namespace {

TEST_CASE("ParsePaxRecords reads path and size and passes over the rest",
          "[webdataset][tar]") {
  PaxValues values;
  REQUIRE(ParsePaxRecords(PaxRecord("mtime", "1.5") +
                              PaxRecord("path", "a=b\nc") +
                              PaxRecord("size", "12345678901") +
                              PaxRecord("SCHILY.xattr.x", std::string(3, '\0')),
                          values)
              .ok());
  CHECK(values.path == "a=b\nc");
  CHECK(values.size == 12345678901);
}

TEST_CASE("ParsePaxRecords lets a later record win, and an empty one undo",
          "[webdataset][tar]") {
  PaxValues values;
  REQUIRE(
      ParsePaxRecords(PaxRecord("path", "a") + PaxRecord("path", "b"), values)
          .ok());
  CHECK(values.path == "b");
  REQUIRE(ParsePaxRecords(PaxRecord("path", "") + PaxRecord("size", ""), values)
              .ok());
  CHECK_FALSE(values.path.has_value());
  CHECK_FALSE(values.size.has_value());
  CHECK(ParsePaxRecords("", values).ok());
}

TEST_CASE("ParsePaxRecords refuses what is no record",
          "[webdataset][tar][corruption]") {
  for (const std::string& records :
       {std::string("x"), std::string(512, '\0'), std::string("8 path=a"),
        std::string("9 path=a"), std::string("11 path=a\n"),
        std::string("8 path=a\n"), std::string("9 pathxa\n"),
        std::string("99 path=a\n"), std::string("-9 path=a\n"),
        std::string("0 path=a\n"), std::string("1 path=a\n"),
        std::string("2 \n"), std::string(" path=a\n"),
        std::string("18446744073709551615 path=a\n"),
        std::string("99999999999999999999999 path=a\n"),
        PaxRecord("size", "12x"), PaxRecord("size", "-1"),
        PaxRecord("size", "9223372036854775808"),
        PaxRecord("path", "a") + "rest"}) {
    PaxValues values;
    INFO(records);
    CHECK(ParsePaxRecords(records, values).code() == Code::kCorrupt);
  }
}

TEST_CASE("ParsePaxRecords refuses sparse files by name", "[webdataset][tar]") {
  PaxValues values;
  const Status status =
      ParsePaxRecords(PaxRecord("GNU.sparse.major", "1"), values);
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message().find("sparse") != std::string::npos);
}

TEST_CASE("AppendPaxRecord counts its own digits", "[webdataset][tar]") {
  for (std::size_t size = 0; size < 1200; ++size) {
    std::string record;
    AppendPaxRecord("path", std::string(size, 'p'), record);
    REQUIRE(record == PaxRecord("path", std::string(size, 'p')));
    PaxValues values;
    REQUIRE(ParsePaxRecords(record, values).ok());
    if (size > 0) REQUIRE(values.path->size() == size);
  }
}

// Parsers review 10: GNU tar and Python's tarfile read on.
// parsers review 10, and the next one.
TEST_CASE("NULs may follow the records of a pax header", "[webdataset][pax]") {
  using namespace std::string_literals;
  PaxValues values;
  CHECK(
      ParsePaxRecords("14 path=a.jpg\n"s + std::string(5, '\0'), values).ok());
  CHECK(values.path == "a.jpg");
  CHECK(ParsePaxRecords(std::string(5, '\0'), values).code() == Code::kCorrupt);
  CHECK(ParsePaxRecords("\0x"s, values).code() == Code::kCorrupt);
}

TEST_CASE("An empty value takes back what a global header says",
          "[webdataset][pax]") {
  PaxValues values;
  REQUIRE(ParsePaxRecords("9 path=a\n", values).ok());
  CHECK_FALSE(values.takes_back_path);
  REQUIRE(ParsePaxRecords("8 path=\n8 size=\n", values).ok());
  CHECK(values.takes_back_path);
  CHECK(values.takes_back_size);
  CHECK_FALSE(values.path);
  REQUIRE(ParsePaxRecords("9 path=b\n", values).ok());
  CHECK_FALSE(values.takes_back_path);
}

}  // namespace
}  // namespace shardine::pax_header_test
