// The head of a plan file: what all its tasks have in common.
#ifndef SHARDINE_TASKS_PLAN_HEAD_H_
#define SHARDINE_TASKS_PLAN_HEAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "shardine/digest.h"
#include "shardine/making.h"
#include "shardine/pack.h"
#include "source/class_map.h"
#include "source/source_set.h"
#include "tasks/task_kind.h"

namespace shardine {

struct PlanHead {
  std::string tool_version;
  TaskKind kind = TaskKind::kPack;
  std::vector<std::string> codec_versions;
  Making made;
  std::uint64_t shards_per_task = 1;

  // The rest is of kinds that make a dataset (tasks/dataset_head.h).
  // Without a source, whose part the members below have.
  PackOptions pack;
  Digest128 plan_digest;  // DatasetPlan's
  std::vector<std::string> roots;
  std::vector<std::string> splits;
  ClassMap classes;
  std::vector<SourceProblem> bad;
  bool has_boxes = false;  // the source, be it of other samples

  // All but the samples.
  SourceSet Source() const;
};

// REQUIRES: there are plans of its kind (tasks/task_kinds.h).
std::string EncodePlanHead(const PlanHead& head);
// nullopt: it is none, or says what cannot be.
std::optional<PlanHead> DecodePlanHead(ByteView bytes);

}  // namespace shardine

#endif  // SHARDINE_TASKS_PLAN_HEAD_H_
