// Blocks of the images of a folder tree or list: files, and the fields that the
// source has beside them.
#ifndef SHARDINE_PACK_TREE_BLOCK_H_
#define SHARDINE_PACK_TREE_BLOCK_H_

#include <limits>
#include <stop_token>

#include "io/readable_storage.h"
#include "pack/block.h"
#include "pack/image_policy.h"
#include "source/shard_plan.h"
#include "source/source_batch.h"

namespace shardine {

class TreeBlockPreparer : public BlockPreparer {
 public:
  // All must outlive the preparer.
  TreeBlockPreparer(ReadableStorage& storage, const ShardPlan& plan,
                    const ImagePolicy& policy)
      : storage_(storage), plan_(plan), policy_(policy) {}

  PreparedBlock Prepare(const PlannedBlock& planned, PreparedBlock used,
                        const std::stop_token& stop) const override;

  unsigned min_threads() const override;
  unsigned max_threads() const override {
    return std::numeric_limits<unsigned>::max();
  }

 private:
  std::string PathOf(std::size_t source) const;
  Status CheckSize(std::size_t source) const;
  SourceBatch BatchOf(const PlannedBlock& planned) const;
  Status PrepareSample(std::size_t source, SourceBatch& batch,
                       PreparedBlock& block) const;
  Status ReadSample(std::size_t source, SourceBatch& batch,
                    PreparedVariant& read, PreparedPayload& payload,
                    std::string& fault) const;
  void AddFields(std::size_t source, std::vector<ByteBuffer> files,
                 PreparedVariant& read, PreparedPayload& payload) const;

  ReadableStorage& storage_;
  const ShardPlan& plan_;
  const ImagePolicy& policy_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_TREE_BLOCK_H_
