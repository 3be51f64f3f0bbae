// Blocks of the samples of datasets: payloads by their extents, checked against
// the sidecar, or by a scan where they are not in the shard as such.
#ifndef SHARDINE_PACK_DATASET_BLOCK_H_
#define SHARDINE_PACK_DATASET_BLOCK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "dataset/ask_ahead.h"
#include "dataset/dataset_samples.h"
#include "pack/block.h"
#include "pack/checker_pool.h"
#include "pack/image_policy.h"
#include "shard/format.h"
#include "source/shard_plan.h"

namespace shardine {

class DatasetBlockPreparer : public BlockPreparer {
 public:
  // Sample i of the plan's source is sample i of `samples`. Without `policy`
  // samples pass through as they are, and `entry_points` says whether some are
  // found for them. All must outlive the preparer.
  DatasetBlockPreparer(const DatasetSamples& samples, const ShardPlan& plan,
                       const ImagePolicy& policy);
  DatasetBlockPreparer(const DatasetSamples& samples, const ShardPlan& plan,
                       EntryPoints entry_points);
  ~DatasetBlockPreparer() override;

  PreparedBlock Prepare(const PlannedBlock& planned, PreparedBlock used,
                        const std::stop_token& stop) const override;
  // Where blocks wait for a server.
  unsigned min_threads() const override;
  // A shard that needs a scan is read from front to back, by one thread.
  unsigned max_threads() const override;

 private:
  struct Scan;
  // Neighbours in one shard of the input.
  struct Run {
    std::size_t source = 0;  // number of the first
    std::uint64_t count = 0;
  };

  // Asks a server for all that the block reads, before any of it is waited for.
  AheadBytes AskForBlock(const PlannedBlock& planned) const;
  Run RunAt(const PlannedBlock& planned, std::uint64_t offset) const;
  Status PrepareStored(const Run& run, PreparedBlock& block) const;
  Status PrepareScanned(const Run& run, PreparedBlock& block) const;
  Result<ScannedSample> ScanTo(const DatasetSamples::Location& location) const;
  PreparedPayload TakeFields(const IndexEntry& entry, ByteBuffer& bytes) const;
  // A sample of the plan and where it is.
  struct Place {
    std::size_t source = 0;
    DatasetSamples::Location input;
  };

  Status OpenScan(Scan& scan) const;
  bool LeavesOut(const Status& status) const;
  Status AddUnread(const Place& place, std::string reason, const Status& why,
                   PreparedBlock& block) const;
  void NotePlace(const Place& place, std::optional<std::uint64_t> byte,
                 PreparedBlock& block) const;
  Status Add(const Place& place, const IndexEntry& entry,
             PreparedBlock& block) const;
  void FindEntryPoints(const PreparedVariant& read,
                       PreparedPayload& payload) const;

  const DatasetSamples& samples_;
  const ShardPlan& plan_;
  const ImagePolicy* const policy_;              // null: none
  const std::unique_ptr<CheckerPool> checkers_;  // that find entry points
  // Used by the one thread that max_threads() allows then.
  mutable std::unique_ptr<Scan> scan_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_DATASET_BLOCK_H_
