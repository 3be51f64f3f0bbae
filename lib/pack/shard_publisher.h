// ShardPublisher: takes a written shard, reads all of it back, and only when
// every sample is right publishes its sidecar, then its entry points, then the
// shard itself, then its companion: with all of them in place the shard is
// finished, and no file ever exists without the sidecar that proves its origin.
#ifndef SHARDINE_PACK_SHARD_PUBLISHER_H_
#define SHARDINE_PACK_SHARD_PUBLISHER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "io/output_folder.h"
#include "pack/dataset_plan.h"
#include "pack/shard_notes.h"
#include "shard/entry_point_file.h"
#include "shard/format_registry.h"
#include "shardine/digest.h"
#include "source/shard_plan.h"

namespace shardine {

// A shard of one dataset whose samples have all been appended.
struct WrittenShard {
  struct Sample {
    std::uint32_t source = 0;  // into the list of samples
    Digest128 digest;          // of the labels and bytes that went in
  };
  const PlannedShard* shard = nullptr;
  std::unique_ptr<ShardWriter> writer;
  std::optional<EntryPointFileWriter> entry_points;  // of those, if wanted
  std::vector<Sample> samples;                       // in order
};

// Other runs that may be making the very same shard at the same time.
enum class Twins : std::uint8_t {
  kNone,
  // Other attempts at the same task: the storage is an AttemptStorage
  // (io/attempt_storage.h), which compares files that have a final name.
  kAny,
};

// Thread-compatible.
class ShardPublisher {
 public:
  // `planned`, whose `variant` it publishes below `output`, must outlive the
  // publisher.
  ShardPublisher(const OutputFolder& output, const DatasetPlan& planned,
                 const PlannedVariant& variant, Twins twins = Twins::kNone)
      : ShardPublisher(output.Below(variant.folder), planned.plan.source(),
                       planned.format, planned.entry_points, variant, twins) {}
  // Into `folder`, of samples of one's own. All must outlive it.
  ShardPublisher(OutputFolder folder, const SourceSet& source,
                 const FormatAndLayout& format, EntryPoints entry_points,
                 const PlannedVariant& variant, Twins twins = Twins::kNone)
      : folder_(std::move(folder)),
        storage_(folder_.storage()),
        source_(source),
        variant_(variant),
        format_(format),
        entry_points_(entry_points),
        twins_(twins) {}

  // Into PreparedBlock::variants.
  std::size_t variant() const { return variant_.number; }

  // Begins the shard under its temporary names.
  Result<WrittenShard> Begin(const PlannedShard& shard) const;

  // The shard and, where the format has one, its companion.
  ShardPaths FinalPaths(const std::string& shard) const;
  // The same under their temporary names, for the writer.
  ShardPaths TemporaryPaths(const std::string& shard) const;

  // True if the shard is there as this plan has it, whichever plan it was
  // finished under. It does not compare the facts of source files. A shard
  // whose size and time are not those noted is read before it is believed.
  Result<bool> IsFinished(const PlannedShard& shard,
                          const std::optional<NotedFile>& noted) const;
  // The shard's file, which exists, as it is now.
  Result<NotedFile> FactsOf(const PlannedShard& shard) const;

  // kAlreadyExists, naming the file: something under the shard's final names is
  // not shown to be of this variant and one of those parts of a plan
  // (PlannedShard::digest). For the proof see pack/own_shard.h.
  Status CheckRemovable(const std::string& shard,
                        std::span<const Digest128> parts) const;
  // Removes the shard that has a sidecar, the sidecar last: files left after a
  // kill are known as ours, and are no finished shard. REQUIRES:
  // CheckRemovable().
  Status Remove(const std::string& shard) const;

  // kCorrupt if the bytes read back differ from those written; kCancelled if
  // stopped; kAlreadyExists: something has one of the final names, which are
  // looked at last of all, and it is no twin's. Nothing of the shard is under a
  // final name then. After other failures the files there are whole, and a run
  // may remove them.
  Status Publish(WrittenShard written, const std::stop_token& stop) const;

  // Removes files that Publish, or the writer, left under temporary names.
  void RemoveTemporaries(const std::string& shard) const;

 private:
  class ReadBack;
  Status RemoveForGood(const std::vector<std::string>& files) const;
  Status CheckFree(const std::string& shard) const;
  Status Place(WrittenShard& written, const ReadBack& read_back) const;
  Status CheckCompanion(const WrittenShard& written,
                        const ReadBack& read_back) const;

  const OutputFolder folder_;
  Storage& storage_;  // of the folder
  const SourceSet& source_;
  const PlannedVariant& variant_;
  const FormatAndLayout& format_;
  const EntryPoints entry_points_;
  const Twins twins_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_SHARD_PUBLISHER_H_
