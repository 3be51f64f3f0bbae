// The segments of a scan: runs of MCUs in one MCU row, each of which can be
// decoded on its own from its entry point. A pure function of the frame: a new
// one begins every 64 pixels of an MCU row and at every restart marker.
#ifndef SHARDINE_JPEG_SEGMENT_GRID_H_
#define SHARDINE_JPEG_SEGMENT_GRID_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "jpeg/jpeg_frame.h"

namespace shardine {

inline constexpr std::uint32_t kSegmentPixels = 64;
// 4:4:0 has 8 MCUs of 4 blocks in 64 pixels.
inline constexpr std::uint32_t kMaxSegmentBlocks = 32;

struct Segment {
  std::uint32_t mcu_x = 0;  // of its first MCU
  std::uint32_t mcu_y = 0;
  std::uint32_t mcus = 0;
  bool restarts = false;  // a restart marker stands before it
};

// Thread-compatible.
class SegmentGrid {
 public:
  SegmentGrid() = default;

  void Reset(const JpegFrame& frame);

  std::size_t size() const { return size_; }
  // The number of the first segment of that row; size() for mcus_down.
  std::size_t RowBegin(std::uint32_t mcu_y) const;
  // Appends those of the row that hold one of the MCUs [first, end), in order;
  // returns the number of the first. REQUIRES: there is such an MCU.
  std::size_t FindInRow(std::uint32_t mcu_y, std::uint32_t first,
                        std::uint32_t end, std::vector<Segment>& found) const;

 private:
  // How many segments of the row begin before its MCU `end`.
  std::size_t CountBefore(std::uint32_t mcu_y, std::uint32_t end) const;
  // The first MCU from `mcu_x` on before which a restart marker may stand;
  // beyond the row if there is none.
  std::uint32_t NextRestart(std::uint32_t mcu_y, std::uint32_t mcu_x) const;

  std::uint32_t mcus_across_ = 0;
  std::uint32_t mcus_down_ = 0;
  std::uint32_t mcus_per_segment_ = 1;
  std::uint32_t restart_interval_ = 0;
  std::size_t size_ = 0;
  // Filled where restarts come at other places in each row; else empty.
  std::vector<std::size_t> row_begin_;
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_SEGMENT_GRID_H_
