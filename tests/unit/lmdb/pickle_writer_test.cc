// PickleWriter byte for byte against pickle.dumps(..., protocol=4) of CPython
// 3.11. The interop tests compare many more.
#include "lmdb/pickle_writer.h"

#include <limits>

#include "lmdb/key_list.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::pickle_writer_test {
namespace {

// (bytes, label) as lmdb/folder2lmdb writes it.
std::string Pair(const std::string& image, std::int64_t label) {
  SplicedBytes bytes;
  PickleWriter pickle(bytes);
  pickle.Bytes(AsBytes(image));
  pickle.Op(kOpMemoize);
  pickle.Int(label);
  pickle.Op(kOpTuple2);
  pickle.Op(kOpMemoize);
  pickle.Finish();
  return bytes.ToString();
}

TEST_CASE("PickleWriter frames a pair as CPython does at every size",
          "[pickle]") {
  CHECK(Pair("abc", 7) ==
        BytesOfHex("8004 950b00000000000000 4303616263 94 4b07 86 94 2e"));
  CHECK(Pair("", 0) ==
        BytesOfHex("8004 950800000000000000 4300 94 4b00 86 94 2e"));
  const auto image = [](std::size_t size) { return std::string(size, 'x'); };
  CHECK(Pair(image(256), 256) ==
        BytesOfHex("8004 950c01000000000000 4200010000") + image(256) +
            BytesOfHex("94 4d0001 86 94 2e"));
  CHECK(Pair(image(65529), 1) ==
        BytesOfHex("8004 950400010000000000 42f9ff0000") + image(65529) +
            BytesOfHex("94 4b01 86 94 2e"));
  // The first frame is full before the label.
  CHECK(Pair(image(65530), 1) ==
        BytesOfHex("8004 950000010000000000 42faff0000") + image(65530) +
            BytesOfHex("94 950500000000000000 4b01 86 94 2e"));
  // Outside of any frame.
  CHECK(Pair(image(65536), 1) ==
        BytesOfHex("8004 4200000100") + image(65536) +
            BytesOfHex("950600000000000000 94 4b01 86 94 2e"));
}

TEST_CASE("PickleWriter writes numbers as CPython does", "[pickle]") {
  const auto number = [](std::int64_t value) {
    return Pickled([&](PickleWriter& pickle) { pickle.Int(value); });
  };
  // Three bytes are not worth a frame.
  CHECK(number(255) == BytesOfHex("8004 4bff 2e"));
  CHECK(number(256) == BytesOfHex("8004 950400000000000000 4d0001 2e"));
  CHECK(number(65536) == BytesOfHex("8004 950600000000000000 4a00000100 2e"));
  CHECK(number(-1) == BytesOfHex("8004 950600000000000000 4affffffff 2e"));
  CHECK(number(std::int64_t{1} << 31) ==
        BytesOfHex("8004 950800000000000000 8a050000008000 2e"));
  CHECK(number(-(std::int64_t{1} << 31) - 1) ==
        BytesOfHex("8004 950800000000000000 8a05ffffff7fff 2e"));
  CHECK(number(-(std::int64_t{1} << 39)) ==
        BytesOfHex("8004 950800000000000000 8a050000000080 2e"));
  CHECK(number(std::numeric_limits<std::int64_t>::min()) ==
        BytesOfHex("8004 950b00000000000000 8a080000000000000080 2e"));
  CHECK(Pickled([](PickleWriter& pickle) { pickle.Float(0.5); }) ==
        BytesOfHex("8004 950a00000000000000 473fe0000000000000 2e"));
}

TEST_CASE("KeyList is the pickle of a list of any length", "[pickle]") {
  const auto list = [](std::size_t count) {
    KeyList keys;
    for (std::size_t i = 0; i < count; ++i) keys.Add(std::to_string(i));
    return keys.Finish().ToString();
  };
  CHECK(list(0) == BytesOfHex("8004 5d94 2e"));
  CHECK(list(1) == BytesOfHex("8004 950800000000000000 5d94 430130 94 61 2e"));
  CHECK(list(2) == BytesOfHex("8004 950d00000000000000 5d94 28 430130 94"
                              "430131 94 65 2e"));
  // A batch of 1000, and one of a single key: with MARK all the same.
  CHECK(list(1000).substr(11 + 2, 5) == BytesOfHex("28 430130 94"));
  CHECK(list(1000).ends_with(BytesOfHex("4303393939 94 65 2e")));
  CHECK(list(1001).ends_with(
      BytesOfHex("4303393939 94 65 28 430431303030 94 65 2e")));
  // Frames of 64 KiB, each up to the key that fills it.
  const std::string many = list(12'000);
  REQUIRE(many.size() > 65536 + 20);
  const auto first = LoadLe<std::uint64_t>(AsBytes(many).data() + 3);
  CHECK(first >= 65536);
  CHECK(first < 65536 + 9);
  CHECK(many[static_cast<std::size_t>(11 + first)] == '\x95');
}

TEST_CASE("PickleReader reads back every array that PickleWriter writes",
          "[pickle][numpy]") {
  const std::string bytes(96, '\x5a');
  const std::pair<std::string, std::vector<std::uint64_t>> arrays[] = {
      {"<f8", {3, 2, 2}}, {"|u1", {96}},       {"|b1", {4, 24}},
      {"<U3", {8}},       {"|S5", {0, 7}},     {"<c16", {6}},
      {"<i4", {24}},      {"<f2", {1, 1, 48}}, {"<u8", {12}},
      {"<f16", {2, 3}},   {"|i1", {2, 2, 24}}, {"<f4", {24, 1}}};
  for (const auto& [dtype, shape] : arrays) {
    INFO(dtype);
    const bool empty = shape[0] == 0;
    const FieldView field{.name = "a",
                          .dtype = dtype,
                          .shape = shape,
                          .bytes = empty ? ByteView() : AsBytes(bytes)};
    const std::string pickle =
        Pickled([&](PickleWriter& writer) { writer.Array(field); });
    PickleReader reader(1 << 16);
    const auto value = reader.Read(AsBytes(pickle), 0);
    REQUIRE(value.status().ToString() == "OK");
    REQUIRE(value->kind() == PickleKind::kArray);
    CHECK(value->array().dtype == dtype);
    CHECK(value->array().shape == shape);
    CHECK(AsText(value->array().data.bytes) == AsText(field.bytes));
    REQUIRE(value->array().data.offset);
    if (!empty) CHECK(*value->array().data.offset == pickle.find(bytes));
  }
}

TEST_CASE("SplicedBytes joins its own pieces and views in order", "[pickle]") {
  const std::string big(2000, 'b');
  SplicedBytes bytes;
  bytes.Append(AsBytes("abc"));
  bytes.Splice(AsBytes(big));
  bytes.Append(AsBytes("defg"));
  bytes.Overwrite(2001 + 3, AsBytes("XY"));
  CHECK(bytes.size() == 2007);
  CHECK(bytes.ToString() == "abc" + big + "dXYg");
  bytes.Erase(2003, 1);
  CHECK(bytes.ToString() == "abc" + big + "XYg");
  bytes.Clear();
  CHECK(bytes.size() == 0);
  CHECK(bytes.ToString().empty());
}

}  // namespace
}  // namespace shardine::pickle_writer_test
