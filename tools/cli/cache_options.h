// --cache and --cache-size, of the verbs that stream datasets of servers.
#ifndef SHARDINE_CLI_CACHE_OPTIONS_H_
#define SHARDINE_CLI_CACHE_OPTIONS_H_

#include "cli/options.h"
#include "shardine/dataset.h"

namespace shardine {

void DeclareCacheOptions(Options& options, DatasetOptions& dataset);

}  // namespace shardine

#endif  // SHARDINE_CLI_CACHE_OPTIONS_H_
