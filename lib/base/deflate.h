// zlib: the other direction of inflate.h, for small data.
#ifndef SHARDINE_BASE_DEFLATE_H_
#define SHARDINE_BASE_DEFLATE_H_

#include <string>

#include "base/bytes.h"

namespace shardine {

// One zlib stream (RFC 1950), level 1 to 9; its bytes depend on the input, the
// level and the zlib version only.
std::string ZlibCompress(ByteView bytes, int level = 6);

}  // namespace shardine

#endif  // SHARDINE_BASE_DEFLATE_H_
