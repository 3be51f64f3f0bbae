#include "shardine/version.h"

namespace shardine {

const char* Version() { return SHARDINE_VERSION; }

}  // namespace shardine
