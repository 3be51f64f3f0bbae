#include "shardine/printable.h"

#include <catch2/catch.hpp>
#include <string>

#include "shardine/escape.h"
#include "shardine/status.h"

namespace shardine::printable_test {
namespace {

// A hostile name, by which a terminal sets a title, clears and colours.
const std::string kHostile =
    "a\x1b]0;owned\x07\x1b[2J\r\nb\x7f\xc2\x9b"
    "31m\xe2\x80\xae"
    "cod.exe\xe2\x81\xa6\xe2\x80\xa8\xff";
const std::string kShown =
    R"(a\x1B]0;owned\x07\x1B[2J\x0D\x0Ab\x7F\xC2\x9B31m\xE2\x80\xAEcod.exe)"
    R"(\xE2\x81\xA6\xE2\x80\xA8\xFF)";

TEST_CASE("PrintableLine sends no terminal what it would act on", "[escape]") {
  CHECK(PrintableLine(kHostile) == kShown);
  CHECK(PrintableText("a\tb\nc\r\x1b") == "a\tb\nc\\x0D\\x1B");
}

TEST_CASE("PrintableLine leaves text as it is", "[escape]") {
  for (const std::string text :
       {"", "plain", "back\\slash \\x1B", "caf\xc3\xa9 \xe5\xb1\xb1",
        "\xf0\x9f\x90\x95", "\xc2\xa0\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5"}) {
    CHECK(PrintableLine(text) == text);
    CHECK(PrintableText(text) == text);
  }
}

TEST_CASE("Printable text escaped before comes back to its bytes", "[escape]") {
  const std::string key = kHostile + "\\x41";
  CHECK(UnescapeBytes(PrintableLine(EscapeBytes(key))) == key);
}

TEST_CASE("UnprintableLength knows each control and no neighbour", "[escape]") {
  CHECK(UnprintableLength("\x1f") == 1);
  CHECK(UnprintableLength(" ") == 0);
  CHECK(UnprintableLength("~") == 0);
  CHECK(UnprintableLength("\xc2\x80") == 2);
  CHECK(UnprintableLength("\xc2\xa0") == 0);
  CHECK(UnprintableLength("\xd8\x9b") == 0);
  CHECK(UnprintableLength("\xd8\x9c") == 2);
  CHECK(UnprintableLength("\xe2\x80\x8d") == 0);  // joins emoji
  CHECK(UnprintableLength("\xe2\x80\x8e") == 3);
  CHECK(UnprintableLength("\xe2\x80\x8f") == 3);
  CHECK(UnprintableLength("\xe2\x80\x90") == 0);
  CHECK(UnprintableLength("\xe2\x80\xaa") == 3);
  CHECK(UnprintableLength("\xe2\x81\xa9") == 3);
  CHECK(UnprintableLength("\xe2\x81\xaa") == 0);
  CHECK(UnprintableLength("\xc2") == 1);
}

TEST_CASE("Status escapes its path, its key and what its message quotes",
          "[escape][status]") {
  const std::string text = Status(Code::kCorrupt, "global " + kHostile)
                               .At({.path = kHostile, .key = kHostile})
                               .ToString();
  CHECK(text == kShown + ": key " + kShown + ": global " + kShown);
}

}  // namespace
}  // namespace shardine::printable_test
