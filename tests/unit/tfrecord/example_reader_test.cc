#include "tfrecord/example_reader.h"

#include "support/example_oracle.h"
#include "unit/tfrecord/tfrecord_bytes.h"

namespace shardine::example_reader_test {
namespace {

std::string FaultOf(const std::string& record) {
  ExampleReader reader;
  return reader.Parse(AsBytes(record)).ToString();
}

std::vector<std::string> ValuesOf(const std::string& record,
                                  const std::string& name) {
  ExampleReader reader;
  REQUIRE(reader.Parse(AsBytes(record)).ok());
  const Feature* const feature = reader.Find(name);
  REQUIRE(feature != nullptr);
  std::vector<std::string> values;
  for (const ByteView chunk : reader.chunks(*feature)) {
    values.emplace_back(AsText(chunk));
  }
  return values;
}

TEST_CASE("WireReader splits a message into its fields", "[tfrecord]") {
  const std::string message = FromHex("08 96 01") + FromHex("11") + "8 bytes." +
                              FromHex("1a 03") + "abc" + FromHex("25") +
                              "four" + FromHex("a2 1f 00");
  WireReader reader(AsBytes(message));
  const std::tuple<std::uint32_t, WireType, std::string> expected[] = {
      {1, WireType::kVarint, FromHex("96 01")},
      {2, WireType::kFixed64, "8 bytes."},
      {3, WireType::kBytes, "abc"},
      {4, WireType::kFixed32, "four"},
      {500, WireType::kBytes, ""}};
  WireField field;
  for (const auto& [number, type, value] : expected) {
    REQUIRE(reader.Next(field));
    CHECK(field.number == number);
    CHECK(field.type == type);
    CHECK(AsText(field.value) == value);
  }
  CHECK_FALSE(reader.Next(field));
  CHECK(reader.fault().empty());
}

TEST_CASE("WireReader stops at the first fault", "[tfrecord][corruption]") {
  for (const char* hex :
       {"08", "08 80", "08 ffffffffffffffffffff 01", "0a 05 61", "0a", "0a ff",
        "09 01020304050607", "0d 010203", "00 00", "06 00", "07 00", "0b 0c",
        "0c", "ffffffffff 01 00", "0a ffffffffffffffffff 01",
        "80 80 80 80 80 80 80 80 80 80 01"}) {
    const std::string good = FromHex("08 01");
    const std::string message = good + FromHex(hex);
    WireReader reader(AsBytes(message));
    WireField field;
    INFO(hex);
    REQUIRE(reader.Next(field));
    CHECK_FALSE(reader.Next(field));
    CHECK_FALSE(reader.fault().empty());
    CHECK(reader.place() == AsBytes(message).data() + good.size());
    CHECK_FALSE(reader.Next(field));
  }
}

TEST_CASE("TakeVarint reads up to ten bytes", "[tfrecord]") {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
        std::uint64_t{1} << 35, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const std::string text = Varint(value) + "x";
    ByteView rest = AsBytes(text);
    std::uint64_t read = 0;
    REQUIRE(TakeVarint(rest, read));
    CHECK(read == value);
    CHECK(AsText(rest) == "x");
  }
  const std::string endless(11, '\x80');
  ByteView rest = AsBytes(endless);
  std::uint64_t read = 5;
  CHECK_FALSE(TakeVarint(rest, read));
  CHECK(rest.size() == 11);
  CHECK(read == 5);
}

TEST_CASE("ExampleReader takes any order and packing of what it reads",
          "[tfrecord]") {
  // Value before key, unknown fields everywhere, lists packed and not.
  const std::string floats =
      ProtoField(2, Varint(1 << 3 | 5) + "abcd" + ProtoField(1, "efghijkl") +
                        Varint(7 << 3) + Varint(300));
  const std::string ints =
      ProtoField(3, Varint(1 << 3) + Varint(300) + ProtoField(1, "\x01\x02"));
  const std::string record =
      ProtoField(9, "unknown") +
      ProtoField(
          1, ProtoField(4, "?") +
                 ProtoField(1, ProtoField(2, floats) + ProtoField(1, "f"))) +
      ProtoField(1, Entry("i", ints));
  CHECK(ValuesOf(record, "f") == std::vector<std::string>{"abcd", "efghijkl"});
  CHECK(ValuesOf(record, "i") ==
        std::vector<std::string>{Varint(300), "\x01\x02"});
  ExampleReader reader;
  REQUIRE(reader.Parse(AsBytes(record)).ok());
  CHECK(reader.features().size() == 2);
  CHECK(reader.Find("f")->values == 3);
  CHECK(reader.Find("i")->values == 3);
  CHECK(reader.Find("g") == nullptr);
  Int64Values values(reader, *reader.Find("i"));
  std::int64_t value = 0;
  for (const std::int64_t expected : {300, 1, 2}) {
    REQUIRE(values.Next(value));
    CHECK(value == expected);
  }
  CHECK_FALSE(values.Next(value));
}

TEST_CASE("ExampleReader lets the last of equal names win", "[tfrecord]") {
  const std::string record = ExampleOf({{"b", BytesFeature({"1"})},
                                        {"a", BytesFeature({"2"})},
                                        {"b", Int64Feature({3})}}) +
                             ExampleOf({{"a", BytesFeature({"4", "5"})}});
  ExampleReader reader;
  REQUIRE(reader.Parse(AsBytes(record)).ok());
  REQUIRE(reader.features().size() == 2);
  CHECK(ValuesOf(record, "a") == std::vector<std::string>{"4", "5"});
  CHECK(reader.Find("b")->kind == FeatureKind::kInt64);
}

TEST_CASE("SingleBytes and SingleInt64 take just one value of their kind",
          "[tfrecord]") {
  const std::string record = ExampleOf({{"0", BytesFeature({})},
                                        {"1", BytesFeature({"x"})},
                                        {"2", BytesFeature({"x", "y"})},
                                        {"i", Int64Feature({-7})},
                                        {"ii", Int64Feature({1, 2})},
                                        {"f", FloatFeature({1})},
                                        {"n", ""}});
  ExampleReader reader;
  REQUIRE(reader.Parse(AsBytes(record)).ok());
  for (const Feature& feature : reader.features()) {
    INFO(feature.name);
    CHECK(SingleBytes(reader, &feature).has_value() == (feature.name == "1"));
    CHECK(SingleInt64(reader, &feature).has_value() == (feature.name == "i"));
  }
  CHECK(SingleInt64(reader, reader.Find("i")) == -7);
  CHECK_FALSE(SingleBytes(reader, nullptr));
  CHECK_FALSE(SingleInt64(reader, nullptr));
}

TEST_CASE("ExampleReader says where an Example breaks off",
          "[tfrecord][corruption]") {
  const std::string start = "byte ";
  const std::string no = ": no tf.train.Example that can be read: ";
  CHECK(FaultOf("\x0a\x05") ==
        start + "0" + no + "a field longer than what holds it");
  CHECK(FaultOf("not an Example") == start + "0" + no + "no field begins here");
  CHECK(FaultOf(ProtoField(1, "\x0b")) ==
        start + "2" + no + "a group, which no Example has");
  CHECK(FaultOf(ExampleOf({{"f", ProtoField(2, ProtoField(1, "abc"))}})) ==
        start + "13" + no + "a list of floats that is cut");
  CHECK(FaultOf(ExampleOf({{"i", ProtoField(3, ProtoField(1, "\x80"))}})) ==
        start + "13" + no + "a list of numbers that is cut");
  CHECK(FaultOf(ProtoField(2, "")) ==
        start + "2" + no + "a SequenceExample: only Examples can be read");
}

TEST_CASE("ExampleReader bounds what a record may ask of memory",
          "[tfrecord][corruption]") {
  std::string entries;
  for (std::size_t i = 0; i <= ExampleReader::kMaxFeatures; ++i) {
    entries += ProtoField(1, "");
  }
  CHECK_THAT(FaultOf(ProtoField(1, entries)),
             Catch::Contains("more than 16384 features"));
  CHECK(FaultOf(ProtoField(1, entries.substr(2))) == "OK");
  std::string values;
  for (std::size_t i = 0; i <= ExampleReader::kMaxChunks; ++i) {
    values += ProtoField(1, "");
  }
  CHECK_THAT(FaultOf(ExampleOf({{"a", ProtoField(1, values)}})),
             Catch::Contains("more than 524288 values"));
}

// A message of random fields, some of them such as Examples have, nested.
std::string RandomMessage(Draws& draws, int depth) {
  std::string message;
  for (std::uint32_t n = draws.Below(4); n > 0; --n) {
    const unsigned number = 1 + draws.Below(depth == 3 ? 3 : 2);
    switch (draws.Below(10)) {
      case 0:
        message += Varint(number << 3) + Varint(draws.Below(1 << 20));
        break;
      case 1:
        message += Varint(number << 3 | 5) + draws.Bytes(4);
        break;
      case 2:
        message += Varint(number << 3 | 1) + draws.Bytes(8);
        break;
      case 3:
        message += ProtoField(number, draws.Bytes(draws.Below(9)));
        break;
      default:
        message +=
            ProtoField(depth == 0 ? 1 : number,
                       depth < 5 ? RandomMessage(draws, depth + 1)
                                 : std::string(4 * draws.Below(3), '\1'));
    }
  }
  return message;
}

TEST_CASE("ExampleReader finds what protobuf finds, or refuses",
          "[tfrecord][corruption]") {
  Draws draws(7);
  int accepted = 0;
  for (int round = 0; round < 30'000; ++round) {
    std::string record = RandomMessage(draws, 0);
    if (!record.empty() && draws.Below(3) == 0) {
      record[draws.Below(static_cast<std::uint32_t>(record.size()))] =
          draws.Bytes(1)[0];
    }
    ExampleReader reader;
    const Status status = reader.Parse(AsBytes(record));
    const auto oracle = ParseByProtobuf(record);
    INFO("round " << round << ": " << status.ToString());
    // Stricter only about bytes that an Example never has.
    if (!status.ok()) {
      CHECK((!oracle || status.code() == Code::kUnsupported));
      continue;
    }
    ++accepted;
    REQUIRE(oracle);
    REQUIRE((FeaturesOf(reader) == *oracle));
  }
  CHECK(accepted > 5'000);
}

}  // namespace
}  // namespace shardine::example_reader_test
