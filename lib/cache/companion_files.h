// CompanionFiles: the companions (.sdx, .sde) of shards on a server, each
// fetched as a whole, with one request, and compared with the digest that the
// manifest gives before a byte of it is used. By pieces each sample would cost
// round trips of its own before the first byte of its payload is asked for.
#ifndef SHARDINE_CACHE_COMPANION_FILES_H_
#define SHARDINE_CACHE_COMPANION_FILES_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "cache/cache_folder.h"
#include "cache/known_file.h"
#include "io/readable_storage.h"
#include "shardine/status.h"

namespace shardine {

// Thread-safe.
class CompanionFiles {
 public:
  // The memory at a time for all files that it opened, since manifests may say
  // any size. The sidecars of ImageNet's 1.28 million samples have 110 MB.
  static constexpr std::uint64_t kMostInMemory = std::uint64_t{256} << 20;

  // `folder`: where they are kept for the next time, and read from; null: they
  // are in memory.
  explicit CompanionFiles(std::shared_ptr<CacheFolder> folder = nullptr,
                          std::uint64_t most_in_memory = kMostInMemory);

  // Whether a file of the folder has the bytes that its name says.
  static bool IsSound(const CacheFolder& folder, const std::string& name);

  // kCorrupt: it has other bytes than the manifest says, even when it was asked
  // for once more. A file larger than the memory left is opened as it is, and
  // read by pieces, which have checksums of their own.
  Result<std::unique_ptr<RandomAccessFile>> Open(ReadableStorage& storage,
                                                 const KnownFile& file) const;

 private:
  CacheDescriptor FindKept(const KnownFile& file) const;
  Result<CacheDescriptor> Keep(ReadableStorage& storage,
                               const KnownFile& file) const;
  Result<std::unique_ptr<RandomAccessFile>> Fetch(ReadableStorage& storage,
                                                  const KnownFile& file) const;

  const std::shared_ptr<CacheFolder> folder_;
  // Shared with the files, which may outlive this.
  const std::shared_ptr<std::atomic<std::uint64_t>> room_;
};

}  // namespace shardine

#endif  // SHARDINE_CACHE_COMPANION_FILES_H_
