// Fields from items of dicts, and images with nothing around them.
#include "lmdb/item_field.h"

#include "lmdb/msgpack_reader.h"
#include "unit/lmdb/coded_sample.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::item_field_test {
namespace {

// The field that an item of msgpack becomes: "<i8,2:BYTES".
std::string FieldOf(const std::string& hex) {
  const std::string bytes = BytesOfHex(hex);
  MsgpackReader reader(1 << 20);
  const auto item = reader.Read(AsBytes(bytes), 0);
  REQUIRE(item.status().ToString() == "OK");
  ItemFields fields;
  fields.Begin(reader.budget());
  DecodedField field;
  const Status status = fields.Make("x", *item, field);
  if (!status.ok()) return status.message();
  std::string text = field.dtype;
  for (const std::uint64_t side : field.shape) {
    text += "," + std::to_string(side);
  }
  return text + ":" + std::string(AsText(field.bytes));
}

std::string Words(std::initializer_list<std::int64_t> numbers) {
  std::string bytes;
  for (const std::int64_t number : numbers) AppendLe(number, bytes);
  return bytes;
}

TEST_CASE("Numbers of a dict are arrays of their kind", "[lmdb][items]") {
  CHECK(FieldOf("07") == "<i8:" + Words({7}));
  CHECK(FieldOf("c3") == "|b1:\1");
  CHECK(FieldOf("93 01 02 ff") == "<i8,3:" + Words({1, 2, -1}));
  CHECK(FieldOf("92 92 01 02 92 03 04") == "<i8,2,2:" + Words({1, 2, 3, 4}));
  std::string reals;
  AppendLe(1.0, reals);
  AppendLe(0.5, reals);
  CHECK(FieldOf("92 01 cb 3fe0000000000000") == "<f8,2:" + reals);
  // A bool among integers is one.
  CHECK(FieldOf("92 c3 05") == "<i8,2:" + Words({1, 5}));
}

TEST_CASE("Other lists and dicts are texts of JSON", "[lmdb][items]") {
  CHECK(FieldOf("92 a161 05") == "|S:[\"a\",5]");
  CHECK(FieldOf("82 a161 c0 a262 22 93 c2 cb3fe0000000000000 90") ==
        "|S:{\"a\":null,\"b\\\"\":[false,0.5,[]]}");
  CHECK(FieldOf("91 a3 0a5c7f") == "|S:[\"\\u000a\\\\\x7f\"]");
  CHECK(FieldOf("92 92 01 02 91 03") == "|S:[[1,2],[3]]");
  CHECK(FieldOf("90") == "|S:[]");
  CHECK(FieldOf("81 01 02") ==
        "item \"x\" is a dict with parts that JSON has not");
  CHECK(FieldOf("92 a161 c401ff") ==
        "item \"x\" is a list with parts that JSON has not");
}

TEST_CASE("Items that are one list many times are refused", "[lmdb][items]") {
  // {"a": L, "b": L, ...} with one L of 600 numbers, of two bytes each.
  std::string names;
  for (char c = 'a'; c <= 'z'; ++c) {
    names += BytesOfHex("8c01") + c + BytesOfHex("6800");
  }
  std::string whole = BytesOfHex("8004 7d 28 8c0130 5d 94 28");
  for (int i = 0; i < 600; ++i) whole += BytesOfHex("4b01");
  whole += BytesOfHex("65") + names + BytesOfHex("75 2e");
  const auto codec = CodecOf("fields");
  const Status status = Decoded(*codec, {"key", whole}).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK_THAT(status.message(), Catch::StartsWith("items that share"));
}

TEST_CASE("A value that is an image is the field of that name",
          "[lmdb][items]") {
  using namespace std::string_literals;
  const auto codec = CodecOf("fields");
  const std::string jpeg = "\xff\xd8\xff\xe0 and more";
  const auto sample = Decoded(*codec, {"key", jpeg});
  REQUIRE(sample.ok());
  CHECK((*sample == MadeSample{"key", {}, {{.bytes = jpeg}}}));
  CHECK_FALSE(Decoded(*codec, {"key", "no image"}).ok());
  // Only a number after "label-" makes a text of an image's.
  CHECK(codec->may_be_beside("label-000000001"));
  CHECK(codec->may_be_beside("num-samples"));
  CHECK_FALSE(codec->may_be_beside("label-a"));
  CHECK_FALSE(codec->may_be_beside("label-"));
  CHECK(codec->is_sample(AsBytes(jpeg)));
  CHECK_FALSE(codec->is_sample(AsBytes("a text")));
}

TEST_CASE("lmdb/fields does not write an image in an array of bytes",
          "[lmdb][items]") {
  const auto codec = CodecOf("fields");
  MadeSample sample = Photo("\xff\xd8\xff\xe0");
  sample.fields[0].dtype = "|u1";
  sample.fields[0].shape = {4};
  CHECK_THAT(Refusal(*codec, sample).message(),
             Catch::Contains("an encoded image in an array"));
  sample.fields[0].bytes = "1234";
  CHECK(Encoded(*codec, sample).ok());
}

}  // namespace
}  // namespace shardine::item_field_test
