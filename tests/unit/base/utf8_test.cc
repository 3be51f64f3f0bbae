#include "base/utf8.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::utf8_test {
namespace {

TEST_CASE("IsUtf8 accepts every code point that UTF-8 may hold", "[utf8]") {
  for (const std::string_view text :
       {"", "plain ASCII\n", "\xC3\xA9", "\xE6\x97\xA5\xE6\x9C\xAC",
        "\xF0\x9F\x90\x95", "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF"}) {
    CHECK(IsUtf8(text));
  }
  CHECK(IsUtf8(std::string(1, '\0')));
}

TEST_CASE("IsUtf8 rejects overlong, cut and forbidden sequences", "[utf8]") {
  for (const std::string_view text :
       {"\x80", "\xC3", "a\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80",
        "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xE6\x97", "\xFF",
        "\xE6\x97\x41"}) {
    CHECK_FALSE(IsUtf8(text));
  }
}

TEST_CASE("Utf8Length is the length of the first sequence alone", "[utf8]") {
  CHECK(Utf8Length("ab") == 1);
  CHECK(Utf8Length("\xC3\xA9\xFF") == 2);
  CHECK(Utf8Length("\xF0\x9F\x90\x95z") == 4);
  CHECK(Utf8Length("\xFFz") == 0);
}

}  // namespace
}  // namespace shardine::utf8_test
