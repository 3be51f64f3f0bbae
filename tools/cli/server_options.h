// The options of servers and credentials: the options of all verbs that take
// addresses, and --cache of those that read the samples of datasets.
#ifndef SHARDINE_CLI_SERVER_OPTIONS_H_
#define SHARDINE_CLI_SERVER_OPTIONS_H_

#include <cstdint>
#include <string>

#include "cli/options.h"
#include "shardine/remote_options.h"
#include "shardine/status.h"

namespace shardine {

// --cache and --cache-size.
void DeclareCacheOptions(Options& options, std::string& folder,
                         std::uint64_t& bytes);

class ServerOptions {
 public:
  void Declare(Options& options);
  // From now on all of this process is asked so. Before the first request.
  Status Apply() const;

  // The cache of a verb, if it declares options for one.
  std::string& cache() { return remote_.cache; }
  std::uint64_t& cache_bytes() { return remote_.cache_bytes; }

 private:
  RemoteOptions remote_;
  std::uint64_t requests_ = 0;
  std::uint64_t patience_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_CLI_SERVER_OPTIONS_H_
