// SegmentReader: by entry points straight to the segments that a region needs.
//
// Each segment read is checked against the entry points after it, and the
// markers: where each segment ends and with which DC values. So the points of a
// whole image cannot be wrong and give pixels, but those of a region can:
// nothing is known of the segments before the first one that is read of a row.
// Prove() tells; without it a few segments outside the region are checked with
// each band of rows, other ones for each region: a lie has an edge somewhere,
// and a reader of many regions meets it.
#ifndef SHARDINE_JPEG_SEGMENT_READER_H_
#define SHARDINE_JPEG_SEGMENT_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/simd_level.h"
#include "jpeg/entropy_tables.h"
#include "jpeg/entry_points.h"
#include "jpeg/jpeg_frame.h"
#include "jpeg/mcu_writer.h"
#include "jpeg/sample_planes.h"
#include "jpeg/segment_decoder.h"
#include "jpeg/segment_grid.h"

namespace shardine {

// Thread-compatible; used for one image after another.
class SegmentReader final : private SegmentSink {
 public:
  // All must stay until the next Begin. False if `entry_points`, in the compact
  // form, cannot be those of this file.
  bool Begin(ByteView jpeg, const JpegFrame& frame, const McuRange& range,
             ByteView entry_points);

  // Decodes the segments that have MCUs of the range's rows [mcu_y, end_y),
  // and hands them to `writer`. False where something is not as it should be.
  bool ReadRows(SimdLevel level, const EntropyTables& tables,
                std::uint32_t mcu_y, std::uint32_t end_y, McuWriter& writer);

  // Decodes all segments and compares each end with the point after it. True:
  // the points are those of the image, beyond doubt, all the way to its end.
  // REQUIRES: the range is the whole image.
  bool Prove(SimdLevel level, const EntropyTables& tables);

 private:
  // How the segment of a task has to end.
  struct Expected {
    std::size_t number = 0;       // of the segment
    std::uint64_t first_bit = 0;  // the end must lie in [first_bit, last_bit]
    std::uint64_t last_bit = 0;
    bool chained = false;  // its DC values are those of the next entry point
  };

  bool HasMarker(std::size_t at, std::uint8_t marker) const;
  bool CanBegin(const Segment& segment, std::uint64_t bit) const;
  bool RestartsBehind(const Segment& segment) const;
  bool AddSegment(SimdLevel level, std::size_t number);
  bool AddRows(SimdLevel level, std::uint32_t mcu_y, std::uint32_t end_y);
  bool AddSpotChecks(SimdLevel level);
  bool Decode(SimdLevel level, const EntropyTables& tables);
  void SumDc(const Segment& segment, const std::int16_t* coefficients,
             DcPredictors& dc) const;
  void TakeSegment(const DecodedSegment& segment) override;

  ByteView jpeg_;
  const JpegFrame* frame_ = nullptr;
  McuRange range_;
  SegmentGrid grid_;
  std::vector<EntryPoint> points_;

  std::vector<Segment> segments_;  // of the rows at work
  std::vector<SegmentTask> tasks_;
  std::vector<Expected> expected_;
  std::vector<std::uint8_t> data_;  // unstuffed
  std::size_t data_size_ = 0;
  SegmentDecoder decoder_;
  McuWriter* writer_ = nullptr;
  std::size_t wanted_ = 0;  // tasks before it are for the writer
  std::uint64_t spot_ = 0;  // chooses the next spot check
  bool good_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_SEGMENT_READER_H_
