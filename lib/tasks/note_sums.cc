#include "tasks/note_sums.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/rejects.h"
#include "shard/content_digest.h"

namespace shardine {
namespace {

// The sums of a shard's samples that need no read of them.
struct PlannedSums {
  Digest128 names;
  Digest128 order;
  std::uint64_t unlabelled = 0;
};

class NoteSums {
 public:
  explicit NoteSums(const TaskFolder& folder) : folder_(folder) {
    const DatasetPlan& outline = folder.outline();
    sums_.summaries.resize(outline.variants.size());
    sums_.notes.rejects = outline.kept;
    std::ranges::move(
        RejectsOfScan(outline.plan.source().bad, folder.judged().on_bad),
        std::back_inserter(sums_.notes.rejects));
    if (outline.has_sizes()) {
      sums_.notes.sizes.resize(outline.variants.back().number);
    }
    // Names alone: classes would be copied for each shard.
    names_.roots = outline.plan.source().roots;
    names_.splits = outline.plan.source().splits;
    names_.boxes = outline.plan.source().boxes;
    names_.columns = outline.plan.source().columns;
  }

  Status Add(const PlanShard& shard, const TaskNote& note) {
    SHARDINE_ASSIGN_OR_RETURN(const PlannedSums planned,
                              ReadPlanned(shard, note));
    for (const NotedVariant& variant : note.variants) {
      if (variant.names_digest == planned.names &&
          variant.order_digest == planned.order &&
          variant.counts.unlabelled == planned.unlabelled) {
        continue;
      }
      return Wrong(note, "has other samples than the plan");
    }
    SHARDINE_RETURN_IF_ERROR(AddRejects(note));
    for (std::size_t i = 0; i < note.variants.size(); ++i) {
      AddVariant(note.variants[i], sums_.summaries[i]);
    }
    sums_.notes.source_digest += note.source_digest;
    for (std::size_t i = 0; i < note.sizes.size(); ++i) {
      sums_.notes.sizes[i].upscaled += note.sizes[i].upscaled;
      sums_.notes.sizes[i].kept += note.sizes[i].kept;
    }
    return Status();
  }

  DatasetSums Take() {
    EndSplit();
    DropJudgedAgain(sums_.notes.rejects);
    for (DatasetSummary& summary : sums_.summaries) {
      summary.label_counts = label_counts_;
      StoreCounts(summary.counts, summary.splits);
    }
    return std::move(sums_);
  }

 private:
  Status Wrong(const TaskNote& note, const std::string& what) const {
    return Status(Code::kCorrupt, what + "; remove it and run the task of " +
                                      note.shard + " again")
        .At({.path = TaskNotePath(folder_.output(), note.shard)});
  }

  Result<PlannedSums> ReadPlanned(const PlanShard& shard,
                                  const TaskNote& note) {
    BeginSplit(shard.planned.split);
    names_.samples = SourceList();
    SHARDINE_RETURN_IF_ERROR(folder_.plan().ReadRows(shard, names_));
    const std::string& split = names_.splits[shard.planned.split];
    PlannedSums sums;
    Xxh3Stream order;
    auto left_out = note.left_out.begin();
    const SourceList& samples = names_.samples;
    for (std::uint64_t i = 0; i < shard.planned.count; ++i) {
      if (left_out != note.left_out.end() && *left_out == i) {
        ++left_out;
        continue;
      }
      const std::uint64_t id = samples.id(i);
      sums.names += NameDigest(id, split, samples.key(i));
      order.UpdateLe(id);
      order_.UpdateLe(id);
      sums.unlabelled += samples.label_count(i) == 0 ? 1 : 0;
      CountLabel(samples, i);
    }
    sums.order = order.Digest();
    return sums;
  }

  // As in a summary of sidecars.
  void CountLabel(const SourceList& samples, std::uint64_t index) {
    if (const auto label = samples.class_label(index)) {
      ++label_counts_[*label];
      return;
    }
    samples.GetLabels(index, labels_);
    CountLabels(labels_, label_counts_);
  }

  Status AddRejects(const TaskNote& note) {
    if (note.rejects == 0) return Status();
    const std::string path = ShardRejectsPath(folder_.output(), note.shard);
    auto rejects = ReadRejects(folder_.output().storage(), path);
    if (!rejects.ok()) return rejects.status();
    std::uint64_t left_out = 0;
    for (const Reject& reject : *rejects) {
      left_out += reject.action != "keep" ? 1 : 0;
    }
    if (rejects->size() != note.rejects || left_out != note.left_out.size() ||
        DigestOfRejects(*rejects) != note.rejects_digest) {
      return Wrong(note, "is of another list of rejects");
    }
    std::ranges::move(*rejects, std::back_inserter(sums_.notes.rejects));
    return Status();
  }

  // Splits follow each other by name, as in a manifest.
  void BeginSplit(std::uint32_t split) {
    if (split_ == split) return;
    EndSplit();
    split_ = split;
    for (DatasetSummary& summary : sums_.summaries) {
      summary.splits.emplace_back().name = names_.splits[split];
      summary.counts.emplace_back();
    }
  }

  void EndSplit() {
    if (!split_) return;
    for (DatasetSummary& summary : sums_.summaries) {
      summary.splits.back().order_digest = order_.Digest();
    }
    order_.Reset();
  }

  static void AddVariant(const NotedVariant& noted, DatasetSummary& summary) {
    ManifestSplit& split = summary.splits.back();
    split.samples += noted.shard.samples;
    split.content_digest += noted.content_digest;
    split.names_digest += noted.names_digest;
    split.binding_digest += noted.binding_digest;
    split.shards.push_back(noted.shard);
    summary.counts.back().Add(noted.counts);
    summary.image_bytes += noted.image_bytes;
    summary.entry_points += noted.entry_points;
  }

  const TaskFolder& folder_;
  SourceSet names_;  // with the samples of one shard at a time
  std::optional<std::uint32_t> split_;
  Xxh3Stream order_;  // of the split
  std::vector<Label> labels_;
  std::map<std::int64_t, std::uint64_t> label_counts_;
  DatasetSums sums_;
};

}  // namespace

Result<DatasetSums> AddNotes(const TaskFolder& folder,
                             const std::vector<TaskNote>& notes,
                             const std::stop_token& stop) {
  NoteSums sums(folder);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    SHARDINE_RETURN_IF_ERROR(sums.Add(folder.plan().shards()[i], notes[i]));
  }
  return sums.Take();
}

}  // namespace shardine
