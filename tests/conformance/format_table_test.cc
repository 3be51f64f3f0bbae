// The promises of the table of formats to its readers.
#include <catch2/catch.hpp>
#include <set>

#include "conformance/format_fixture.h"
#include "shardine/format.h"

namespace shardine::format_table_test {
namespace {

TEST_CASE("The format table names each format and layout once",
          "[conformance]") {
  std::set<std::string> names;
  std::set<std::string_view> formats;
  for (const Format* format : BuiltinFormats().formats()) {
    CHECK(formats.insert(format->name).second);
    CHECK_FALSE(format->layouts.empty());
  }
  for (const Case& c : AllCases()) {
    CHECK(names.insert(c.name()).second);
    const auto parsed = ParseFormat(BuiltinFormats(), c.name());
    REQUIRE(parsed.ok());
    CHECK(parsed->format == c.format);
    CHECK(parsed->layout == c.layout);
  }
  CHECK_FALSE(names.empty());
}

TEST_CASE("The format table gives each format a suffix of its own",
          "[conformance]") {
  std::set<std::string_view> suffixes;
  for (const Format* format : BuiltinFormats().formats()) {
    INFO(format->name);
    CHECK(format->suffix.starts_with("."));
    CHECK(suffixes.insert(format->suffix).second);
    CHECK(BuiltinFormats().FindByName(format->name) == format);
    CHECK(BuiltinFormats().FindBySuffix("x" + std::string(format->suffix)) ==
          format);
    bool companion = false;
    for (const Layout& layout : format->layouts) {
      CHECK(layout.companion_suffix != format->suffix);
      companion = companion || !layout.companion_suffix.empty();
    }
    CHECK(companion == (format->check_companion != nullptr));
  }
}

TEST_CASE("The format table has all functions of each format",
          "[conformance]") {
  for (const Format* format : BuiltinFormats().formats()) {
    INFO(format->name);
    CHECK(format->probe != nullptr);
    CHECK(format->open_scanner != nullptr);
    CHECK(format->create_writer != nullptr);
  }
}

}  // namespace
}  // namespace shardine::format_table_test
