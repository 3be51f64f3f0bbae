// TaskNote: the facts of a finished shard, in all its variants: all that
// finalize needs of it. OUT/.pack/<shard>.done, written when every file of the
// shard has its name. Layout: tasks/FORMAT.md, "Notes".
#ifndef SHARDINE_TASKS_TASK_NOTE_H_
#define SHARDINE_TASKS_TASK_NOTE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/content_counts.h"
#include "dataset/manifest.h"
#include "dataset/rejects.h"
#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "pack/shard_notes.h"
#include "shardine/digest.h"
#include "shardine/entry_points.h"
#include "shardine/status.h"
#include "source/shard_plan.h"
#include "tasks/plan_file.h"

namespace shardine {

// The shard as one variant has it.
struct NotedVariant {
  ManifestShard shard;
  // As those of a split (ManifestSplit) that has this shard alone.
  Digest128 content_digest;
  Digest128 names_digest;
  Digest128 binding_digest;
  Digest128 order_digest;
  ContentCounts counts;
  std::uint64_t image_bytes = 0;
  EntryPointCounts entry_points;

  friend bool operator==(const NotedVariant&, const NotedVariant&) = default;
};

struct TaskNote {
  std::string shard;  // its name
  Digest128 plan_digest;
  Digest128 part;   // PlannedShard::digest
  Digest128 facts;  // FactsDigest()
  Judgement judged;
  std::uint64_t rejects = 0;      // lines of <shard>.rejected
  Digest128 rejects_digest = {};  // XXH3-128 of that file; zero: there is none
  // Offsets in the shard's plan of samples that it does not have, ascending.
  std::vector<std::uint64_t> left_out = {};
  Digest128 source_digest = {};             // as ShardNotes::source_digest
  std::vector<SizeCounts> sizes = {};       // as ShardNotes::sizes
  std::vector<NotedVariant> variants = {};  // as DatasetPlan::variants

  friend bool operator==(const TaskNote&, const TaskNote&) = default;
};

std::string TaskNotePath(const OutputFolder& output, const std::string& shard);

// Magic, one line of JSON, and a line with the XXH3-128 of both.
std::string TaskNoteText(const TaskNote& note);
// nullopt for one that is not whole, or whose members are not those of a note.
std::optional<TaskNote> ParseTaskNote(std::string_view text);

// Reads the finished shard, its companions and the notes of the pack. `planned`
// has its samples.
Result<TaskNote> DescribeShard(const OutputFolder& output,
                               const DatasetPlan& planned,
                               const PlannedShard& shard,
                               const Judgement& judged);

// The note of a shard as its task left it. kNotFound: there is none; kChanged:
// it belongs to another plan, or to sources or a judgement that have changed;
// kCorrupt: it is damaged, or contradicts the shard of this plan. Its facts of
// files are not compared with them. `planned` is an outline.
Result<TaskNote> ReadTaskNote(const OutputFolder& output,
                              const DatasetPlan& planned,
                              const PlanShard& shard, const Judgement& judged);

// Reads the sidecars and companions of a shard in all variants. `planned` is an
// outline.
Result<std::vector<NotedVariant>> ReadNotedVariants(const OutputFolder& output,
                                                    const DatasetPlan& planned,
                                                    const PlannedShard& shard);

// kChanged, naming the file: one of them is not there or has another size, or a
// sidecar or a list of rejects is another.
Status CheckNotedFiles(const OutputFolder& output, const DatasetPlan& planned,
                       const TaskNote& note);

}  // namespace shardine

#endif  // SHARDINE_TASKS_TASK_NOTE_H_
