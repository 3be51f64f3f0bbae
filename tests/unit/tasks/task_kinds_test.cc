// The kinds of plans: each can be written in one way only.
#include "tasks/task_kinds.h"

#include <catch2/catch.hpp>

#include "support/plan_parts.h"
#include "support/task_fixture.h"

namespace shardine::task_kinds_test {
namespace {

TEST_CASE("A plan says which verb's it is", "[tasks][plan]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 4, 300);
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  CHECK(PlanParts::Of(storage, kPlan).head.kind == TaskKind::kPack);
}

TEST_CASE("A head of a kind that there is not is none",
          "[tasks][plan][hostile]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 4, 300);
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  const PlanHead head = PlanParts::Of(storage, kPlan).head;
  const std::string bytes = EncodePlanHead(head);
  REQUIRE(DecodePlanHead(AsBytes(bytes)));
  // The kind follows the version, a text.
  const std::size_t at = 4 + head.tool_version.size();
  REQUIRE(bytes[at] == static_cast<char>(TaskKind::kPack));
  for (int number = 0; number < 256; ++number) {
    INFO(number);
    std::string other = bytes;
    other[at] = static_cast<char>(number);
    const auto* const kind = FindTaskKind(static_cast<TaskKind>(number));
    // The part of a kind's head that is its own may be something else.
    if (kind == nullptr) CHECK_FALSE(DecodePlanHead(AsBytes(other)));
    if (kind != nullptr) CHECK(kind->kind == static_cast<TaskKind>(number));
  }
  CHECK(FindTaskKind(static_cast<TaskKind>(255)) == nullptr);
}

}  // namespace
}  // namespace shardine::task_kinds_test
