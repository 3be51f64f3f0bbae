// Blocks of the images of a folder tree or list, under the bad-image policy.
#ifndef SHARDINE_PACK_TREE_BLOCK_H_
#define SHARDINE_PACK_TREE_BLOCK_H_

#include <cstdint>
#include <limits>
#include <stop_token>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "dataset/shard_plan.h"
#include "io/storage.h"
#include "pack/block.h"
#include "pack/rejects.h"
#include "shardine/pack.h"

namespace shardine {

// The samples of a folder tree or list: files.
class TreeBlockPreparer : public BlockPreparer {
 public:
  struct Options {
    std::string output;  // for quarantined files
    OnBad on_bad = OnBad::kFail;
    ImageCheckLevel check = ImageCheckLevel::kHeader;
    std::uint64_t max_payload = 0;  // bytes a record can hold
  };

  // `storage` and `plan` must outlive the preparer.
  TreeBlockPreparer(Storage& storage, const ShardPlan& plan, Options options)
      : storage_(storage), plan_(plan), options_(std::move(options)) {}

  PreparedBlock Prepare(const PlannedBlock& planned, ByteBuffer memory,
                        const std::stop_token& stop) const override;

  unsigned max_threads() const override {
    return std::numeric_limits<unsigned>::max();
  }

 private:
  Status PrepareSample(std::size_t source, PreparedBlock& block) const;
  Status CheckSample(const std::string& path, Reject reject,
                     PreparedBlock& block, PreparedSample sample) const;
  void AddBoxes(PreparedBlock& block, PreparedSample& sample) const;
  Status HandleBad(Reject reject, const Status& why, bool has_bytes,
                   PreparedBlock& block, PreparedSample& sample) const;

  Storage& storage_;
  const ShardPlan& plan_;
  const Options options_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_TREE_BLOCK_H_
