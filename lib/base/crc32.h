// The CRC-32 of gzip, zip and PNG.
#ifndef SHARDINE_BASE_CRC32_H_
#define SHARDINE_BASE_CRC32_H_

#include <cstdint>

#include "base/bytes.h"

namespace shardine {

// Crc32("123456789") == 0xcbf43926.
std::uint32_t Crc32(ByteView bytes);

}  // namespace shardine

#endif  // SHARDINE_BASE_CRC32_H_
