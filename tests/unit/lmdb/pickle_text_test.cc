// Protocol 0 of pickle, as CPython 3.11 and 2.7 write it.
#include "unit/lmdb/damaged_value.h"
#include "unit/lmdb/pickle_bytes.h"

namespace shardine::pickle_text_test {
namespace {

// pickle.dumps((b"\x00\n\\\xff", 300), 0) of CPython 3.
std::string PairOfPython3() {
  using namespace std::string_literals;
  return "(c_codecs\nencode\np0\n(V\\u0000\\u000a\\u005c\xff\np1\nVlatin1\np2\n"
         "tp3\nRp4\nI300\ntp5\n."s;
}

// pickle.dumps(("\x00\n'\xff", 300L), 0) of CPython 2.
std::string PairOfPython2() {
  return "(S\"\\x00\\n'\\xff\"\np0\nL300L\ntp1\n.";
}

TEST_CASE("PickleReader reads pairs of protocol 0", "[pickle][text]") {
  using namespace std::string_literals;
  PickleReader reader(1 << 16);
  for (const auto& [pickle, wanted] :
       {std::pair(PairOfPython3(), "\0\n\\\xff"s),
        std::pair(PairOfPython2(), "\0\n'\xff"s)}) {
    const auto pair = reader.Read(AsBytes(pickle), 1000);
    REQUIRE(pair.status().ToString() == "OK");
    REQUIRE(pair->size() == 2);
    CHECK(AsText(pair->item(0).bytes().bytes) == wanted);
    // They are not in the file as they are.
    CHECK_FALSE(pair->item(0).bytes().offset);
    CHECK(pair->item(1).integer() == 300);
  }
}

TEST_CASE("PickleReader reads numbers, texts, lists and dicts of protocol 0",
          "[pickle][text]") {
  PickleReader reader(1 << 16);
  // [1.5, True, False, -7, "\u20ac\U0001f600", {"a": None}, the last again]
  const std::string pickle =
      "(lp0\nF1.5\naI01\naI00\naI-7\naV\\u20ac\\U0001f600\np1\na(dp2\nVa\np3\n"
      "Nsag2\na.";
  const auto list = reader.Read(AsBytes(pickle), 0);
  REQUIRE(list.status().ToString() == "OK");
  REQUIRE(list->size() == 7);
  CHECK(list->item(0).real() == 1.5);
  CHECK(list->item(1).kind() == PickleKind::kBool);
  CHECK(list->item(1).integer() == 1);
  CHECK(list->item(2).integer() == 0);
  CHECK(list->item(3).integer() == -7);
  CHECK(AsText(list->item(4).bytes().bytes) == "\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(list->item(6).kind() == PickleKind::kDict);
  CHECK(list->item(6).size() == 2);
}

TEST_CASE("PickleReader rejects lines of protocol 0 that make no sense",
          "[pickle][text][corruption]") {
  PickleReader reader(1 << 16);
  for (const char* pickle :
       {"I\n.",      "I12x\n.",     "I99999999999999999999\n.",
        "Lx\n.",     "F\n.",        "F1.5x\n.",
        "S'a\n.",    "Sa\n.",       "S'\\x1'\n.",
        "S'\\q'\n.", "S'a\\'\n.",   "S'\n.",
        "V\\u12\n.", "V\\uzzzz\n.", "V\\U00110000\n.",
        "Np\n.",     "Npx\n.",      "Np9\n.",
        "g0\n.",     "gx\n.",       "l.",
        "d.",        "(Nd.",        "I1",
        "Va",        "I1\n"}) {
    INFO(pickle);
    const Status status = reader.Read(AsBytes(pickle), 1000).status();
    CHECK((status.code() == Code::kCorrupt ||
           status.code() == Code::kUnsupported));
    CHECK(status.where().offset >= 1000U);
  }
}

TEST_CASE("Each byte of a pickle of protocol 0 may be any other",
          "[pickle][text][corruption]") {
  PickleReader reader(1 << 16);
  for (const std::string& whole : {PairOfPython3(), PairOfPython2()}) {
    CheckEachDamage(reader, whole);
  }
}

TEST_CASE("Texts of protocol 0 take no more memory than they are given",
          "[pickle][text][corruption]") {
  PickleReader reader(1 << 12);
  const std::string pickle = "V" + std::string(1 << 12, '\xff') + "\n.";
  CHECK_THAT(reader.Read(AsBytes(pickle), 0).status().message(),
             Catch::Contains("more than 4096 bytes of memory"));
}

}  // namespace
}  // namespace shardine::pickle_text_test
