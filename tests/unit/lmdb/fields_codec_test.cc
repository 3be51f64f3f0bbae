// lmdb/fields: values that it holds and gives back, and values that it refuses.
#include "lmdb/fields_codec.h"

#include <limits>

#include "unit/lmdb/coded_sample.h"
#include "unit/lmdb/lmdb_oracle.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::fields_codec_test {
namespace {

Result<MadeSample> DecodedPickle(const std::string& pickle) {
  const auto codec = CodecOf("fields");
  return Decoded(*codec, {"key", pickle});
}

// A dict of the items that `write` puts between MARK and SETITEMS.
template <typename Write>
std::string Dict(Write write) {
  return Pickled([&](PickleWriter& pickle) {
    pickle.Op(kOpEmptyDict);
    pickle.Op(kOpMark);
    write(pickle);
    pickle.Op(kOpSetItems);
  });
}

Label DrawLabel(OracleDraws& draws) {
  switch (draws.Below(4)) {
    case 0:
      return Label(draws.Below(1000));
    case 1:
      return Label(-(std::int64_t{1} << draws.Below(63)));
    case 2:
      return Label::FromReal(static_cast<double>(draws.Below(~0U)) / 7);
    default:
      return Label::FromReal(-std::numeric_limits<double>::infinity());
  }
}

MadeField DrawField(OracleDraws& draws, const std::string& name) {
  const std::pair<std::string, std::uint32_t> dtypes[] = {
      {"|S", 0},  {"|u1", 1},   {"<i2", 2},  {"<f4", 4}, {"<f8", 8},
      {"|b1", 1}, {"<c16", 16}, {"<U3", 12}, {"|S5", 5}, {"<f2", 2}};
  const auto& [dtype, item] = dtypes[draws.Below(10)];
  MadeField field{.name = name, .dtype = dtype};
  if (item == 0) {
    field.bytes = draws.Bytes(draws.Below(2000));
    return field;
  }
  std::uint32_t items = 1;
  for (std::uint32_t rank = draws.Below(4); rank > 0; --rank) {
    field.shape.push_back(draws.Below(6));
    items *= static_cast<std::uint32_t>(field.shape.back());
  }
  field.bytes = draws.Bytes(items * item);
  return field;
}

TEST_CASE("lmdb/fields gives back any fields and labels as they were",
          "[lmdb][codec]") {
  const auto codec = CodecOf("fields");
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    OracleDraws draws(seed);
    MadeSample sample{.key = draws.Bytes(1 + draws.Below(511))};
    std::map<std::string, bool> names;
    for (std::uint32_t count = draws.Below(8); count > 0; --count) {
      names[std::string(draws.Below(300), 'n') + "\xc3\xa9" +
            std::to_string(draws.Below(100))] = true;
    }
    if (draws.Below(2) == 0) names["image"] = true;
    for (const auto& [name, unused] : names) {
      sample.fields.push_back(DrawField(draws, name));
    }
    for (std::uint32_t count = draws.Below(5); count > 0; --count) {
      sample.labels.push_back(DrawLabel(draws));
    }
    const auto entry = Encoded(*codec, sample, seed);
    REQUIRE(entry.status().ToString() == "OK");
    REQUIRE(entry->key == sample.key);
    const auto back = Decoded(*codec, *entry);
    REQUIRE(back.status().ToString() == "OK");
    REQUIRE((*back == sample));
  }
}

TEST_CASE("lmdb/fields refuses keys that LMDB does not hold or it uses itself",
          "[lmdb][codec]") {
  const auto codec = CodecOf("fields");
  const auto said = [&](const std::string& key) {
    MadeSample sample = Photo("jpg");
    sample.key = key;
    return Refusal(*codec, sample).message();
  };
  CHECK(said("") == "a key of 0 bytes: LMDB's have 1 to 511");
  CHECK(said(std::string(512, 'k')) ==
        "a key of 512 bytes: LMDB's have 1 to 511");
  CHECK(said("__keys__") == "the key is one that lmdb/fields uses itself");
  CHECK(said("__len__") == "the key is one that lmdb/fields uses itself");
}

TEST_CASE("lmdb/fields names the field that it refuses", "[lmdb][codec]") {
  const auto codec = CodecOf("fields");
  const auto said = [&](MadeField field) {
    MadeSample sample = Photo("jpg");
    sample.fields.push_back(std::move(field));
    return Refusal(*codec, sample).message();
  };
  CHECK(said({"points", "|O8", {1}, "12345678"}) ==
        "field \"points\" has dtype \"|O8\", which lmdb/fields does not hold");
  CHECK_THAT(said({"points", ">f4", {1}, "1234"}), Catch::Contains("\">f4\""));
  CHECK_THAT(said({"points", "f4", {1}, "1234"}), Catch::Contains("\"f4\""));
  CHECK_THAT(said({"points", "|S", {1}, "1"}), Catch::Contains("\"|S\""));
  for (const std::uint64_t side : {0U, 1U, 3U}) {
    CHECK(said({"points", "<f4", {side}, "12345678"}) ==
          "field \"points\" has a shape that does not fit its bytes");
  }
  CHECK_THAT(said({"points", "<f8", {std::uint64_t{1} << 61, 8}, ""}),
             Catch::Contains("does not fit"));
  CHECK(said({"__labels__", "|S", {}, "1"}) ==
        "a field named __labels__, which lmdb/fields uses itself");
  CHECK(said({"\xc3", "|S", {}, "1"}) ==
        "a field whose name is not UTF-8, as Python's text is");
  // A name may be long, a message not.
  CHECK(said({std::string(5000, 'n'), "|O8", {1}, "1"}).size() < 300);
}

TEST_CASE("lmdb/fields sorts the items of a dict by name, labels apart",
          "[lmdb][codec]") {
  const auto back = DecodedPickle(Dict([](PickleWriter& pickle) {
    pickle.Text("z");
    pickle.Text("caption");
    pickle.Text("label");
    pickle.Int(7);
    pickle.Bytes(AsBytes("image"));  // Python 2's texts are bytes
    pickle.Bytes(AsBytes("jpg"));
  }));
  REQUIRE(back.status().ToString() == "OK");
  CHECK((*back ==
         MadeSample{"key",
                    {Label(7)},
                    {{.bytes = "jpg"}, {.name = "z", .bytes = "caption"}}}));
  // An item "label" of bytes is a field, as the type says.
  const auto bytes = DecodedPickle(Dict([](PickleWriter& pickle) {
    pickle.Text("label");
    pickle.Bytes(AsBytes("png"));
  }));
  REQUIRE(bytes.status().ToString() == "OK");
  CHECK(bytes->labels.empty());
  CHECK((bytes->fields ==
         std::vector<MadeField>{{.name = "label", .bytes = "png"}}));
  CHECK(DecodedPickle(BytesOfHex("8004 7d 2e"))->fields.empty());
}

TEST_CASE("lmdb/fields refuses items that are neither fields nor labels",
          "[lmdb][codec]") {
  const auto said = [](const std::string& items) {
    const auto back = DecodedPickle(BytesOfHex("8004 7d 28 " + items + "752e"));
    CHECK(back.status().code() == Code::kUnsupported);
    return back.status().message();
  };
  const std::string label = "8c056c6162656c ";
  const std::string labels = "8c0a5f5f6c6162656c735f5f ";
  // {1: 2}, a list with bytes that are no text, a list of a list of NaN.
  CHECK(said("8c0161 7d 4b01 4b02 73") ==
        "item \"a\" is a dict with parts that JSON has not");
  CHECK_THAT(said("8c0161 5d 4301ff 61"),
             Catch::StartsWith("item \"a\" is a list with parts"));
  CHECK_THAT(said("8c0161 5d 8c0162 61 477ff8000000000000 86"),
             Catch::StartsWith("item \"a\" is a tuple with parts"));
  CHECK(said("4b01 4b01") == "a field whose name is no text but an int");
  CHECK(said(label + "7d") == "item \"label\" is no list of numbers");
  CHECK(said(label + "477ff8000000000000") ==
        "item \"label\" is no list of numbers");
  // Labels twice: which of them would count?
  CHECK(said(label + "4b01" + labels + "4b02") ==
        "item \"label\" is no list of numbers");
  CHECK_THAT(DecodedPickle(BytesOfHex("8004 5d 2e")).status().message(),
             Catch::StartsWith("a list where a dict of fields"));
}

// Parsers review 15: Python has the last of them.
TEST_CASE("lmdb/fields takes the last value of a key that is set twice",
          "[lmdb][codec]") {
  // {"a": b"1", "a": None, "b": b"2", "b": b"3", "label": 1, "label": 2}
  const auto sample = DecodedPickle(
      BytesOfHex("8004 7d 28 8c0161 430131 8c0161 4e 8c0162 430132 8c0162 "
                 "430133 8c056c6162656c 4b01 8c056c6162656c 4b02 75 2e"));
  REQUIRE(sample.status().ToString() == "OK");
  REQUIRE(sample->fields.size() == 1);
  CHECK(sample->fields[0].name == "b");
  CHECK(sample->fields[0].bytes == "3");
  CHECK(sample->labels == std::vector<Label>{2});
}

TEST_CASE("lmdb/fields refuses a name twice, and bytes that count twice",
          "[lmdb][codec][corruption]") {
  const Status twice = DecodedPickle(Dict([](PickleWriter& pickle) {
                         pickle.Text("a");
                         pickle.Bytes(AsBytes("1"));
                         pickle.Bytes(AsBytes("a"));
                         pickle.Bytes(AsBytes("2"));
                       })).status();
  CHECK(twice.code() == Code::kUnsupported);
  CHECK(twice.message() ==
        "two fields named \"a\", of which one is bytes and one is text");
  // 40 bytes under n names; the rest of a name's item takes six bytes.
  const auto shared = [](int names) {
    std::string pickle = BytesOfHex("8004 7d 28 8c0130 43 28") +
                         std::string(40, 'x') + BytesOfHex("94");
    for (int i = 1; i < names; ++i) {
      pickle +=
          BytesOfHex("8c01") + static_cast<char>('0' + i) + BytesOfHex("6800");
    }
    return DecodedPickle(pickle + BytesOfHex("752e")).status();
  };
  CHECK(shared(1).ok());
  CHECK(shared(2).code() == Code::kUnsupported);
  CHECK(shared(9).message() ==
        "fields that share their bytes; pickle a copy of each");
}

}  // namespace
}  // namespace shardine::fields_codec_test
