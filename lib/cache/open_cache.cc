#include "cache/open_cache.h"

#include <cstdio>

#include "shardine/environment.h"

namespace shardine {
namespace {

std::string FolderOf(const char* variable) {
  const std::string value = Environment::Current().Of(variable);
  // XDG takes a relative path as not set.
  return value.starts_with('/') ? value : std::string();
}

}  // namespace

std::string UserCacheFolder() {
  std::string folder = FolderOf("XDG_CACHE_HOME");
  if (folder.empty()) {
    folder = FolderOf("HOME");
    if (folder.empty()) return folder;
    folder += "/.cache";
  }
  // Programs have more than datasets in a folder of theirs.
  return folder + "/shardine/datasets";
}

Result<std::shared_ptr<CacheFolder>> OpenCache(const std::string& cache,
                                               std::uint64_t payload_bytes) {
  const bool is_asked_for = !cache.empty() || payload_bytes > 0;
  if (cache == kNoCache) {
    if (payload_bytes == 0) return std::shared_ptr<CacheFolder>();
    return Status(Code::kInvalidArgument,
                  "a cache that is off cannot have a size");
  }
  CacheLimits limits;
  if (payload_bytes > 0) {
    limits.bytes = payload_bytes;
    limits.holds_payloads = true;
  }
  const std::string path = cache.empty() ? UserCacheFolder() : cache;
  if (path.empty()) return std::shared_ptr<CacheFolder>();
  auto folder = CacheFolder::Open(path, limits);
  const Status failed = folder.status();
  if (failed.ok() ||
      (is_asked_for && failed.code() == Code::kInvalidArgument)) {
    return folder;
  }
  std::fprintf(stderr, "shardine: no cache: %s; reads go on without it\n",
               failed.ToString().c_str());
  return std::shared_ptr<CacheFolder>();
}

}  // namespace shardine
