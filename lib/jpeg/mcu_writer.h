// McuWriter: from the coefficients of a run of MCUs to samples in the planes.
#ifndef SHARDINE_JPEG_MCU_WRITER_H_
#define SHARDINE_JPEG_MCU_WRITER_H_

#include <array>
#include <cstdint>

#include "base/simd_level.h"
#include "jpeg/inverse_dct.h"
#include "jpeg/jpeg_frame.h"
#include "jpeg/sample_planes.h"
#include "jpeg/segment_grid.h"

namespace shardine {

// The DC value of each component's previous block.
using DcPredictors = std::array<std::int32_t, kMaxComponents>;

// Thread-compatible; used for one image after another.
class McuWriter {
 public:
  // All must stay until the next Begin. MCUs outside `range` are not written.
  void Begin(SimdLevel level, const JpegFrame& frame, const McuRange& range,
             SamplePlanes& planes);

  // `coefficients` as in DecodedSegment, of the MCUs of that segment. `dc`
  // becomes the predictors of the MCU after them.
  // REQUIRES: no more than kMaxSegmentBlocks blocks; the planes hold the row.
  void Write(const Segment& segment, const std::int16_t* coefficients,
             DcPredictors& dc);

 private:
  SimdLevel level_ = SimdLevel::kPortable;
  const JpegFrame* frame_ = nullptr;
  McuRange range_;
  SamplePlanes* planes_ = nullptr;
  std::array<DctSteps, kMaxComponents> steps_;
  std::array<DctBlock, kMaxSegmentBlocks> blocks_;
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_MCU_WRITER_H_
