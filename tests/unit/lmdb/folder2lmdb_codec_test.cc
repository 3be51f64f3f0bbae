// lmdb/folder2lmdb against pickles of CPython 3.11 (hex as pickle.dumps gives
// it).
#include "lmdb/folder2lmdb_codec.h"

#include <limits>

#include "unit/lmdb/coded_sample.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::folder2lmdb_codec_test {
namespace {

Result<MadeSample> DecodedHex(const std::string& hex) {
  const auto codec = CodecOf("folder2lmdb");
  return Decoded(*codec, {"00000000", BytesOfHex(hex)});
}

TEST_CASE("folder2lmdb writes the bytes of pickle.dumps", "[lmdb][codec]") {
  const auto codec = CodecOf("folder2lmdb");
  const auto value = [&](const std::vector<Label>& labels) {
    const auto entry = Encoded(*codec, Photo("jpg", labels));
    REQUIRE(entry.status().ToString() == "OK");
    return entry->value;
  };
  const std::string head = "43036a7067 94";
  CHECK(value({Label(3)}) ==
        BytesOfHex("8004 950b00000000000000" + head + "4b03 86942e"));
  CHECK(value({}) ==
        BytesOfHex("8004 950a00000000000000" + head + "4e 86942e"));
  CHECK(value({Label(-1)}) ==
        BytesOfHex("8004 950e00000000000000" + head + "4affffffff 86942e"));
  // A label that is no integer is rounded to one.
  CHECK(value({Label::FromReal(2.75)}) == value({Label(3)}));
  CHECK(value({Label::FromReal(1e300)}) ==
        value({Label(std::numeric_limits<std::int64_t>::max())}));
}

TEST_CASE("folder2lmdb reads a pair in every protocol from 2 on",
          "[lmdb][codec]") {
  const MadeSample tench{"none", {Label(3)}, {{.bytes = "jpg"}}};
  for (const char* hex :
       {"8003 43036a7067 7100 4b03 86 7101 2e",
        "8004 950b00000000000000 43036a7067 94 4b03 86 94 2e",
        "8005 950b00000000000000 43036a7067 94 4b03 86 94 2e",
        // Lists, as some writers pickle them.
        "8003 5d 7100 28 43036a7067 7101 4b03 65 2e",
        "8004 950d00000000000000 5d 94 28 43036a7067 94 4b03 65 2e"}) {
    INFO(hex);
    const auto back = DecodedHex(hex);
    REQUIRE(back.status().ToString() == "OK");
    CHECK((*back == tench));
  }
  // Protocol 2 of Python 3 has the bytes as text, which is another form.
  const auto two = DecodedHex(
      "8002 635f636f646563730a656e636f64650a 7100 58030000006a7067 7101"
      "58060000006c6174696e31 7102 86 7103 52 7104 4b03 86 7105 2e");
  REQUIRE(two.status().ToString() == "OK");
  CHECK(two->fields[0].bytes == "jpg");
  CHECK_FALSE(two->fields[0].in_place);
}

TEST_CASE("folder2lmdb reads a label that is none, a list or any number",
          "[lmdb][codec]") {
  const auto labels = [](const std::string& hex) {
    const auto back = DecodedHex("8004 43036a7067 " + hex + " 86 2e");
    INFO(hex << ": " << back.status().ToString());
    REQUIRE(back.ok());
    return back->labels;
  };
  using Labels = std::vector<Label>;
  CHECK(labels("4e").empty());
  CHECK(labels("5d").empty());
  CHECK(labels("29").empty());
  CHECK(labels("88") == Labels{Label(1)});  // True
  CHECK(labels("8a080000000000000080") ==
        Labels{Label(std::numeric_limits<std::int64_t>::min())});
  CHECK(labels("473fe0000000000000") == Labels{Label::FromReal(0.5)});
  CHECK(labels("474008000000000000") == Labels{Label(3)});
  CHECK(labels("477ff0000000000000") ==
        Labels{Label::FromReal(std::numeric_limits<double>::infinity())});
  CHECK(labels("4b01 4b02 473fe0000000000000 87") ==
        Labels{Label(1), Label(2), Label::FromReal(0.5)});
  CHECK(labels("5d 28 4b05 4b06 65") == Labels{Label(5), Label(6)});
}

TEST_CASE("folder2lmdb refuses labels that are no numbers", "[lmdb][codec]") {
  const std::pair<std::string, std::string> refused[] = {
      {"8c0161", "a str"},
      {"430161", "bytes"},
      {"7d", "a dict"},
      {"477ff8000000000000", "a float"},   // NaN
      {"5d 28 4b01 8c0161 65", "a list"},  // one of them is no number
      {"5d 28 4e 65", "a list"},           // None in a list
      {"4b01 85 85", "a tuple"}};          // a tuple in a tuple
  for (const auto& [hex, kind] : refused) {
    const Status status =
        DecodedHex("8004 43036a7067 " + hex + " 86 2e").status();
    INFO(hex << ": " << status.ToString());
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.message() == "a label that is no number but " + kind);
  }
}

TEST_CASE("folder2lmdb refuses pickles that are no pair of image and label",
          "[lmdb][codec]") {
  const std::pair<std::string, std::string> refused[] = {
      {"4b03 2e", "an image that is no bytes but an int"},
      {"4e 2e", "an image that is no bytes but None"},
      {"7d 2e", "an image that is no bytes but a dict"},
      {"29 2e", "a tuple of 0 where (bytes, label) is expected"},
      {"43016a 4b01 4b02 87 2e",
       "a tuple of 3 where (bytes, label) is expected"},
      {"5d 2e", "a list of 0 where (bytes, label) is expected"},
      {"8c016a 4b01 86 2e", "an image that is no bytes but a str"},
      {"4b01 43016a 86 2e", "an image that is no bytes but an int"},
      {"4e 4e 86 2e", "an image that is no bytes but None"}};
  for (const auto& [hex, message] : refused) {
    const Status status = DecodedHex("8004 " + hex).status();
    INFO(hex);
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.message() == message);
  }
}

TEST_CASE("folder2lmdb holds one field of plain bytes, and one label",
          "[lmdb][codec]") {
  const auto codec = CodecOf("folder2lmdb");
  MadeSample array = Photo("123");
  array.fields[0].dtype = "|u1";
  array.fields[0].shape = {3};
  MadeSample two = Photo("jpg");
  two.fields.push_back({"mask", "|S", {}, "png"});
  for (const MadeSample& sample : {array, two, MadeSample{}}) {
    CHECK_THAT(Refusal(*codec, sample).message(),
               Catch::EndsWith("lmdb/fields holds others"));
    // And it does.
    CHECK(Encoded(*CodecOf("fields"), sample).ok());
  }
  CHECK(Refusal(*codec, Photo("jpg", {Label(1), Label(2)})).message() ==
        "lmdb/folder2lmdb holds one label");
}

}  // namespace
}  // namespace shardine::folder2lmdb_codec_test
