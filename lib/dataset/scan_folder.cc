#include "dataset/scan_folder.h"

#include "cache/open_cache.h"

namespace shardine {

ScanFolder::ScanFolder(const std::string& cache)
    : is_off_(cache == kNoCache),
      path_(cache.empty() ? UserCacheFolder() : cache) {}

CacheFolder* ScanFolder::Get() {
  if (is_off_) return nullptr;
  std::call_once(opened_, [this] {
    if (path_.empty()) {
      why_not_ = "neither XDG_CACHE_HOME nor HOME names a folder";
      return;
    }
    auto opened = CacheFolder::Open(path_, {});
    if (opened.ok()) {
      folder_ = *std::move(opened);
    } else {
      why_not_ = opened.status().ToString();
    }
  });
  return folder_.get();
}

}  // namespace shardine
