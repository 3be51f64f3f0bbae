// Entry points: places in the middle of a scan where decoding can begin, with
// the state that it needs.
#ifndef SHARDINE_JPEG_ENTRY_POINTS_H_
#define SHARDINE_JPEG_ENTRY_POINTS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "jpeg/jpeg_frame.h"
#include "jpeg/segment_grid.h"

namespace shardine {

// The beginning of one segment.
struct EntryPoint {
  // Its place in the file: 8 * byte + bit, bit 0 being the highest. The byte is
  // never the stuffed zero after an FF.
  std::uint64_t bit = 0;
  // DC predictors, zero after a restart marker.
  std::array<std::int16_t, kMaxComponents> dc{};

  friend bool operator==(const EntryPoint&, const EntryPoint&) = default;
};

// The compact form, of FORMAT.md in this folder: about 4 bytes each.
// REQUIRES: one point for each segment of the frame; bits ascending from
// 8 * frame.scan, less than 2^26 from one to the next; DC as said above, zero
// for the first, too.
std::string PackEntryPoints(const JpegFrame& frame, const SegmentGrid& grid,
                            const std::vector<EntryPoint>& points);

// The first `count` points, replacing those in `points`: each lies in the file,
// at or after the scan's first bit and after the point before it, whatever
// `packed` holds. False if it is no compact form for this frame: wrong count,
// bits that do not ascend or lie beyond 8 * `jpeg_bytes`, bytes left over
// (checked when all are asked for); `points` mean nothing then.
// REQUIRES: count <= grid.size().
bool UnpackEntryPoints(ByteView packed, const JpegFrame& frame,
                       const SegmentGrid& grid, std::size_t jpeg_bytes,
                       std::size_t count, std::vector<EntryPoint>& points);

}  // namespace shardine

#endif  // SHARDINE_JPEG_ENTRY_POINTS_H_
