#include "cli/columns.h"

#include <catch2/catch.hpp>
#include <vector>

namespace shardine {
namespace {

using Lines = std::vector<std::pair<std::string_view, std::string_view>>;

TEST_CASE("TwoColumns is as wide as its longest name", "[columns]") {
  CHECK(TwoColumns(Lines()).empty());
  CHECK(TwoColumns(Lines{{"ls", "lists"}}) == "  ls  lists\n");
  // Longer than any verb there is.
  CHECK(TwoColumns(Lines{{"ls", "lists"}, {"twenty-letters-longer", "x"}}) ==
        "  ls                     lists\n"
        "  twenty-letters-longer  x\n");
}

}  // namespace
}  // namespace shardine
