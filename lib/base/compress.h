// zstd frames.
#ifndef SHARDINE_BASE_COMPRESS_H_
#define SHARDINE_BASE_COMPRESS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "shardine/status.h"

namespace shardine {

// One frame with content size and checksum; its bytes depend on the input, the
// level and the zstd version only.
std::string ZstdCompress(ByteView bytes, int level = 3);

// A byte of a frame by ZstdCompressDense stands for at most this many.
inline constexpr std::uint64_t kZstdMostRatio = 256;

// A frame whose reader may bound the content by the size of the frame. Its
// bytes equal ZstdCompress's, unless these would be too few.
std::string ZstdCompressDense(ByteView bytes);

// Decompresses exactly one frame that fills `frame`. kCorrupt if it is damaged
// so that its content is, followed by other bytes, states no content size, or
// states (or yields) more than `max_size` bytes, which is checked before
// allocation.
Result<std::string> ZstdDecompress(ByteView frame, std::size_t max_size);

}  // namespace shardine

#endif  // SHARDINE_BASE_COMPRESS_H_
