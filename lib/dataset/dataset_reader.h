// DatasetReader: a dataset on disk, found through its manifest. Knows where
// each shard, sidecar and sample lies and that they belong together.
#ifndef SHARDINE_DATASET_DATASET_READER_H_
#define SHARDINE_DATASET_DATASET_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/companion_files.h"
#include "dataset/manifest.h"
#include "io/readable_storage.h"
#include "shard/entry_point_file.h"
#include "shard/payload.h"
#include "shard/shard_index.h"
#include "shardine/status.h"

namespace shardine {

// Immutable once open, so thread-safe. The storage must outlive it.
class DatasetReader {
 public:
  struct ShardRef {
    const ManifestSplit* split = nullptr;
    const ManifestShard* shard = nullptr;
    std::uint64_t first = 0;  // position of its first sample in the split
  };
  // Where a sample is.
  struct Location {
    const ShardRef* shard = nullptr;
    std::uint64_t record = 0;  // in the shard
  };

  // Reads the manifest alone. `directory` is as in DatasetFolder(). kNotFound:
  // there is none; the message tells the progress of a pack that began there,
  // or the variants that lie in `directory`/sz all the same. Else as
  // ReadManifest.
  static Result<std::unique_ptr<DatasetReader>> Open(
      ReadableStorage& storage, const std::string& directory);

  // Around a manifest that is not on the disk.
  static std::unique_ptr<DatasetReader> Of(ReadableStorage& storage,
                                           std::string directory,
                                           Manifest manifest);
  // For the cache.
  Result<KnownFile> Known(const std::string& path,
                          const ManifestFile& file) const;

  // "sz/160", "sz/320": the variants below `directory`, by size.
  static std::vector<std::string> VariantsBelow(ReadableStorage& storage,
                                                const std::string& directory);

  // From now on companions are fetched whole and, if there is a cache, kept
  // there, as are bytes read of shards if the cache is for those. For reads of
  // samples alone: a search for damage must read the storage itself. REQUIRES:
  // nobody else uses the reader yet.
  void UseCache(std::shared_ptr<CacheFolder> cache);

  const Manifest& manifest() const { return manifest_; }
  ReadableStorage& storage() const { return storage_; }
  const std::string& directory() const { return directory_; }
  // By split, then in order. Lives as long as the reader.
  std::span<const ShardRef> shards() const { return shards_; }

  // Where a file of the manifest is, for the storage.
  std::string PathOf(const ManifestFile& file) const;
  std::string ShardPath(const ShardRef& ref) const;
  // The sidecar among the shard's companions; nullptr if there is none.
  static const ManifestFile* SidecarOf(const ManifestShard& shard);
  // The same of its entry points.
  static const ManifestFile* EntryPointsOf(const ManifestShard& shard);

  // The shard itself. kCorrupt of a cached one: its size is not the manifest's.
  Result<std::unique_ptr<RandomAccessFile>> OpenShard(
      const ShardRef& ref) const;

  // Opens the sidecar and checks by its header that it belongs to this shard
  // and this pack. kCorrupt "stale sidecar" with its path if not. Pages are
  // kept in `pages`, here and below, if it is not null.
  Result<std::unique_ptr<ShardIndex>> OpenIndex(
      const ShardRef& ref, std::shared_ptr<PageCache> pages = nullptr) const;

  // In steps, so that several files are opened at a time: the file of a
  // companion, and the index that OpenIndex() makes of it.
  Result<std::unique_ptr<RandomAccessFile>> OpenCompanion(
      const ManifestFile& file) const;
  Result<std::unique_ptr<ShardIndex>> OpenIndex(
      const ShardRef& ref, Result<std::unique_ptr<RandomAccessFile>> sidecar,
      std::shared_ptr<PageCache> pages) const;

  // Null if the shard has none. kCorrupt as above, by the sidecar's header.
  Result<std::unique_ptr<EntryPointFile>> OpenEntryPoints(
      const ShardRef& ref, const ShardIndex& index,
      std::shared_ptr<PageCache> pages = nullptr) const;
  static Result<std::unique_ptr<EntryPointFile>> OpenEntryPoints(
      const ShardIndex& index, Result<std::unique_ptr<RandomAccessFile>> file,
      std::shared_ptr<PageCache> pages);

  // Opens the indexes of these shards in order, of a server many at a time, and
  // calls `visit` with each, until it returns false. Stops at the first
  // failure, of an index or of `visit`.
  using VisitIndex =
      std::function<Result<bool>(const ShardRef& ref, const ShardIndex& index)>;
  Status ForEachIndex(std::span<const ShardRef> shards,
                      const VisitIndex& visit) const;

  // FindKeys() (key_search.h) of one key.
  Result<Location> FindKey(std::string_view key,
                           std::string_view split = {}) const;

 private:
  DatasetReader(ReadableStorage& storage, std::string directory,
                Manifest manifest);

  ReadableStorage& storage_;
  std::string directory_;
  Manifest manifest_;
  std::shared_ptr<const CompanionFiles> companions_;  // null: the storage
  std::shared_ptr<CacheFolder> cache_;                // null: none
  std::vector<ShardRef> shards_;                      // point into manifest_
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_DATASET_READER_H_
