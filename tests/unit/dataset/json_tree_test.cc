#include "dataset/json_tree.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/philox.h"

namespace shardine {
namespace {

using Json = nlohmann::json;

// The same text read by a library, and by us; equal if both refuse it.
bool Same(const JsonValue& ours, const Json& theirs) {
  switch (ours.kind()) {
    case JsonKind::kOther:
      return theirs.is_boolean() || theirs.is_null();
    case JsonKind::kString:
      return theirs.is_string() && *ours.text() == theirs.get<std::string>();
    case JsonKind::kNumber:
      if (theirs.is_number_unsigned() &&
          ours.unsigned_number() != theirs.get<std::uint64_t>()) {
        return false;
      }
      if (theirs.is_number_float()) {
        return !ours.unsigned_number() && !ours.signed_number();
      }
      return theirs.is_number_unsigned() ||
             ours.signed_number() == theirs.get<std::int64_t>();
    case JsonKind::kArray: {
      std::size_t i = 0;
      return theirs.is_array() && ours.size() == theirs.size() &&
             ours.ForEachElement(
                 [&](JsonValue element) { return Same(element, theirs[i++]); });
    }
    case JsonKind::kObject:
      // Of a name that is there twice the library keeps one only.
      return theirs.is_object() && ours.size() >= theirs.size() &&
             ours.ForEachMember([&](std::string_view name, JsonValue value) {
               return theirs.contains(name) &&
                      (ours.size() > theirs.size() ||
                       Same(value, theirs[std::string(name)]));
             });
  }
  return false;
}

bool Agree(const std::string& text) {
  const auto ours = JsonTree::Parse(text);
  const Json theirs = Json::parse(text, nullptr, false);
  if (ours.has_value() == theirs.is_discarded()) {
    // They refuse numbers that no double can hold.
    return ours && text.find_first_of("eE") != std::string::npos;
  }
  return !ours || Same(ours->root(), theirs);
}

TEST_CASE("JsonTree reads every kind of value", "[json_tree]") {
  for (const char* text : {"0",
                           "-0",
                           "7",
                           "-12",
                           "18446744073709551615",
                           "18446744073709551616",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "0.5",
                           "1e3",
                           "-1.5E-2",
                           "01",
                           "1.",
                           ".5",
                           "-",
                           "+1",
                           "1e",
                           "1e+",
                           "true",
                           "false",
                           "null",
                           "tru",
                           "nul",
                           "",
                           " ",
                           "\"\"",
                           "\"a\"",
                           "\"",
                           "\"a",
                           "[]",
                           "[ ]",
                           "[1]",
                           "[1, 2,3]",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[",
                           "[1",
                           "]",
                           "{}",
                           "{ }",
                           R"({"a":1})",
                           R"({"a" : 1 , "b":[{}]})",
                           R"({"a":1,})",
                           R"({"a"})",
                           R"({"a":})",
                           R"({a:1})",
                           R"({1:1})",
                           "{",
                           R"({"a":1)",
                           "1 2",
                           "[] []",
                           "\t\r\n 1 \n",
                           "\v1",
                           "//1",
                           R"({"a":1,"a":2})"}) {
    CAPTURE(text);
    CHECK(Agree(text));
  }
}

TEST_CASE("JsonTree reads escapes and refuses broken text", "[json_tree]") {
  for (const std::string text :
       {R"("\"\\\/\b\f\n\r\t")", R"("a\u0041\u00e9\u20ac")",
        R"("\ud83d\ude00")", R"("\ud83d")", R"("\ud83dx")", R"("\ude00")",
        R"("\ud83d\u0041")", R"("\u12")", R"("\u12g4")", R"("\x41")",
        R"("\u+123")", R"("\u-123")", R"("\)", R"("\")", R"("\u0000")",
        R"({"\u0061":1})"}) {
    CAPTURE(text);
    CHECK(Agree(text));
  }
  for (const char* text :
       {"\"\xC3\xA9\"", "\"\xFF\"", "\"\xC3\"", "\"\\n\xFF\"", "\"\t\"",
        "\"\\n\t\"", "\"\xED\xA0\x80\""}) {
    CAPTURE(text);
    CHECK(Agree(text));
  }
}

TEST_CASE("JsonTree agrees with a library on damaged texts",
          "[json_tree][corruption]") {
  const std::string sound =
      R"({"a": [1, -2, {"b": "\u00e9\n"}], "cc": {"d": null, "e": 0.25}, )"
      R"("f": "text", "g": [[], {}, true]})";
  REQUIRE(Agree(sound));
  for (std::size_t length = 0; length < sound.size(); ++length) {
    CHECK(Agree(sound.substr(0, length)));
  }
  const std::string letters = "{}[]\",:\\ue10-. ntf\xC3\xA9";
  for (std::uint32_t i = 0; i < 20000; ++i) {
    std::string text = sound;
    const auto words = Philox4x32({i, 0, 0, 0}, {1, 2});
    text[words[0] % text.size()] = letters[words[1] % letters.size()];
    if (i % 2 == 1) {
      text[words[2] % text.size()] = letters[words[3] % letters.size()];
    }
    CAPTURE(text);
    REQUIRE(Agree(text));
  }
}

TEST_CASE("JsonTree finds members and nests only so deep", "[json_tree]") {
  const std::string text = R"({"a": 1, "b": {"a": 2}, "c": [3]})";
  const auto tree = JsonTree::Parse(text);
  REQUIRE(tree);
  const JsonValue root = tree->root();
  CHECK(root.size() == 3);
  CHECK(root.Find("a")->unsigned_number() == 1);
  CHECK(root.Find("b")->Find("a")->signed_number() == 2);
  CHECK_FALSE(root.Find("d"));
  CHECK_FALSE(root.Find("c")->Find("a"));
  CHECK_FALSE(root.Find("c")->text());
  CHECK_FALSE(root.unsigned_number());

  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(JsonTree::Parse(nested(JsonTree::kMaxDepth)));
  CHECK_FALSE(JsonTree::Parse(nested(1'000'000)));
}

}  // namespace
}  // namespace shardine
