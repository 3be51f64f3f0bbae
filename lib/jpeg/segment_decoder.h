// SegmentDecoder: the entropy decoding of many segments of one scan, several at
// a time in one loop: 16 in the lanes of AVX-512 registers, 4 interleaved
// elsewhere.
#ifndef SHARDINE_JPEG_SEGMENT_DECODER_H_
#define SHARDINE_JPEG_SEGMENT_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/simd_level.h"
#include "jpeg/coefficients.h"
#include "jpeg/entropy_tables.h"
#include "jpeg/jpeg_frame.h"
#include "jpeg/segment_grid.h"

namespace shardine {

struct SegmentTask {
  std::uint64_t bit = 0;     // its first, in the unstuffed data
  std::uint32_t blocks = 0;  // 1..kMaxSegmentBlocks, whole MCUs
};

// A segment was decoded.
struct DecodedSegment {
  std::size_t task = 0;  // its number
  // The coefficients of task's blocks, in the order of the scan, 64 each in the
  // order of CoefficientOrderAt(level); at place 0 the difference of the DC
  // value to the one before. Aligned to 64 bytes. Not dequantised.
  const std::int16_t* coefficients = nullptr;
  std::uint64_t end_bit = 0;  // where the next one would begin
  bool valid = true;          // false: a code that does not exist was met
};

class SegmentSink {
 public:
  virtual ~SegmentSink() = default;
  // In any order.
  virtual void TakeSegment(const DecodedSegment& segment) = 0;
};

// Zero bytes that must stand after the data: a segment of nothing but longest
// codes reads them, whatever an entry point says.
inline constexpr std::size_t kSegmentPadding =
    kMaxSegmentBlocks * kBlockSize * 31 / 8 + 64;

// Thread-compatible; used for one image after another.
class SegmentDecoder {
 public:
  SegmentDecoder();

  // REQUIRES: each task's bit lies within data.size() - kSegmentPadding bytes;
  // `tables` were built for `frame`.
  void Decode(SimdLevel level, const JpegFrame& frame,
              const EntropyTables& tables, ByteView data,
              std::span<const SegmentTask> tasks, SegmentSink& sink);

 private:
  // All zero between calls.
  AlignedCoefficients area_;
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_SEGMENT_DECODER_H_
