// Values of msgpack and msgpack-numpy, whole and damaged.
#include "lmdb/msgpack_reader.h"

#include <limits>

#include "unit/lmdb/damaged_value.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::msgpack_reader_test {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 20;

// Reads `hex` and checks the value; returns the failure, if any.
template <typename Check>
Status Reading(const std::string& hex, const Check& check) {
  const std::string bytes = BytesOfHex(hex);
  MsgpackReader reader(kMemory);
  const auto value = reader.Read(AsBytes(bytes), 1000);
  if (value.ok()) check(*value);
  return value.status();
}

Status StatusOf(const std::string& hex) {
  return Reading(hex, [](const PickleValue&) {});
}

TEST_CASE("MsgpackReader reads integers of every size", "[lmdb][msgpack]") {
  const std::pair<std::string, std::int64_t> numbers[] = {
      {"00", 0},
      {"7f", 127},
      {"ff", -1},
      {"e0", -32},
      {"cc ff", 255},
      {"cd 0100", 256},
      {"ce 80000000", 2147483648},
      {"cf 7fffffffffffffff", std::numeric_limits<std::int64_t>::max()},
      {"d0 80", -128},
      {"d1 8000", -32768},
      {"d2 80000000", -2147483648LL},
      {"d3 8000000000000000", std::numeric_limits<std::int64_t>::min()}};
  for (const auto& [hex, number] : numbers) {
    INFO(hex);
    const Status status =
        Reading(hex, [&, expected = number](const PickleValue& value) {
          REQUIRE(value.kind() == PickleKind::kInt);
          CHECK(value.integer() == expected);
        });
    CHECK(status.ToString() == "OK");
  }
  CHECK(StatusOf("cf 8000000000000000").code() == Code::kUnsupported);
}

TEST_CASE("MsgpackReader reads reals, nil and booleans", "[lmdb][msgpack]") {
  const auto real = [](double wanted) {
    return [=](const PickleValue& value) {
      REQUIRE(value.kind() == PickleKind::kFloat);
      CHECK(value.real() == wanted);
    };
  };
  CHECK(Reading("ca 3fc00000", real(1.5)).ok());
  CHECK(Reading("cb c004000000000000", real(-2.5)).ok());
  CHECK(Reading("93 c0 c2 c3", [](const PickleValue& list) {
          REQUIRE(list.size() == 3);
          CHECK(list.item(0).kind() == PickleKind::kNone);
          CHECK(list.item(1).integer() == 0);
          CHECK(list.item(2).integer() == 1);
        }).ok());
}

TEST_CASE("MsgpackReader leaves bytes and texts where they lie",
          "[lmdb][msgpack]") {
  for (const char* head : {"a3", "d9 03", "da 0003", "db 00000003", "c4 03",
                           "c5 0003", "c6 00000003"}) {
    const std::string hex = std::string("91") + head + "6a7067";
    const std::size_t size = BytesOfHex(hex).size();
    INFO(hex);
    CHECK(Reading(hex, [&](const PickleValue& list) {
            const PickleBytes bytes = list.item(0).bytes();
            CHECK(AsText(bytes.bytes) == "jpg");
            CHECK(bytes.offset == 1000 + size - 3);
          }).ok());
  }
}

TEST_CASE("msgpack-numpy's maps are arrays and numbers", "[lmdb][msgpack]") {
  // {b"nd": True, b"type": "<i2", b"kind": b"", b"shape": [2], b"data": ...}
  const std::string array =
      "85 c4026e64c3 c40474797065a33c6932 c4046b696e64c400 c405736861706591";
  CHECK(Reading(array + "02 c40464617461c40401000200",
                [](const PickleValue& value) {
                  REQUIRE(value.kind() == PickleKind::kArray);
                  CHECK(value.array().dtype == "<i2");
                  CHECK(value.array().shape == std::vector<std::uint64_t>{2});
                  CHECK(value.array().data.offset);
                })
            .ok());
  // Parsers review 15: of equal keys Python has the last.
  std::string twice = array;
  twice.replace(0, 2, "86 c40474797065a33c6638");
  CHECK(Reading(twice + "02 c40464617461c40401000200",
                [](const PickleValue& value) {
                  REQUIRE(value.kind() == PickleKind::kArray);
                  CHECK(value.array().dtype == "<i2");
                })
            .ok());
  CHECK(StatusOf(array + "03 c40464617461c40401000200").code() ==
        Code::kCorrupt);
  CHECK(StatusOf(array + "ff c40464617461c40401000200").code() ==
        Code::kCorrupt);
  // {b"nd": False, b"type": "<f4", b"data": ...}
  const std::string number = "83 c4026e64c2 c40474797065a33c6634 c40464617461";
  CHECK(Reading(number + "c404 00002040", [](const PickleValue& value) {
          REQUIRE(value.kind() == PickleKind::kFloat);
          CHECK(value.real() == 2.5);
        }).ok());
  CHECK(StatusOf(number + "c403 000020").code() == Code::kCorrupt);
  // Objects are pickled; a map of somebody's own with other names is a map.
  CHECK(StatusOf("83 a26e64c3 a474797065a27c4f a464617461c400").code() ==
        Code::kUnsupported);
  CHECK(Reading("82 a26e64c3 a46b696e6400", [](const PickleValue& value) {
          CHECK(value.kind() == PickleKind::kDict);
        }).ok());
}

TEST_CASE("MsgpackReader refuses what is cut, goes on or is no data",
          "[lmdb][msgpack][corruption]") {
  for (const char* hex : {"", "92", "92 01", "c4", "c4 05 6a", "cd 01",
                          "dd ffffffff", "df 7fffffff 01", "91 01 02", "db"}) {
    INFO(hex);
    const Status status = StatusOf(hex);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().offset >= 1000U);
  }
  for (const char* hex : {"c1", "c7 00 01", "d4 01 00", "d8"}) {
    INFO(hex);
    CHECK(StatusOf(hex).code() == Code::kUnsupported);
  }
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "91";
  CHECK(StatusOf(deep + "00").message() ==
        "msgpack nested deeper than 32 levels");
}

TEST_CASE("Each byte of a msgpack value may be any other",
          "[lmdb][msgpack][corruption]") {
  const std::string whole = BytesOfHex(
      "92 85 c4026e64c3 c40474797065a33c6932 c4046b696e64c400 "
      "c40573686170659102 c40464617461c40401000200 83 c4026e64c2 "
      "c40474797065a33c6634 c40464617461c40400002040");
  MsgpackReader reader(1 << 16);
  REQUIRE(reader.Read(AsBytes(whole), 1000).ok());
  CheckEachDamage(reader, whole);
}

TEST_CASE("MsgpackReader takes no more memory than it is given",
          "[lmdb][msgpack][corruption]") {
  const std::string many = "\xdc\x20\x01" + std::string(0x2001, '\x01');
  MsgpackReader reader(1 << 12);
  CHECK_THAT(reader.Read(AsBytes(many), 0).status().message(),
             Catch::Contains("more than 4096 bytes of memory"));
}

}  // namespace
}  // namespace shardine::msgpack_reader_test
