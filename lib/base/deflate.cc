#include "base/deflate.h"

#include <zlib.h>

#include "base/check.h"

namespace shardine {

std::string ZlibCompress(ByteView bytes, int level) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string stream(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(stream.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()),
                             static_cast<uLong>(bytes.size()), level);
  SHARDINE_CHECK(code == Z_OK);
  stream.resize(size);
  return stream;
}

}  // namespace shardine
