// The libraries that ask servers, as a bug report names them.
#ifndef SHARDINE_REMOTE_REMOTE_LIBRARIES_H_
#define SHARDINE_REMOTE_REMOTE_LIBRARIES_H_

#include <string>
#include <vector>

#include "shardine/environment.h"

namespace shardine {

struct RemoteLibraries {
  std::vector<std::string> versions;  // {"libcurl 7.88.1"}
  std::vector<std::string> missing;   // why one cannot be loaded, a line each
  std::string tls;                    // "OpenSSL/3.0.11"
  // The file or folder of certificates, of the environment or libcurl's own;
  // empty: libcurl does not tell.
  std::string certificates;
};

// Loads them.
RemoteLibraries FindRemoteLibraries(const Environment& environment);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_REMOTE_LIBRARIES_H_
