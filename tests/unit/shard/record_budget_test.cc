#include "shard/record_budget.h"

#include <catch2/catch.hpp>
#include <limits>

namespace shardine::record_budget_test {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

TEST_CASE("RecordBudget grants what is in proportion to the record",
          "[budget]") {
  RecordBudget budget(1 << 20);
  for (const std::uint64_t size : {0, 1, 1000, 2000}) {
    budget.Begin(size);
    CHECK(budget.copies_left() == 8 * size + 4096);
    CHECK(budget.Copy(8 * size + 4096));
    CHECK_FALSE(budget.Copy(1));
    CHECK(budget.Show(size));
    CHECK_FALSE(budget.Show(1));
    CHECK(budget.Step(64 * size + (1 << 20)));
    CHECK_FALSE(budget.Step());
    // Copies are memory.
    CHECK(budget.held() == budget.copied());
    CHECK(budget.Hold((1 << 20) - budget.held()));
    CHECK_FALSE(budget.Hold(1));
    CHECK(budget.Hold(0));
  }
}

TEST_CASE("RecordBudget takes any number that a file may say", "[budget]") {
  RecordBudget budget(kMost);
  budget.Begin(kMost);
  CHECK(budget.Copy(kMost));
  CHECK_FALSE(budget.Copy(1));
  CHECK(budget.copies_left() == 0);
  budget.Begin(100);
  CHECK(budget.Step(1));
  CHECK_FALSE(budget.Step(kMost));
  CHECK_FALSE(budget.Show(kMost));
  CHECK(budget.Show(100));
}

}  // namespace
}  // namespace shardine::record_budget_test
