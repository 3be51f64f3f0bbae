#include <memory>
#include <vector>

#include "base/status_macros.h"
#include "cache/block_file.h"
#include "cache/cache_folder.h"
#include "cache/companion_files.h"
#include "cache/kept_scan.h"
#include "cache/open_cache.h"
#include "shardine/cache.h"

namespace shardine {
namespace {

Result<std::shared_ptr<CacheFolder>> OpenExisting(const std::string& folder) {
  return CacheFolder::OpenExisting(folder.empty() ? UserCacheFolder() : folder);
}

void Count(const CachedFileInfo& file, CacheContents& contents) {
  const bool is_companion = file.kind == CachedKind::kCompanion;
  (is_companion ? contents.companions : contents.shards) += 1;
  (is_companion ? contents.companion_bytes : contents.shard_bytes) +=
      file.bytes;
}

CacheContents ContentsOf(const CacheFolder& folder) {
  CacheContents contents{.folder = folder.path()};
  for (const CachedFileInfo& file : folder.List()) Count(file, contents);
  return contents;
}

}  // namespace

Result<CacheContents> ReadCacheContents(const std::string& folder) {
  SHARDINE_ASSIGN_OR_RETURN(const auto opened, OpenExisting(folder));
  return ContentsOf(*opened);
}

Result<CacheContents> VerifyCache(const std::string& folder,
                                  const std::stop_token& stop) {
  SHARDINE_ASSIGN_OR_RETURN(const auto opened, OpenExisting(folder));
  std::uint64_t companions = 0;
  std::uint64_t blocks = 0;
  for (const CachedFileInfo& file : opened->List()) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "interrupted");
    if (file.is_part) continue;
    if (file.kind == CachedKind::kPayload) {
      blocks += BlockFile::ForgetDamaged(*opened, file.name);
    } else if (!(IsScanCacheName(file.name)
                     ? IsSoundScan(*opened, file.name)
                     : CompanionFiles::IsSound(*opened, file.name))) {
      SHARDINE_RETURN_IF_ERROR(opened->Remove(file.name));
      ++companions;
    }
  }
  CacheContents contents = ContentsOf(*opened);
  contents.damaged_companions = companions;
  contents.damaged_blocks = blocks;
  return contents;
}

Result<CacheContents> ClearCache(const std::string& folder) {
  SHARDINE_ASSIGN_OR_RETURN(const auto opened, OpenExisting(folder));
  CacheContents removed{.folder = opened->path()};
  for (const CachedFileInfo& file : opened->List()) {
    SHARDINE_RETURN_IF_ERROR(opened->Remove(file.name));
    Count(file, removed);
  }
  return removed;
}

}  // namespace shardine
