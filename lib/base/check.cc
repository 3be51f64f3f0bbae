#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace shardine {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: internal error: !(%s)\n", file, line, condition);
  std::abort();
}

}  // namespace shardine
