#include "cli/columns.h"

#include <catch2/catch.hpp>
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

}  // namespace
}  // namespace shardine::columns_test
