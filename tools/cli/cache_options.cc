#include "cli/cache_options.h"

namespace shardine {

void DeclareCacheOptions(Options& options, DatasetOptions& dataset) {
  options.BeginGroup("Cache");
  options.Text("cache", "DIR", dataset.cache,
               "folder in which what servers gave is kept for the next time "
               "(default: ~/.cache/shardine/datasets); off: none");
  options.ByteSize("cache-size", dataset.cache_bytes,
                   "what it may take, samples among it: 200G (default: indexes "
                   "alone are kept)");
}

}  // namespace shardine
