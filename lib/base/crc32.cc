#include "base/crc32.h"

#include <isa-l/crc.h>

namespace shardine {

std::uint32_t Crc32(ByteView bytes) {
  return crc32_gzip_refl(
      0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

}  // namespace shardine
