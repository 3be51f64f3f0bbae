#include "base/shown_name.h"

#include <catch2/catch.hpp>

#include "base/utf8.h"
#include "shardine/printable.h"
#include "shardine/status.h"

namespace shardine::shown_name_test {
namespace {

// Parsers review 8: names in messages were as long as the file likes.
// parsers review 8.
TEST_CASE("A name in a message is quoted, escaped and cut between characters",
          "[text]") {
  CHECK(ShowName("a/b.jpg") == "\"a/b.jpg\"");
  CHECK(ShowName("") == "\"\"");
  CHECK(ShowName("a\n\\") == "\"a\\x0A\\x5C\"");
  const std::string whole(kMaxShownName, 'x');
  CHECK(ShowName(whole) == "\"" + whole + "\"");
  CHECK(ShowName(whole + "y") == "\"" + whole + "...\"");
  for (std::size_t before = 0; before < 8; ++before) {
    for (const char* letter :
         {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\x01", "\xff"}) {
      std::string name(before, 'x');
      while (name.size() < 5000) name += letter;
      const std::string shown = ShowName(name);
      CAPTURE(shown);
      CHECK(shown.size() <= kMaxShownName + 5);
      CHECK(shown.size() > kMaxShownName - 6);
      CHECK(IsUtf8(shown));
      CHECK(shown.ends_with("...\""));
      // No half of an escape.
      const std::size_t slash = shown.rfind('\\');
      if (slash != shown.npos) CHECK(slash + 4 <= shown.size() - 4);
    }
  }
}

TEST_CASE("A message that leaves has no long name, whoever wrote it",
          "[text]") {
  const std::string plain = "field \"a\" has a shape; see \"b\"";
  CHECK(MessageLine(plain) == plain);
  const std::string name(100'000, 'n');
  CHECK(MessageLine("field \"" + name + "\" is one of \"x\"") ==
        "field \"" + name.substr(0, kMaxShownName) + "...\" is one of \"x\"");
  CHECK(MessageLine("field \"" + name).size() < 300);
  // A cut name is not cut again.
  const std::string once = "a " + ShowName(name) + " b";
  CHECK(MessageLine(once) == once);
  CHECK(MessageLine(name).size() <= (8U << 10) + 3);
  std::string list;
  for (int i = 0; i < 10'000; ++i) list += "\"name\", ";
  CHECK(MessageLine(list).size() <= (8U << 10) + 3);
  const Status status = Status(Code::kCorrupt, "\"" + name + "\" is bad")
                            .At({.path = "x", .key = name});
  CHECK(status.ToString().size() < 500);
  CHECK(IsUtf8(status.ToString()));
}

}  // namespace
}  // namespace shardine::shown_name_test
