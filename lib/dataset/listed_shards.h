// ListedShards: bare shards whose records are listed by an index of their
// format's own programs, such as MXNet's .idx. No such shard is scanned: a
// record is read for its sample, and its first bytes alone for the labels.
#ifndef SHARDINE_DATASET_LISTED_SHARDS_H_
#define SHARDINE_DATASET_LISTED_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataset/awaited_shards.h"
#include "dataset/shard_pool.h"
#include "dataset/shard_scan.h"
#include "io/readable_storage.h"
#include "shard/extent.h"
#include "shard/format_registry.h"
#include "shardine/status.h"

namespace shardine {

// Such an index has neither checksums nor a digest of its shard. So each record
// that is read has to end where the next one is listed, and to have the listed
// id if the records that were looked at had theirs: else kCorrupt.
//
// 16 bytes of memory a record. Thread-safe once all shards were looked at.
class ListedShards : public AwaitedShards {
 public:
  // `storage` must outlive this.
  ListedShards(ReadableStorage& storage, std::size_t shards);

  // Takes the records of the shard from the index beside it, and fills `scan`
  // in place of a scan: without ids if the index numbers records otherwise than
  // they do themselves. False: there is no index, or it does not fit the shard,
  // as the first record, the last and some between show; a warning of `scan`
  // says so then. Several threads may look at different shards.
  bool Find(std::size_t shard, const RandomAccessFile& file,
            const FormatAndLayout& format, ShardScan& scan);
  // Paths of the indexes that list records.
  std::vector<std::string> paths() const;
  // Has its records listed, but numbered otherwise.
  bool HasOtherIds(std::size_t shard) const {
    return !shards_[shard].records.empty() && !shards_[shard].has_ids;
  }

  bool IsMade(std::size_t shard) const override {
    return shards_[shard].records.empty();
  }
  bool MayBeJoined() const override { return true; }
  void Want(std::size_t shard, std::span<const std::uint64_t> records,
            AheadBytes& ahead) const override;
  Status Read(std::size_t shard, std::uint64_t record,
              SampleRead& sample) const override;
  Status AddLabels(std::size_t shard, std::uint64_t first, std::uint64_t count,
                   std::vector<IndexEntry>& entries) const override;
  Status Keys(std::size_t shard, std::uint64_t first, std::uint64_t count,
              std::vector<std::string>& keys) const override;

 private:
  struct Listed {
    Extent PlaceOf(std::uint64_t record) const;
    Status CheckId(std::uint64_t record, std::uint64_t id) const;

    std::string path = {};
    std::string index = {};  // path
    std::uint64_t bytes = 0;
    FormatAndLayout format = {};
    bool has_ids = false;                    // as the records have them
    std::vector<ListedRecord> records = {};  // by offset; empty: not listed
  };

  static Status ReadHead(const Listed& listed, const RandomAccessFile& file,
                         std::uint64_t record, IndexEntry& entry);
  static Status LookAt(const RandomAccessFile& file, Listed& listed);

  ReadableStorage& storage_;
  std::vector<Listed> shards_;
  mutable ShardPool pool_;
};

// Records of a shard of so many, ascending: the first, the last, and some
// between, by which an index is compared with its shard. REQUIRES: count > 0.
std::vector<std::uint64_t> SomeRecords(std::uint64_t count);

}  // namespace shardine

#endif  // SHARDINE_DATASET_LISTED_SHARDS_H_
