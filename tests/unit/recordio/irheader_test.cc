#include "recordio/irheader.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "unit/recordio/record_bytes.h"

namespace shardine::irheader_test {
namespace {

std::string PrefixOf(std::uint64_t id, const std::vector<Label>& labels) {
  std::string bytes;
  AppendRecordPrefix(id, labels, bytes);
  return bytes;
}

struct Parsed {
  std::uint64_t id = 0;
  std::size_t bytes = 0;
  std::vector<Label> labels;
};

Parsed MustParse(const std::string& record) {
  Parsed parsed;
  // The labels from before are replaced.
  parsed.labels = {Label(99)};
  const auto prefix = ParseRecordPrefix(AsBytes(record), parsed.labels);
  REQUIRE(prefix.ok());
  parsed.id = prefix->id;
  parsed.bytes = prefix->bytes;
  return parsed;
}

// Expected bytes: Python's struct.pack("<IfQQ", ...).
TEST_CASE("AppendRecordPrefix puts one label into the header", "[recordio]") {
  CHECK(PrefixOf(7, {Label(3)}) ==
        FromHex("00000000 00004040 0700000000000000 0000000000000000"));
  CHECK(PrefixOf(0, {Label::FromReal(-0.5)}) ==
        FromHex("00000000 000000bf 0000000000000000 0000000000000000"));
}

TEST_CASE("AppendRecordPrefix puts several labels behind the header",
          "[recordio]") {
  CHECK(PrefixOf(0x0102030405060708, {Label(1), Label::FromReal(0.25)}) ==
        FromHex("02000000 00000000 0807060504030201 0000000000000000"
                "0000803f 0000803e"));
}

TEST_CASE("AppendRecordPrefix writes no label as NaN", "[recordio]") {
  CHECK(PrefixOf(1, {}) ==
        FromHex("00000000 0000c07f 0100000000000000 0000000000000000"));
  CHECK(MustParse(PrefixOf(1, {})).labels.empty());
}

TEST_CASE("AppendRecordPrefix rounds labels to the nearest float32",
          "[recordio]") {
  const std::vector<std::pair<Label, Label>> cases = {
      {Label(1 << 24), Label(1 << 24)},
      {Label((1 << 24) + 1), Label(1 << 24)},
      {Label((1 << 24) + 3), Label((1 << 24) + 4)},
      {Label::FromReal(0.1), Label::FromReal(static_cast<double>(0.1F))},
      {Label::FromReal(1e300),
       Label::FromReal(std::numeric_limits<double>::infinity())},
      // By way of a double this integer would be rounded twice, to 2^60.
      {Label((std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1),
       Label((std::int64_t{1} << 60) + (std::int64_t{1} << 37))},
  };
  for (const auto& [label, stored] : cases) {
    CHECK(MustParse(PrefixOf(0, {label})).labels == std::vector{stored});
    CHECK(MustParse(PrefixOf(0, {label, label})).labels ==
          std::vector{stored, stored});
  }
}

TEST_CASE("ParseRecordPrefix inverts AppendRecordPrefix", "[recordio]") {
  for (std::int64_t count = 0; count < 40; ++count) {
    std::vector<Label> labels;
    for (std::int64_t i = 0; i < count; ++i) {
      labels.push_back(Label::FromReal(0.5 * static_cast<double>(i - 3)));
    }
    const std::uint64_t id = ~static_cast<std::uint64_t>(count);
    const std::string prefix = PrefixOf(id, labels);
    CHECK(prefix.size() % 4 == 0);
    const Parsed parsed = MustParse(prefix + "image");
    CHECK(parsed.id == id);
    CHECK(parsed.bytes == prefix.size());
    CHECK(parsed.labels == labels);
  }
}

TEST_CASE("ParseRecordPrefix takes packed labels for those of the header",
          "[recordio]") {
  std::string record;
  AppendIrHeader({.flag = 1, .label = 5, .id = 2, .id2 = 9}, record);
  AppendLe(8.0F, record);
  const Parsed parsed = MustParse(record);
  CHECK(parsed.labels == std::vector{Label(8)});
  CHECK(parsed.id == 2);
  CHECK(parsed.bytes == 28);
}

TEST_CASE("ParseRecordPrefix rejects what is shorter than the header",
          "[recordio][corruption]") {
  const std::string header = PrefixOf(1, {Label(1)});
  std::vector<Label> labels;
  for (std::size_t size = 0; size < header.size(); ++size) {
    const auto prefix = ParseRecordPrefix(AsBytes(header).first(size), labels);
    CHECK(prefix.status().code() == Code::kCorrupt);
    CHECK_THAT(prefix.status().message(),
               Catch::StartsWith("a record of " + std::to_string(size)));
  }
}

TEST_CASE("ParseRecordPrefix rejects more labels than the record holds",
          "[recordio][corruption]") {
  std::vector<Label> labels;
  for (const std::uint32_t flag : {3U, 0x40000000U, 0xffffffffU}) {
    std::string record;
    AppendIrHeader({.flag = flag}, record);
    record.append(11, 'x');
    const auto prefix = ParseRecordPrefix(AsBytes(record), labels);
    CHECK(prefix.status().code() == Code::kCorrupt);
    CHECK_THAT(prefix.status().message(),
               Catch::StartsWith(std::to_string(flag) + " labels"));
  }
}

TEST_CASE("ParseRecordPrefix refuses NaN among packed labels",
          "[recordio][corruption]") {
  std::string record;
  AppendIrHeader({.flag = 2}, record);
  AppendLe(1.0F, record);
  AppendLe(std::numeric_limits<float>::quiet_NaN(), record);
  std::vector<Label> labels;
  const Status status = ParseRecordPrefix(AsBytes(record), labels).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() == "label 1 is not a number");
}

TEST_CASE("LoadIrHeader reads every field", "[recordio]") {
  std::string bytes;
  AppendIrHeader({.flag = 3, .label = 0.5F, .id = ~0ULL, .id2 = 1ULL << 63},
                 bytes);
  REQUIRE(bytes.size() == kIrHeaderBytes);
  const IrHeader header = LoadIrHeader(AsBytes(bytes).data());
  CHECK(header.flag == 3);
  CHECK(header.label == 0.5F);
  CHECK(header.id == ~0ULL);
  CHECK(header.id2 == 1ULL << 63);
}

}  // namespace
}  // namespace shardine::irheader_test
