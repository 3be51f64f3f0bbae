// The libraries that bytes go through, as a bug report names them.
#ifndef SHARDINE_BASE_LIBRARY_VERSIONS_H_
#define SHARDINE_BASE_LIBRARY_VERSIONS_H_

#include <string>
#include <vector>

namespace shardine {

// {"zlib 1.2.13"}, in no particular order; those that this process has loaded,
// which may be newer than those it was built with.
std::vector<std::string> BaseLibraryVersions();

}  // namespace shardine

#endif  // SHARDINE_BASE_LIBRARY_VERSIONS_H_
