// PickleReader on pickles of Python (hex as pickle.dumps gives it), and on
// bytes that it must refuse.
#include "lmdb/pickle_reader.h"

#include <limits>

#include "unit/lmdb/pickle_bytes.h"

namespace shardine::pickle_reader_test {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 20;

Status StatusOf(const std::string& pickle, std::uint64_t memory = kMemory) {
  PickleReader reader(memory);
  return reader.Read(AsBytes(pickle), 1000).status();
}

// Calls `check` with the value of a pickle that must be readable.
template <typename Check>
void Read(const std::string& pickle, Check check) {
  PickleReader reader(kMemory);
  const auto value = reader.Read(AsBytes(pickle), 1000);
  REQUIRE(value.status().ToString() == "OK");
  check(*value);
}

std::string Text(const PickleValue& value) {
  return std::string(AsText(value.bytes().bytes));
}

TEST_CASE("PickleReader reads a pair of bytes and a label in protocols 3 to 5",
          "[pickle]") {
  // pickle.dumps((b"abc", 7), protocol=...); 2 is below.
  for (const char* hex :
       {"8003 4303616263 7100 4b07 86 7101 2e",
        "8004 950b00000000000000 4303616263 94 4b07 86 94 2e",
        "8005 950b00000000000000 4303616263 94 4b07 86 94 2e"}) {
    INFO(hex);
    const std::string pickle = BytesOfHex(hex);
    Read(pickle, [&](const PickleValue& pair) {
      REQUIRE(pair.kind() == PickleKind::kTuple);
      REQUIRE(pair.size() == 2);
      CHECK(Text(pair.item(0)) == "abc");
      CHECK(pair.item(0).bytes().offset == 1000 + pickle.find("abc"));
      CHECK(pair.item(1).integer() == 7);
    });
  }
}

TEST_CASE("PickleReader reads Python 3's bytes in protocol 2 without a place",
          "[pickle]") {
  // pickle.dumps((b"a\xff", 7), protocol=2)
  Read(BytesOfHex("8002 635f636f646563730a656e636f64650a 7100"
                  "5803000000 61c3bf 7101 5806000000 6c6174696e31 7102 86 7103"
                  "52 7104 4b07 86 7105 2e"),
       [](const PickleValue& pair) {
         CHECK(Text(pair.item(0)) == "a\xff");
         CHECK_FALSE(pair.item(0).bytes().offset);
         CHECK(pair.item(1).integer() == 7);
       });
  // pickle.dumps(b"", protocol=2)
  Read(BytesOfHex("8002 635f5f6275696c74696e5f5f0a62797465730a 7100 29 52"
                  "7101 2e"),
       [](const PickleValue& bytes) { CHECK(Text(bytes).empty()); });
}

TEST_CASE("PickleReader reads Python 2's strings as bytes", "[pickle]") {
  // cPickle.dumps(("ab", 1), 2)
  const std::string pickle = BytesOfHex("8002 55026162 7101 4b01 86 7102 2e");
  Read(pickle, [](const PickleValue& pair) {
    CHECK(pair.item(0).kind() == PickleKind::kBytes);
    CHECK(Text(pair.item(0)) == "ab");
    CHECK(pair.item(0).bytes().offset == 1004);
  });
}

TEST_CASE("PickleReader reads numbers of every size", "[pickle]") {
  const std::pair<std::string, std::int64_t> numbers[] = {
      {"4b00", 0},
      {"4bff", 255},
      {"4d0001", 256},
      {"4dffff", 65535},
      {"4a00000100", 65536},
      {"4affffffff", -1},
      {"8a00", 0},
      {"8a050000000080", -(std::int64_t{1} << 39)},
      {"8a0500000000 01", std::int64_t{1} << 32},
      {"8a08 ffffffffffffff7f", std::numeric_limits<std::int64_t>::max()},
      {"8a08 0000000000000080", std::numeric_limits<std::int64_t>::min()}};
  for (const auto& [hex, value] : numbers) {
    INFO(hex);
    const std::int64_t wanted = value;
    Read(BytesOfHex("8002" + hex + "2e"), [&](const PickleValue& number) {
      REQUIRE(number.kind() == PickleKind::kInt);
      CHECK(number.integer() == wanted);
    });
  }
  Read(BytesOfHex("8002 47 3fe0000000000000 2e"),
       [](const PickleValue& half) { CHECK(half.real() == 0.5); });
  CHECK(StatusOf(BytesOfHex("8002 8a09 000000000000008000 2e")).code() ==
        Code::kUnsupported);
}

TEST_CASE("PickleReader reads nested containers and shared parts", "[pickle]") {
  // {"a": [1, 2.5, None, True], "b": ("x", "x")} with a memo.
  Read(BytesOfHex("8002 7d 7100 28 5801000000 61 5d 28 4b01 47 4004000000000000"
                  "4e 88 65 5801000000 62 5801000000 78 7101 6801 86 75 2e"),
       [](const PickleValue& dict) {
         REQUIRE(dict.kind() == PickleKind::kDict);
         REQUIRE(dict.size() == 4);
         CHECK(Text(dict.item(0)) == "a");
         const PickleValue list = dict.item(1);
         REQUIRE(list.size() == 4);
         CHECK(list.item(1).real() == 2.5);
         CHECK(list.item(2).kind() == PickleKind::kNone);
         CHECK(list.item(3).integer() == 1);
         CHECK(Text(dict.item(3).item(1)) == "x");
       });
}

// An array of int16 {{1, 2, 3}, {4, 5, 6}} as NumPy pickles it.
std::string ArrayPickle(std::string_view order, std::string_view fortran,
                        std::string_view data) {
  return BytesOfHex(
      "8002 636e756d70792e636f72652e6d756c746961727261790a"
      "5f7265636f6e7374727563740a 636e756d70790a6e6461727261790a 4b00 85"
      "550162 87 52 28 4b01 4b02 4b03 86 636e756d70790a64747970650a 55026932"
      "4b00 4b01 87 52 28 4b03 5501" +
      std::string(order) + "4e 4e 4e 4affffffff 4affffffff 4b00 74 62" +
      std::string(fortran) + "550c" + std::string(data) + "74 62 2e");
}

TEST_CASE("PickleReader gives arrays in C order and little-endian",
          "[pickle][numpy]") {
  const std::string wanted = BytesOfHex("010002000300040005000600");
  const auto check = [&](const std::string& pickle, bool in_place) {
    Read(pickle, [&](const PickleValue& value) {
      REQUIRE(value.kind() == PickleKind::kArray);
      const PickleArray& array = value.array();
      CHECK(array.dtype == "<i2");
      CHECK(array.shape == std::vector<std::uint64_t>{2, 3});
      CHECK(AsText(array.data.bytes) == wanted);
      CHECK(array.data.offset.has_value() == in_place);
      if (in_place) {
        CHECK(array.data.offset == 1000 + pickle.find(wanted));
      }
    });
  };
  check(ArrayPickle("3c", "89", "010002000300040005000600"), true);
  check(ArrayPickle("3c", "88", "010004000200050003000600"), false);
  check(ArrayPickle("3e", "89", "000100020003000400050006"), false);
  check(ArrayPickle("3e", "88", "000100040002000500030006"), false);
}

TEST_CASE("PickleReader refuses an array whose parts contradict each other",
          "[pickle][numpy][corruption]") {
  const std::string good = ArrayPickle("3c", "89", "010002000300040005000600");
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string pickle = good;
    const std::size_t at = pickle.find(BytesOfHex(from));
    REQUIRE(at != pickle.npos);
    pickle.replace(at, BytesOfHex(from).size(), BytesOfHex(to));
    return StatusOf(pickle);
  };
  // Dimensions: 2 x 4, -2 x 3, 2^62 x 2^62.
  CHECK(changed("4b024b03", "4b024b04").code() == Code::kCorrupt);
  CHECK(changed("4b024b03", "4afeffffff4b03").code() == Code::kCorrupt);
  CHECK(
      changed("4b024b03", "8a080000000000000040 8a080000000000000040").code() ==
      Code::kCorrupt);
  // Byte orders that int16 cannot have.
  CHECK(changed("55013c", "55017c").code() == Code::kCorrupt);
  CHECK(changed("55013c", "55013d").code() == Code::kCorrupt);
  // Objects; fields; a subclass.
  CHECK(changed("55026932", "55024f38").message().find("\"O8\"") !=
        std::string::npos);
  CHECK(changed("3c4e4e", "3c4e29").code() == Code::kUnsupported);
  CHECK(changed("6e6461727261790a", "6d61747269780a").code() ==
        Code::kUnsupported);
}

TEST_CASE("PickleReader refuses by name all that runs code",
          "[pickle][corruption]") {
  const std::pair<std::string, std::string> refused[] = {
      {"8002 636f730a73797374656d0a 5801000000 61 85 52 2e", "os.system"},
      {"8004 8c026f73 8c0673797374656d 93 2e", "os.system"},
      {"8002 28 69 6f730a73797374656d0a 2e", "INST"},
      {"8002 4b01 51 2e", "BINPERSID"},
      {"8002 8201 2e", "EXT1"},
      {"8002 29 81 2e", "NEWOBJ"},
      {"8002 5d 7d 62 2e", "BUILD"},
      {"28 4e 6f 2e", "OBJ"},
      {"28 50310a 74 2e", "PERSID"},
      {"80 06 4e 2e", "protocol 6"},
      {"8002 636e756d70790a6e6461727261790a 29 52 2e", "no NumPy array"},
      {"8002 ff 2e", "0xff"}};
  for (const auto& [hex, word] : refused) {
    INFO(hex);
    const Status status = StatusOf(BytesOfHex(hex));
    CHECK(status.code() == Code::kUnsupported);
    CHECK_THAT(status.message(), Catch::Contains(word));
    CHECK(status.where().offset >= 1000U);
  }
}

TEST_CASE("PickleReader rejects pickles that make no sense",
          "[pickle][corruption]") {
  for (const char* hex : {"",
                          "8002",
                          "8002 2e",
                          "4e",
                          "4e 2e 4e",
                          "4e 4e 2e",
                          "28 4e 2e",
                          "4303 6162 2e",
                          "42 ffffffff 61 2e",
                          "8e ffffffffffffffff 61 2e",
                          "95 ffffffffffffffff 4e 2e",
                          "85 2e",
                          "4e 86 2e",
                          "74 2e",
                          "65 2e",
                          "61 2e",
                          "5d 61 2e",
                          "4e 4e 61 2e",
                          "28 4e 65 2e",
                          "4e 28 4e 65 2e",
                          "7d 28 4e 75 2e",
                          "5d 28 4e 4e 75 2e",
                          "4e 73 2e",
                          "6800 2e",
                          "94 2e",
                          "4b",
                          "4d01",
                          "8a05 01 2e",
                          "52 2e",
                          "4e 4e 52 2e",
                          "62 2e",
                          "636f73",
                          "4e 4e 93 2e",
                          "28 28 4e 28 2e",
                          "28 5d 4e 28 61 2e"}) {
    INFO(hex);
    CHECK(StatusOf(BytesOfHex(hex)).code() == Code::kCorrupt);
  }
  // Deeper nesting and higher numbers than a reader takes.
  CHECK(StatusOf(std::string(65, '(') + "N.").code() == Code::kUnsupported);
  CHECK(StatusOf(BytesOfHex("4e 7105 2e")).code() == Code::kUnsupported);
}

TEST_CASE("PickleReader holds no more memory than it may", "[pickle]") {
  // Each byte an object.
  const std::string nones = "(" + std::string(100'000, 'N') + "t.";
  CHECK(StatusOf(nones, 1 << 24).ok());
  const Status status = StatusOf(nones, 1 << 20);
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Catch::Contains("1048576 bytes of memory"));
  // A reader works as before afterwards.
  PickleReader reader(1 << 20);
  CHECK_FALSE(reader.Read(AsBytes(nones), 0).ok());
  CHECK(reader.Read(AsBytes("N."), 0).ok());
}

TEST_CASE("PickleReader lets a list hold itself", "[pickle]") {
  Read(BytesOfHex("8002 5d 7100 6800 61 2e"), [](const PickleValue& list) {
    REQUIRE(list.size() == 1);
    CHECK(list.item(0).item(0).item(0).size() == 1);
  });
}

TEST_CASE("PickleReader survives any byte anywhere", "[pickle][corruption]") {
  const std::string good = ArrayPickle("3e", "88", "000100040002000500030006");
  for (std::size_t at = 0; at < good.size(); ++at) {
    CHECK_FALSE(StatusOf(good.substr(0, at)).ok());
    for (int byte = 0; byte < 256; ++byte) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(byte);
      const Status status = StatusOf(damaged);
      if (status.ok()) continue;
      CHECK((status.code() == Code::kCorrupt ||
             status.code() == Code::kUnsupported));
      CHECK(status.where().offset < 1000 + good.size() + 1);
    }
  }
}

}  // namespace
}  // namespace shardine::pickle_reader_test
