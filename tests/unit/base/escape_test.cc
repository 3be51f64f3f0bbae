#include "shardine/escape.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

namespace shardine::escape_test {
namespace {

// An independent, slower judge of RFC 3629: decode, then encode again.
bool IsUtf8(const std::string& bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    const auto lead = static_cast<std::uint8_t>(bytes[i]);
    const int length = lead < 0x80   ? 1
                       : lead < 0xC0 ? 0
                       : lead < 0xE0 ? 2
                       : lead < 0xF0 ? 3
                       : lead < 0xF8 ? 4
                                     : 0;
    if (length == 0 || i + static_cast<std::size_t>(length) > bytes.size()) {
      return false;
    }
    std::uint32_t point = length == 1 ? lead : lead & (0x7FU >> length);
    for (int k = 1; k < length; ++k) {
      const auto next =
          static_cast<std::uint8_t>(bytes[i + static_cast<std::size_t>(k)]);
      if ((next & 0xC0) != 0x80) return false;
      point = (point << 6) | (next & 0x3F);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < kSmallest[length] || point > 0x10FFFF) return false;
    if (point >= 0xD800 && point <= 0xDFFF) return false;
    i += static_cast<std::size_t>(length);
  }
  return true;
}

void CheckRoundTrip(const std::string& bytes) {
  const std::string text = EscapeBytes(bytes);
  bool fine = IsUtf8(text) && UnescapeBytes(text) == bytes;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20 || byte == 0x7F) fine = false;
  }
  if (!fine) FAIL_CHECK("no round trip of " << text);
}

TEST_CASE("EscapeBytes leaves printable UTF-8 alone", "[escape]") {
  for (const char* text :
       {"", "n01440764/a b.JPEG", "\"quoted\"", "\xC3\xA9t\xC3\xA9",
        "\xE6\x97\xA5\xE6\x9C\xAC", "\xF0\x9F\x90\x9F", "\xC2\xA0",
        "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF",
        "\xF0\x90\x80\x80", "\xE0\xA0\x80"}) {
    CHECK(EscapeBytes(text) == text);
  }
}

TEST_CASE("EscapeBytes writes backslash and control bytes as hex", "[escape]") {
  CHECK(EscapeBytes("a\\b") == "a\\x5Cb");
  CHECK(EscapeBytes("a\nb\tc\r") == "a\\x0Ab\\x09c\\x0D");
  CHECK(EscapeBytes(std::string("\0", 1)) == "\\x00");
  CHECK(EscapeBytes("\x1B[31m") == "\\x1B[31m");
  CHECK(EscapeBytes("\x7F") == "\\x7F");
}

TEST_CASE("EscapeBytes writes C1 controls as hex", "[escape]") {
  CHECK(EscapeBytes("\xC2\x80") == "\\xC2\\x80");
  CHECK(EscapeBytes("\xC2\x85") == "\\xC2\\x85");
  CHECK(EscapeBytes("\xC2\x9B") == "\\xC2\\x9B");
  CHECK(EscapeBytes("\xC2\x9F") == "\\xC2\\x9F");
}

TEST_CASE("EscapeBytes writes every kind of invalid UTF-8 as hex", "[escape]") {
  const std::pair<const char*, const char*> cases[] = {
      {"\x80", "\\x80"},  // lone continuation
      {"\xBF"
       "a",
       "\\xBFa"},
      {"\xC3", "\\xC3"},  // cut short
      {"\xC3"
       "a",
       "\\xC3"
       "a"},
      {"\xE6\x97", "\\xE6\\x97"},
      {"\xF0\x9F\x90", "\\xF0\\x9F\\x90"},
      {"\xC0\x80", "\\xC0\\x80"},  // overlong
      {"\xC1\xBF", "\\xC1\\xBF"},
      {"\xE0\x9F\xBF", "\\xE0\\x9F\\xBF"},
      {"\xF0\x8F\xBF\xBF", "\\xF0\\x8F\\xBF\\xBF"},
      {"\xED\xA0\x80", "\\xED\\xA0\\x80"},  // surrogates
      {"\xED\xBF\xBF", "\\xED\\xBF\\xBF"},
      {"\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"},  // beyond U+10FFFF
      {"\xF5\x80\x80\x80", "\\xF5\\x80\\x80\\x80"},
      {"\xF8\x88\x80\x80\x80", "\\xF8\\x88\\x80\\x80\\x80"},
      {"\xFE\xFF", "\\xFE\\xFF"},
      {"a\xFF\xC3\xA9", "a\\xFF\xC3\xA9"},  // valid again after it
      {"\xE6\xE6\x97\xA5", "\\xE6\xE6\x97\xA5"}};
  for (const auto& [bytes, text] : cases) CHECK(EscapeBytes(bytes) == text);
}

TEST_CASE("Escaping round-trips every pair of bytes", "[escape]") {
  for (int a = 0; a < 256; ++a) {
    CheckRoundTrip({static_cast<char>(a)});
    for (int b = 0; b < 256; ++b) {
      CheckRoundTrip({static_cast<char>(a), static_cast<char>(b)});
    }
  }
}

TEST_CASE("Escaping round-trips sequences around every lead byte", "[escape]") {
  const std::string edges = "\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0";
  for (int lead = 0xC0; lead < 256; ++lead) {
    for (const char second : edges) {
      for (const char third : {'\x7F', '\x80', '\xBF', '\xC0'}) {
        for (const char fourth : {'\x7F', '\x80', '\xBF', '\xC0'}) {
          CheckRoundTrip({static_cast<char>(lead), second, third, fourth});
        }
      }
    }
  }
}

TEST_CASE("Different bytes escape to different texts", "[escape]") {
  CHECK(EscapeBytes("\\x41") != EscapeBytes("A"));
  CHECK(EscapeBytes("\\x41") == "\\x5Cx41");
}

TEST_CASE("UnescapeBytes takes upper and lower case, and any byte",
          "[escape]") {
  CHECK(UnescapeBytes("\\xff\\xFF\\x0a") == "\xFF\xFF\n");
  CHECK(UnescapeBytes("\\x41\\x5C") == "A\\");
  CHECK(UnescapeBytes("\xFF raw") == "\xFF raw");
  CHECK(UnescapeBytes("") == "");
}

TEST_CASE("UnescapeBytes refuses a backslash that starts nothing", "[escape]") {
  for (const char* text : {"\\", "a\\", "\\x", "\\x4", "\\xg0", "\\x0g", "\\n",
                           "\\X41", "\\\\", "\\u0041", "\\x-1", "ok\\x41\\"}) {
    CHECK_FALSE(UnescapeBytes(text));
  }
}

}  // namespace
}  // namespace shardine::escape_test
