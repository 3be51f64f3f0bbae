#include "dataset/server_cache.h"

#include <cstdint>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "cache/open_cache.h"
#include "io/path_scheme.h"
#include "shardine/remote_options.h"

namespace shardine {

Status UseServerCache(DatasetReader& reader, const DatasetOptions& options) {
  const std::string& path = reader.directory();
  if (SchemeOf(path).empty()) return Status();
  std::string folder = options.cache;
  std::uint64_t bytes = options.cache_bytes;
  if (folder.empty() && bytes == 0) {
    const RemoteOptions remote = RemoteOptionsOf(path);
    folder = remote.cache;
    bytes = remote.cache_bytes;
  }
  SHARDINE_ASSIGN_OR_RETURN(auto cache, OpenCache(folder, bytes));
  reader.UseCache(std::move(cache));
  return Status();
}

}  // namespace shardine
