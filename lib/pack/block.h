// Blocks: the unit of work that pack's workers prepare. A block is a run of
// neighbouring samples of one shard, read into memory and checked.
#ifndef SHARDINE_PACK_BLOCK_H_
#define SHARDINE_PACK_BLOCK_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/bytes.h"
#include "dataset/shard_plan.h"
#include "image/image_facts.h"
#include "io/storage.h"
#include "pack/rejects.h"
#include "shard/format.h"
#include "shardine/pack.h"

namespace shardine {

struct PlannedBlock {
  std::size_t shard = 0;    // into ShardPlan::shards()
  std::uint64_t first = 0;  // offset of its first sample in the shard
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  // of its files
};

// Cuts the shards with these numbers into blocks of about 2 MiB.
std::vector<PlannedBlock> CutBlocks(const ShardPlan& plan,
                                    const std::vector<std::size_t>& shards);

struct PreparedSample {
  std::size_t source = 0;  // into SourceSet::samples
  std::size_t offset = 0;  // of its bytes in PreparedBlock::bytes
  std::size_t size = 0;
  ImageFacts facts;
  Digest128 digest;  // content digest
  std::optional<Reject> reject;
  bool packed = true;  // false: left out
};

struct PreparedBlock {
  PlannedBlock planned;
  ByteBuffer bytes;
  std::vector<PreparedSample> samples;  // in order, up to the failure if any
  Status status;
};

// Reads, checks and digests the samples of blocks. Thread-safe.
class BlockPreparer {
 public:
  struct Options {
    std::string output;  // for quarantined files
    OnBad on_bad = OnBad::kFail;
    ImageCheckLevel check = ImageCheckLevel::kHeader;
    std::uint64_t max_payload = 0;  // bytes a record can hold
  };

  // `storage` and `plan` must outlive the preparer.
  BlockPreparer(Storage& storage, const ShardPlan& plan, Options options)
      : storage_(storage), plan_(plan), options_(std::move(options)) {}

  // `memory` is taken as the block's buffer: pass one that was used before.
  PreparedBlock Prepare(const PlannedBlock& planned, ByteBuffer memory,
                        const std::stop_token& stop) const;

 private:
  Status PrepareSample(std::size_t source, PreparedBlock& block) const;
  Status CheckSample(const std::string& path, Reject reject,
                     PreparedBlock& block, PreparedSample sample) const;
  Status Read(const std::string& path, std::uint64_t size,
              ByteBuffer& bytes) const;
  Status HandleBad(Reject reject, const Status& why, bool has_bytes,
                   PreparedBlock& block, PreparedSample& sample) const;

  Storage& storage_;
  const ShardPlan& plan_;
  const Options options_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_BLOCK_H_
