#include "tasks/verify_head.h"

#include <algorithm>

namespace shardine {
namespace {

template <typename Fields, typename Facts>
void VisitFacts(Fields& fields, Facts& facts) {
  fields(facts.size);
  fields(facts.time_ns);
}

template <typename Fields, typename Part>
void Visit(Fields& fields, Part& part) {
  fields(part.options.target);
  fields.Choice(part.options.level, VerifyLevel::kDeep);
  fields(part.options.against);
  fields(part.options.list);
  fields(part.options.list_root);
  fields(part.notes);
  VisitFacts(fields, part.list);
  fields.List(part.members, [&](auto& member) {
    fields(member.path);
    fields(member.manifest);
    fields.List(member.files, [&](auto& facts) { VisitFacts(fields, facts); });
  });
}

bool IsSound(const VerifyPart& part) {
  const auto not_before = [](const PlannedMember& a, const PlannedMember& b) {
    return a.path >= b.path;
  };
  return !part.options.target.empty() && !part.notes.empty() &&
         !part.members.empty() && part.members.front().path.empty() &&
         std::ranges::adjacent_find(part.members, not_before) ==
             part.members.end();
}

}  // namespace

void WriteVerifyHead(const PlanHead& head, FieldWriter& fields) {
  Visit(fields, head.verify);
}

bool ReadVerifyHead(FieldReader& fields, PlanHead& head) {
  Visit(fields, head.verify);
  for (const PlannedMember& member : head.verify.members) {
    head.splits.push_back(member.path);
  }
  return IsSound(head.verify);
}

std::string EncodeFacts(const std::vector<FileFacts>& facts) {
  std::string bytes;
  FieldWriter fields(bytes);
  fields.List(facts, [&](const FileFacts& one) { VisitFacts(fields, one); });
  return bytes;
}

bool DecodeFacts(ByteView bytes, std::vector<FileFacts>& facts) {
  FieldReader fields(bytes);
  fields.List(facts, [&](FileFacts& one) { VisitFacts(fields, one); });
  return fields.done();
}

}  // namespace shardine
