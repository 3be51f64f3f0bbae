#include "tasks/plan_head.h"

#include "tasks/plan_fields.h"
#include "tasks/task_kinds.h"

namespace shardine {
namespace {

// What heads of all kinds say.
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

}  // namespace

SourceSet PlanHead::Source() const {
  SourceSet source;
  source.roots = roots;
  source.splits = splits;
  source.classes = classes;
  source.bad = bad;
  source.ignored = ignored;
  source.text_fields = text_fields;
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

}  // namespace shardine
