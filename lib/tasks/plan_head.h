// The head of a plan file: the values that all its tasks share.
#ifndef SHARDINE_TASKS_PLAN_HEAD_H_
#define SHARDINE_TASKS_PLAN_HEAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/permutation.h"
#include "dataset/dataset_samples.h"
#include "dataset/manifest.h"
#include "dataset/rejects.h"
#include "shardine/convert.h"
#include "shardine/digest.h"
#include "shardine/pack.h"
#include "shardine/provenance.h"
#include "source/class_map.h"
#include "source/source_set.h"
#include "source/split.h"
#include "tasks/task_kind.h"
#include "tasks/verify_part.h"

namespace shardine {

// The dataset whose samples tasks make another one of.
struct PlanInput {
  Digest128 manifest;  // XXH3-128 of its text
  std::vector<DatasetSamples::Listed> shards;
  // The fields that are kept beside the image; nullopt: all.
  std::optional<std::vector<std::string>> fields;
  std::optional<PixelOrder> pixels;          // arrays that images become
  std::optional<ArrayEncoding> encode = {};  // images that arrays become
  std::string fingerprint;                   // PlannedConversion::fingerprint
  ManifestVariant record;                    // of a conversion's output
  std::optional<Digest128> bindings;         // DatasetPlan::binding_digest
};

// Images and files that planning took out, and that no task handles: only
// finalize reads these lists, which may be longer than all else of a plan.
struct PlanLists {
  std::vector<SourceProblem> bad;
  std::vector<SourceProblem> ignored;
  std::vector<Reject> kept;  // DatasetPlan::kept
};

struct PlanHead {
  std::string tool_version;
  TaskKind kind = TaskKind::kPack;
  std::vector<std::string> codec_versions;
  Provenance made;
  std::uint64_t shards_per_task = 1;

  // The rest is for kinds that make a dataset (tasks/dataset_head.h).
  // Without a source, whose part the members below have.
  PackOptions pack;
  Digest128 plan_digest;                  // DatasetPlan's
  ShuffleVersion shuffle = kPlanShuffle;  // which orders the seed stood for
  std::vector<std::string> roots;
  std::vector<std::string> splits;
  ClassMap classes;
  std::vector<std::string> text_fields;
  CategoryMap categories;
  bool has_boxes = false;  // the source, be it of other samples
  std::vector<TableColumn> columns;

  PlanInput input;         // of kinds that have one (tasks/conversion_head.h)
  VerifyPart verify = {};  // of verifications

  // All but the samples and the lists.
  SourceSet Source() const;
};

// REQUIRES: there are plans of its kind (tasks/task_kinds.h).
std::string EncodePlanHead(const PlanHead& head);
// nullopt: it is no head, or has impossible values.
std::optional<PlanHead> DecodePlanHead(ByteView bytes);

std::string EncodePlanLists(const PlanLists& lists);
// nullopt: it is no lists, or not those of a plan with this head.
std::optional<PlanLists> DecodePlanLists(ByteView bytes, const PlanHead& head);

}  // namespace shardine

#endif  // SHARDINE_TASKS_PLAN_HEAD_H_
