#include "tasks/plan_head.h"

#include <algorithm>

#include "tasks/plan_fields.h"
#include "tasks/task_kinds.h"

namespace shardine {
namespace {

// The fields in heads of all kinds.
template <typename Fields, typename Head>
void VisitAnyKind(Fields& fields, Head& head) {
  fields(head.tool_version);
  fields.Choice(head.kind, TaskKind::kVerify);
  fields.List(head.codec_versions, [&](auto& version) { fields(version); });
  fields(head.made.command);
  fields.List(head.made.sources, [&](auto& source) { fields(source); });
  fields.Map(head.made.options);
  fields(head.shards_per_task);
}

template <typename Fields, typename Lists>
void VisitLists(Fields& fields, Lists& lists) {
  for (auto* const problems : {&lists.bad, &lists.ignored}) {
    fields.List(*problems, [&](auto& problem) {
      fields(problem.key);
      fields(problem.reason);
      fields(problem.root);
      fields(problem.list);
      fields(problem.line);
    });
  }
  fields.List(lists.kept, [&](auto& reject) {
    fields(reject.split);
    fields(reject.key);
    fields(reject.reason);
    fields(reject.action);
    fields(reject.detail);
    fields(reject.file);
    fields.Maybe(reject.record);
    fields.Maybe(reject.byte);
  });
}

}  // namespace

SourceSet PlanHead::Source() const {
  SourceSet source;
  source.roots = roots;
  source.splits = splits;
  source.classes = classes;
  source.text_fields = text_fields;
  source.categories = categories;
  source.columns = columns;
  // Whether there are any at all is part of a shard's digest.
  if (has_boxes) source.boxes.Add("", {});
  return source;
}

std::string EncodePlanHead(const PlanHead& head) {
  std::string bytes;
  FieldWriter fields(bytes);
  VisitAnyKind(fields, head);
  FindTaskKind(head.kind)->write_head(head, fields);
  return bytes;
}

std::optional<PlanHead> DecodePlanHead(ByteView bytes) {
  PlanHead head;
  FieldReader fields(bytes);
  VisitAnyKind(fields, head);
  const TaskKindParts* const kind = FindTaskKind(head.kind);
  if (kind == nullptr || head.shards_per_task == 0 ||
      !kind->read_head(fields, head) || !fields.done()) {
    return std::nullopt;
  }
  return head;
}

std::string EncodePlanLists(const PlanLists& lists) {
  std::string bytes;
  FieldWriter fields(bytes);
  VisitLists(fields, lists);
  return bytes;
}

std::optional<PlanLists> DecodePlanLists(ByteView bytes, const PlanHead& head) {
  PlanLists lists;
  FieldReader fields(bytes);
  VisitLists(fields, lists);
  const auto is_root = [&](const SourceProblem& problem) {
    return problem.root < head.roots.size();
  };
  const auto is_ignored = [&](const SourceProblem& problem) {
    return problem.root == SourceProblem::kNoRoot || is_root(problem);
  };
  // A dataset is read without files beside it.
  const bool has_input = FindTaskKind(head.kind)->has_input;
  if (!fields.done() || (has_input && !lists.bad.empty()) ||
      (!has_input && !lists.kept.empty()) ||
      !std::ranges::all_of(lists.bad, is_root) ||
      !std::ranges::all_of(lists.ignored, is_ignored)) {
    return std::nullopt;
  }
  return lists;
}

}  // namespace shardine
