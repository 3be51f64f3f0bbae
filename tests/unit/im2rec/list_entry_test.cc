#include "im2rec/list_entry.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

namespace shardine::list_entry_test {
namespace {

std::string MessageOf(const Result<ImageListEntry>& result) {
  REQUIRE_FALSE(result.ok());
  CHECK(result.status().code() == Code::kCorrupt);
  return result.status().message();
}

TEST_CASE("ParseCppLine takes id, label and the rest as path", "[im2rec]") {
  const auto entry = ParseCppLine("7\t2.500000\tn01/a b.jpg", 1, false);
  REQUIRE(entry.ok());
  CHECK(entry->id == 7);
  CHECK(entry->label == 2.5f);
  CHECK(entry->packed.empty());
  CHECK(entry->path == "n01/a b.jpg");
}

TEST_CASE("ParseCppLine accepts any white space between the numbers",
          "[im2rec]") {
  const auto entry = ParseCppLine(" 7 \v 2 \t\t x\ty.jpg", 1, false);
  REQUIRE(entry.ok());
  CHECK(entry->id == 7);
  CHECK(entry->label == 2);
  CHECK(entry->path == "x\ty.jpg");
}

TEST_CASE("ParseCppLine trims white space and control bytes behind the path",
          "[im2rec]") {
  CHECK(ParseCppLine("1 0 a.jpg \t\x01\x7f", 1, false)->path == "a.jpg");
  // Bytes of UTF-8 stay, unlike in the original.
  CHECK(ParseCppLine("1 0 caf\xc3\xa9", 1, false)->path == "caf\xc3\xa9");
}

TEST_CASE("ParseCppLine keeps the first label in the header when it packs all",
          "[im2rec]") {
  const auto packed = ParseCppLine("1 4 5 6 a.jpg", 3, true);
  REQUIRE(packed.ok());
  CHECK(packed->label == 4);
  CHECK(packed->packed == std::vector<float>{4, 5, 6});
  CHECK(packed->path == "a.jpg");
  const auto first = ParseCppLine("1 4 5 6 a.jpg", 3, false);
  REQUIRE(first.ok());
  CHECK(first->label == 4);
  CHECK(first->packed.empty());
}

TEST_CASE("A line tells of labels that its record lacks", "[im2rec]") {
  CHECK(ParseCppLine("1 4 5 6 a.jpg", 3, false)->dropped == 2);
  CHECK(ParseCppLine("1 4 5 6 a.jpg", 3, true)->dropped == 0);
  CHECK(ParsePythonLine("1\t4\t5\ta.jpg", false)->dropped == 1);
  CHECK(ParsePythonLine("1\t4\t5\ta.jpg", true)->dropped == 0);
  CHECK(ParsePythonLine("1\t4\ta.jpg", false)->dropped == 0);
}

TEST_CASE("A line tells of the first whole number that float32 rounds",
          "[im2rec]") {
  const auto rounded = [](const std::string& labels, bool pack_label) {
    const auto entry = ParsePythonLine("1\t" + labels + "\ta.jpg", pack_label);
    REQUIRE(entry.ok());
    return entry->rounded;
  };
  CHECK(rounded("16777217", false) == "16777217 becomes 16777216");
  CHECK(rounded("-16777217.0", false) == "-16777217.0 becomes -16777216");
  CHECK(rounded("16777216", false) == "");
  CHECK(rounded("0.1", false) == "");
  CHECK(rounded("1e30", false) ==
        "1e30 becomes 1000000015047466219876688855040");
  CHECK(rounded("inf", false) == "");
  // A label that is not stored changes nothing.
  CHECK(rounded("1\t16777217", false) == "");
  CHECK(rounded("1\t16777217\t33554433", true) == "16777217 becomes 16777216");
  CHECK(ParseCppLine("1 16777219 a.jpg", 1, false)->rounded ==
        "16777219 becomes 16777220");
}

TEST_CASE("ParseCppLine leaves labels beyond label_width to the path",
          "[im2rec]") {
  CHECK(ParseCppLine("1 4 5 a.jpg", 1, false)->path == "5 a.jpg");
}

TEST_CASE("ParseCppLine names what is wrong with a line", "[im2rec]") {
  const auto parse = [](std::string_view line) {
    return MessageOf(ParseCppLine(line, 2, false));
  };
  CHECK(parse("x 0 0 a") ==
        "the id \"x\" is not a decimal number without sign");
  CHECK(parse("-1 0 0 a") ==
        "the id \"-1\" is not a decimal number without sign");
  CHECK(parse("1.5 0 0 a") ==
        "the id \"1.5\" is not a decimal number without sign");
  CHECK(parse("18446744073709551616 0 0 a") ==
        "the id \"18446744073709551616\" is not below 2^64");
  CHECK(parse("1 zero 0 a") == "the label \"zero\" is not a number");
  CHECK(parse("1 0 0a.jpg x") == "the label \"0a.jpg\" is not a number");
  CHECK(parse("1 nan 0 a") == "the label \"nan\" is not a number");
  CHECK(parse("1 0 1e39 a") == "the label \"1e39\" is out of float32's range");
  CHECK(parse("1") == "the line has 0 labels, not 2");
  CHECK(parse("1 0") == "the line has 1 labels, not 2");
  CHECK(parse("1 0 0 ") == "the line has no path");
  CHECK(parse(std::string_view("1 0 0 a\0b", 9)) ==
        "the path \"a\\x00b\" holds a zero byte");
}

TEST_CASE("ParsePythonLine takes the last field between tabs as path",
          "[im2rec]") {
  const auto entry = ParsePythonLine("3\t1.000000\tn01/a b.jpg", false);
  REQUIRE(entry.ok());
  CHECK(entry->id == 3);
  CHECK(entry->label == 1);
  CHECK(entry->packed.empty());
  CHECK(entry->path == "n01/a b.jpg");
  CHECK(ParsePythonLine(" 3 \t +1 \t a.jpg \x1f", false)->path == "a.jpg");
}

TEST_CASE("ParsePythonLine stores zero in the header when it packs labels",
          "[im2rec]") {
  const auto packed = ParsePythonLine("1\t4\t5\ta.jpg", true);
  REQUIRE(packed.ok());
  CHECK(packed->label == 0);
  CHECK(packed->packed == std::vector<float>{4, 5});
}

TEST_CASE("ParsePythonLine packs a single label into the header alone",
          "[im2rec]") {
  const auto entry = ParsePythonLine("1\t4\ta.jpg", true);
  REQUIRE(entry.ok());
  CHECK(entry->label == 4);
  CHECK(entry->packed.empty());
}

TEST_CASE("ParsePythonLine keeps the first label without pack-label",
          "[im2rec]") {
  const auto entry = ParsePythonLine("1\t4\t5\ta.jpg", false);
  REQUIRE(entry.ok());
  CHECK(entry->label == 4);
  CHECK(entry->packed.empty());
}

TEST_CASE(
    "ParsePythonLine rounds a label through double, ParseCppLine does "
    "not",
    "[im2rec]") {
  // Just above the middle between 1 and the next float32: as a double it lies
  // on the middle, which rounds to even.
  const std::string label = "1.00000005960464477540";
  CHECK(ParsePythonLine("1\t" + label + "\ta", false)->label == 1.0f);
  CHECK(ParseCppLine("1 " + label + " a", 1, false)->label ==
        1.0f + std::numeric_limits<float>::epsilon());
}

TEST_CASE("Labels too small for float32 become zero or denormal", "[im2rec]") {
  for (const std::string label : {"1e-46", "1e-400"}) {
    CHECK(ParseCppLine("1 " + label + " a", 1, false)->label == 0.0f);
    CHECK(ParsePythonLine("1\t" + label + "\ta", false)->label == 0.0f);
  }
  CHECK(ParseCppLine("1 1e-40 a", 1, false)->label == 1e-40f);
  CHECK(ParsePythonLine("1\t1e-40\ta", false)->label == 1e-40f);
}

TEST_CASE("ParsePythonLine accepts an infinity and the ends of float32",
          "[im2rec]") {
  CHECK(ParsePythonLine("1\t-inf\ta", false)->label ==
        -std::numeric_limits<float>::infinity());
  CHECK(ParsePythonLine("1\t3.4028234e38\ta", false)->label ==
        std::numeric_limits<float>::max());
}

TEST_CASE("ParsePythonLine names what is wrong with a line", "[im2rec]") {
  const auto parse = [](std::string_view line) {
    return MessageOf(ParsePythonLine(line, true));
  };
  CHECK(parse("1 0 a.jpg") ==
        "the line has 1 fields between tabs; id, label and path are needed");
  CHECK(parse("1\ta.jpg") ==
        "the line has 2 fields between tabs; id, label and path are needed");
  CHECK(parse("one\t0\ta") ==
        "the id \"one\" is not a decimal number without sign");
  CHECK(parse("+-1\t0\ta") ==
        "the id \"+-1\" is not a decimal number without sign");
  CHECK(parse("1\t\ta") == "the label \"\" is not a number");
  CHECK(parse("1\t0\tb\ta") == "the label \"b\" is not a number");
  CHECK(parse("1\t3.5e38\ta") ==
        "the label \"3.5e38\" is out of float32's range");
  CHECK(parse("1\tNaN\ta") == "the label \"NaN\" is not a number");
  // A path that is only white space is stripped away with the line's end.
  CHECK(parse("1\t0\t ") ==
        "the line has 2 fields between tabs; id, label and path are needed");
}

}  // namespace
}  // namespace shardine::list_entry_test
