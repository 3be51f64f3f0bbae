#include "webdataset/member_name.h"

#include <catch2/catch.hpp>

namespace shardine::member_name_test {
namespace {

struct NameCase {
  const char* name;
  const char* prefix;  // nullptr: passed over
  const char* extension;
};

// All from base_plus_ext and tar_file_iterator of webdataset 1.0.2.
constexpr NameCase kNames[] = {
    {"a.jpg", "a", "jpg"},
    {"a.seg.PNG", "a", "seg.PNG"},
    {"n01/a.jpg", "n01/a", "jpg"},
    {"x.y/a.jpg", "x.y/a", "jpg"},
    {"./a.jpg", "./a", "jpg"},
    {"/a.jpg", "/a", "jpg"},
    {"a.", "a", ""},
    {"a..jpg", "a", ".jpg"},
    {"a/.hidden", "a/", "hidden"},
    {"x.y/a/.hidden", "x.y/a/", "hidden"},
    {"a.b/.hidden", nullptr, nullptr},
    {"/.hidden", "/", "hidden"},
    {"//.hidden", "//", "hidden"},
    {"./.hidden", nullptr, nullptr},
    {".hidden", nullptr, nullptr},
    {".hidden.jpg", nullptr, nullptr},
    {"README", nullptr, nullptr},
    {"a.b/c", nullptr, nullptr},
    {"", nullptr, nullptr},
    {".", nullptr, nullptr},
    {"__meta__", nullptr, nullptr},
    {"__a.json__", nullptr, nullptr},
    {"____", nullptr, nullptr},
    {"__", nullptr, nullptr},
    {"__meta__/a.jpg", nullptr, nullptr},
    {"__meta__.jpg", "__meta__", "jpg"},
    {"__/a.jpg", "__/a", "jpg"},
    {"___/a.jpg", "___/a", "jpg"},
    {"____/a.jpg", nullptr, nullptr},
    {"x/__meta__/a.jpg", "x/__meta__/a", "jpg"},
    {"__x/a__.jpg", "__x/a__", "jpg"},
};

TEST_CASE("SplitMemberName splits names as the webdataset package does",
          "[webdataset]") {
  for (const NameCase& c : kNames) {
    INFO(c.name);
    const auto name = SplitMemberName(c.name);
    REQUIRE(name.has_value() == (c.prefix != nullptr));
    if (!name) continue;
    CHECK(name->prefix == c.prefix);
    CHECK(name->extension == c.extension);
  }
}

TEST_CASE("IdOfPrefix reads digits alone", "[webdataset]") {
  CHECK(IdOfPrefix("00000007") == 7);
  CHECK(IdOfPrefix("./00000007") == 7);
  CHECK(IdOfPrefix("18446744073709551615") == ~0ULL);
  for (const char* text : {"", "./", "18446744073709551616", "a/7", "+7", "-7",
                           " 7", "7 ", "0x7", "7a", "/7"}) {
    INFO(text);
    CHECK_FALSE(IdOfPrefix(text).has_value());
  }
}

TEST_CASE("PrefixOfId has at least eight digits and IdOfPrefix reads it",
          "[webdataset]") {
  CHECK(PrefixOfId(0) == "00000000");
  CHECK(PrefixOfId(99999999) == "99999999");
  CHECK(PrefixOfId(100000000) == "100000000");
  CHECK(PrefixOfId(~0ULL) == "18446744073709551615");
  for (const std::uint64_t id : {0ULL, 7ULL, 1ULL << 40, ~0ULL}) {
    CHECK(IdOfPrefix(PrefixOfId(id)) == id);
  }
}

TEST_CASE("EscapeFieldName makes any name one part of an extension",
          "[webdataset]") {
  CHECK(EscapeFieldName("points_2-d") == "points_2-d");
  CHECK(EscapeFieldName("Image/Size.x") == "%49mage%2f%53ize%2ex");
  CHECK(EscapeFieldName("") == "%");
  CHECK(EscapeFieldName("%") == "%25");
  CHECK(EscapeFieldName("\xc3\xbc") == "%c3%bc");
  CHECK(EscapeFieldName(std::string(1, '\0')) == "%00");
  for (int c = 0; c < 256; ++c) {
    const std::string name = "a" + std::string(1, static_cast<char>(c)) + "z";
    const std::string text = EscapeFieldName(name);
    CHECK(text.find_first_of("./ABCDEFGHIJKLMNOPQRSTUVWXYZ") == text.npos);
    CHECK(UnescapeFieldName(text) == name);
  }
  CHECK(UnescapeFieldName("%") == "");
}

TEST_CASE("UnescapeFieldName refuses what EscapeFieldName does not write",
          "[webdataset][corruption]") {
  for (const char* text :
       {"", "a.b", "A", "a%", "%2", "%2E", "%61", "%zz", "a/b", "%%", " "}) {
    INFO(text);
    CHECK_FALSE(UnescapeFieldName(text).has_value());
  }
}

}  // namespace
}  // namespace shardine::member_name_test
