// Shards without a dataset around them: opened by a sidecar or an index of
// their format's programs that stands beside them, else scanned once into
// sidecars in memory, and in the user's cache folder for the next opening.
#ifndef SHARDINE_DATASET_FOREIGN_SHARDS_H_
#define SHARDINE_DATASET_FOREIGN_SHARDS_H_

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "dataset/listed_shards.h"
#include "dataset/shard_pool.h"
#include "io/memory_storage.h"
#include "io/readable_storage.h"
#include "shard/format_registry.h"
#include "shardine/dataset.h"
#include "shardine/digest.h"
#include "shardine/status.h"
#include "source/class_map.h"

namespace shardine {

class ScanFolder;
struct ShardScan;

struct ForeignShard {
  std::string path;  // of the file: of a directory, that inside
  std::uint64_t samples = 0;
};

// About 80 bytes per sample, and its key compressed. Immutable once scanned, so
// thread-safe.
class ForeignShards {
 public:
  // Each in the format and layout that it looks to be in. The failure is that
  // of the first shard in order that has one; kCancelled if a stop was asked
  // for. `storage` must outlive this. `options`: the cache; roles of fields,
  // where one label takes a look at all shards before the scan; and labels of a
  // list, which match the records' own facts. With these nothing beside the
  // shards is used.
  static Result<std::unique_ptr<ForeignShards>> Open(
      ReadableStorage& storage, const std::vector<std::string>& paths,
      const FormatRegistry& formats, const std::stop_token& stop,
      const DatasetOptions& options);

  const std::vector<ForeignShard>& shards() const { return shards_; }
  // kCorrupt: the file has another size than it had when it was scanned.
  // REQUIRES: its records are not of indexed().
  Result<PooledShard> Open(std::size_t shard,
                           std::shared_ptr<PageCache> pages) const;
  // The shards that are read by an index of their format; null: none.
  std::shared_ptr<const ListedShards> indexed() const;

  // True: the ids of the sidecars mean nothing, since not all records have one
  // of their own.
  bool ids_are_positions() const { return ids_are_positions_; }
  Digest128 order_digest() const { return order_digest_; }
  // Classes that the records name; empty if the records do not agree.
  const ClassMap& classes() const { return classes_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Images of kinds that are not decoded.
  std::uint64_t undecoded() const { return undecoded_; }
  const std::vector<std::string>& text_fields() const { return text_fields_; }

 private:
  ForeignShards(ReadableStorage& storage, std::size_t shards)
      : storage_(storage),
        indexed_(std::make_shared<ListedShards>(storage, shards)),
        beside_(shards) {}
  Status ChooseLabels(const FormatRegistry& formats,
                      const std::vector<std::string>& paths,
                      const std::stop_token& stop);
  Status OpenShard(std::size_t shard, const FormatRegistry& formats,
                   const std::vector<std::string>& paths,
                   const std::stop_token& stop, ScanFolder& folder,
                   ShardScan& scanned);
  bool FindIndex(std::size_t shard, const RandomAccessFile& file,
                 const FormatAndLayout& format, ShardScan& scanned);
  Status FindScan(std::size_t shard, const RandomAccessFile& file,
                  const FormatAndLayout& format, const FileInfo& looked_at,
                  const std::stop_token& stop, ScanFolder& folder,
                  ShardScan& scanned);
  Status ScanShard(std::size_t shard, const RandomAccessFile& file,
                   const FormatAndLayout& format, const std::stop_token& stop,
                   ShardScan& scanned);
  void Summarize(const std::vector<ShardScan>& scanned,
                 const std::string& why_not);
  void ChooseClasses(const std::vector<ShardScan>& scanned);
  void WarnOfScans(const std::vector<ShardScan>& scanned,
                   const std::string& why_not);
  void WarnOfIds();
  void Warn(const std::vector<ShardScan>& scanned);
  void WarnOfCounts(const std::vector<ShardScan>& scanned);

  ReadableStorage& storage_;
  ReadRoles roles_;
  bool uses_beside_ = false;
  const std::shared_ptr<ListedShards> indexed_;
  std::vector<std::string> beside_;  // paths of sidecars; empty: in memory
  // A file opened in it is never written again.
  std::unique_ptr<MemoryStorage> sidecars_ = std::make_unique<MemoryStorage>();
  std::vector<ForeignShard> shards_;
  bool ids_are_positions_ = false;
  Digest128 order_digest_;
  ClassMap classes_;
  std::uint64_t undecoded_ = 0;
  std::vector<std::string> text_fields_;
  std::vector<std::string> warnings_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_FOREIGN_SHARDS_H_
