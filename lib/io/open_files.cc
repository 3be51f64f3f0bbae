#include "io/open_files.h"

#include <sys/resource.h>

#include <limits>

namespace shardine {

std::uint64_t OpenFileLimit() {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kNone;
  return limit.rlim_cur == RLIM_INFINITY ? kNone : limit.rlim_cur;
}

}  // namespace shardine
