// Removes the zero bytes that stand after each FF of entropy-coded data.
#ifndef SHARDINE_JPEG_UNSTUFF_H_
#define SHARDINE_JPEG_UNSTUFF_H_

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/simd_level.h"

namespace shardine {

inline constexpr std::size_t kUnstuffPadding = 64;

struct Unstuffed {
  std::size_t read = 0;  // bytes of the input; the FF of a marker is not read
  std::size_t written = 0;  // bytes of the output
};

// Stops at the first marker: an FF with another byte after it than zero. An FF
// that is the last byte of `data` is data. Reads nothing outside `data`.
// REQUIRES: `out` has room for data.size() + kUnstuffPadding bytes; up to
// kUnstuffPadding bytes after those written are overwritten with anything.
Unstuffed Unstuff(SimdLevel level, ByteView data, std::uint8_t* out);

}  // namespace shardine

#endif  // SHARDINE_JPEG_UNSTUFF_H_
