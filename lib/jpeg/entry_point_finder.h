// The pass over a scan that finds its entry points, and any damage.
#ifndef SHARDINE_JPEG_ENTRY_POINT_FINDER_H_
#define SHARDINE_JPEG_ENTRY_POINT_FINDER_H_

#include <vector>

#include "base/bytes.h"
#include "jpeg/entropy_tables.h"
#include "jpeg/entry_points.h"
#include "jpeg/jpeg_frame.h"
#include "jpeg/segment_grid.h"
#include "jpeg/serial_scan.h"

namespace shardine {

// Thread-compatible; used for one image after another.
class EntryPointFinder {
 public:
  // One point for each segment of the grid, in order. True promises that
  // libjpeg-turbo decodes this file without a warning; false is no verdict:
  // damage, or an oddity that libjpeg may tolerate in silence.
  bool Find(ByteView jpeg, const JpegFrame& frame, const SegmentGrid& grid,
            std::vector<EntryPoint>& points);

 private:
  EntropyTables tables_;
  SerialScan scan_;
  std::vector<Segment> row_;
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_ENTRY_POINT_FINDER_H_
