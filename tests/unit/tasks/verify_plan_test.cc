// Plans of verifications: read as they were written, damaged, made up.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "base/checksum.h"
#include "support/plan_parts.h"
#include "support/verify_tasks_fixture.h"
#include "tasks/verify_head.h"

namespace shardine::verify_plan_test {
namespace {

struct World {
  World() {
    PackFamily(storage, "recordio");
    REQUIRE(PlanVerify(storage, {.target = "out"}).ToString() == "OK");
    whole = *storage.Get(kPlan);
  }
  // The code of a task. Where a task fails, there is no report either.
  Code CodeOf(const std::string& plan) {
    storage.Put(kPlan, plan);
    const Status run = RunSome(storage, {0});
    const auto end = FinalizeTasks({.plan = kPlan}, {.storage = &storage});
    if (!run.ok()) CHECK_FALSE((end.ok() && end->verified));
    return run.code();
  }
  // The code of a task of a plan forged with valid checksums.
  Code CodeOfForged(const std::function<void(PlanParts&)>& forge) {
    storage.Put(kPlan, whole);
    PlanParts parts = PlanParts::Of(storage, kPlan);
    forge(parts);
    return CodeOf(parts.Bytes());
  }

  MemoryStorage storage;
  std::string whole;
};

TEST_CASE_METHOD(World, "A plan of a verification has the family's shards",
                 "[tasks][verify][plan]") {
  const auto plan = PlanFile::Open(storage, kPlan, BuiltinFormats());
  REQUIRE(plan.status().ToString() == "OK");
  const PlanHead& head = (*plan)->head();
  CHECK(head.kind == TaskKind::kVerify);
  CHECK(head.made.command == "verify");
  CHECK(head.made.options.at("level") == "full");
  CHECK(head.verify.options.target == "out");
  CHECK(head.verify.notes == kNotes);
  REQUIRE(head.verify.members.size() == 3);
  CHECK(head.verify.members[1].path == "sz/16");
  CHECK(head.verify.members[0].files.size() == 1);  // rejected.jsonl
  CHECK((*plan)->shards().size() == 9);
  CHECK((*plan)->samples() == 3 * kImages);
  CHECK(EncodePlanHead(*DecodePlanHead(AsBytes(EncodePlanHead(head)))) ==
        EncodePlanHead(head));
}

TEST_CASE_METHOD(World, "Every damaged byte of a verification's plan is found",
                 "[tasks][verify][plan][corruption]") {
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] ^= 8;
    INFO("byte " << byte << " of " << whole.size());
    storage.Put(kPlan, damaged);
    REQUIRE(
        FinalizeTasks({.plan = kPlan}, {.storage = &storage}).status().code() ==
        Code::kCorrupt);
  }
}

TEST_CASE_METHOD(World, "A plan of other shards than the dataset's is refused",
                 "[tasks][verify][plan][forged]") {
  CHECK(CodeOfForged([](PlanParts&) {}) == Code::kOk);
  CHECK(CodeOfForged([](PlanParts& parts) { parts.shards.pop_back(); }) ==
        Code::kCorrupt);
  CHECK(CodeOfForged([](PlanParts& parts) {
          parts.shards.push_back(parts.shards.back());
          parts.rows.push_back(parts.rows.back());
        }) == Code::kCorrupt);
  CHECK(CodeOfForged([](PlanParts& parts) {
          ++parts.shards[4].planned.count;
        }) == Code::kCorrupt);
  CHECK(CodeOfForged([](PlanParts& parts) {
          parts.shards[8].planned.split = 1;
        }) == Code::kCorrupt);
  CHECK(CodeOfForged([](PlanParts& parts) {
          parts.shards[8].planned.split = 3;
        }) == Code::kCorrupt);
}

TEST_CASE_METHOD(World, "A plan that lies of files is refused",
                 "[tasks][verify][plan][forged]") {
  const auto with_facts = [](PlanParts& parts, const std::string& rows) {
    parts.rows[0] = rows;
    parts.shards[0].facts = Xxh3_128(AsBytes(rows));
  };
  CHECK(CodeOfForged([](PlanParts& parts) {
          parts.shards[0].facts.low ^= 1;
        }) == Code::kCorrupt);
  CHECK(CodeOfForged([&](PlanParts& parts) { with_facts(parts, "x"); }) ==
        Code::kCorrupt);
  CHECK(CodeOfForged([&](PlanParts& parts) {
          with_facts(parts, EncodeFacts({{.size = 1, .time_ns = 2}}));
        }) == Code::kCorrupt);
  CHECK(CodeOfForged([](PlanParts& parts) {
          parts.head.verify.members[2].manifest.low ^= 1;
        }) == Code::kChanged);
  CHECK(CodeOfForged([](PlanParts& parts) {
          parts.head.verify.members[0].files[0].time_ns ^= 1;
        }) == Code::kChanged);
  CHECK(CodeOfForged([](PlanParts& parts) {
          parts.head.verify.members[0].files.clear();
        }) == Code::kCorrupt);
}

TEST_CASE_METHOD(World, "A head that no verification has is none",
                 "[tasks][verify][plan][hostile]") {
  const auto forge = [&](const std::function<void(VerifyPart&)>& change) {
    return CodeOfForged([&](PlanParts& parts) { change(parts.head.verify); });
  };
  CHECK(forge([](VerifyPart& part) { part.members.clear(); }) ==
        Code::kCorrupt);
  CHECK(forge([](VerifyPart& part) { part.members[0].path = "a"; }) ==
        Code::kCorrupt);
  CHECK(forge([](VerifyPart& part) {
          std::swap(part.members[1], part.members[2]);
        }) == Code::kCorrupt);
  CHECK(forge([](VerifyPart& part) { part.members.pop_back(); }) ==
        Code::kCorrupt);
  CHECK(forge([](VerifyPart& part) { part.notes.clear(); }) == Code::kCorrupt);
  CHECK(forge([](VerifyPart& part) { part.options.target.clear(); }) ==
        Code::kCorrupt);
  CHECK(forge([](VerifyPart& part) { part.options.target = "sz"; }) !=
        Code::kOk);
}

}  // namespace
}  // namespace shardine::verify_plan_test
