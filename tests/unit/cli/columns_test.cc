#include "cli/columns.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace shardine::columns_test {
namespace {

using Lines = std::vector<Row>;

TEST_CASE("A column is as wide as its longest cell", "[columns]") {
  CHECK(Aligned(Lines(), "  ").empty());
  CHECK(Aligned(Lines{{"ls", "lists"}}, "  ") == "  ls  lists\n");
  // Longer than any verb there is.
  CHECK(Aligned(Lines{{"ls", "lists"}, {"twenty-letters-longer", "x"}}, "  ") ==
        "  ls                     lists\n"
        "  twenty-letters-longer  x\n");
}

TEST_CASE("Words hang in a column beside their label", "[columns]") {
  CHECK(Hanging("  -j", "threads", 8) == "  -j    threads\n");
  CHECK(Hanging("  --long", "threads", 8) == "  --long\n        threads\n");
  CHECK(Hanging("", "no label", 0) == "no label\n");
  const std::string lines =
      Hanging("  -j", std::string(40, 'a') + " " + std::string(40, 'b'), 8);
  CHECK(lines == "  -j    " + std::string(40, 'a') + "\n        " +
                     std::string(40, 'b') + "\n");
}

}  // namespace
}  // namespace shardine::columns_test
