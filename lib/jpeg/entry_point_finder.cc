#include "jpeg/entry_point_finder.h"

#include "base/simd_level.h"

namespace shardine {

bool EntryPointFinder::Find(ByteView jpeg, const JpegFrame& frame,
                            const SegmentGrid& grid,
                            std::vector<EntryPoint>& points) {
  points.clear();
  tables_.Build(frame);
  scan_.Begin(CurrentSimdLevel(), jpeg, frame, tables_);
  for (std::uint32_t y = 0; y < frame.mcus_down; ++y) {
    row_.clear();
    grid.FindInRow(y, 0, frame.mcus_across, row_);
    for (const Segment& segment : row_) {
      if (!scan_.Align()) return false;
      EntryPoint& point = points.emplace_back();
      point.bit = scan_.position();
      for (std::size_t i = 0; i < kMaxComponents; ++i) {
        point.dc[i] = static_cast<std::int16_t>(scan_.dc()[i]);
      }
      if (!scan_.Skip(segment.mcus)) return false;
    }
  }
  return scan_.Finish();
}

}  // namespace shardine
