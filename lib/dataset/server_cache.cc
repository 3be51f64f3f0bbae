#include "dataset/server_cache.h"

#include <utility>

#include "base/status_macros.h"
#include "cache/open_cache.h"
#include "io/path_scheme.h"
#include "shardine/remote_options.h"

namespace shardine {

Result<std::shared_ptr<CacheFolder>> OpenServerCache(
    const std::string& path, const DatasetOptions& options) {
  if (SchemeOf(path).empty()) return std::shared_ptr<CacheFolder>();
  if (!options.cache.empty() || options.cache_bytes > 0) {
    return OpenCache(options.cache, options.cache_bytes);
  }
  const RemoteOptions remote = RemoteOptionsOf(path);
  return OpenCache(remote.cache, remote.cache_bytes);
}

Status UseServerCache(DatasetReader& reader, const DatasetOptions& options) {
  if (SchemeOf(reader.directory()).empty()) return Status();
  SHARDINE_ASSIGN_OR_RETURN(auto cache,
                            OpenServerCache(reader.directory(), options));
  reader.UseCache(std::move(cache));
  return Status();
}

}  // namespace shardine
