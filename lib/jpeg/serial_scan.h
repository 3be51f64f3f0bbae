// SerialScan: a scan read from its beginning, one MCU after the other, decoded
// or skipped, across restart markers.
#ifndef SHARDINE_JPEG_SERIAL_SCAN_H_
#define SHARDINE_JPEG_SERIAL_SCAN_H_

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/simd_level.h"
#include "jpeg/coefficients.h"
#include "jpeg/entropy_tables.h"
#include "jpeg/jpeg_frame.h"
#include "jpeg/segment_grid.h"

namespace shardine {

// Thread-compatible; used for one image after another. Reads no more of the
// file than what has been asked for, but for some kilobytes ahead.
class SerialScan {
 public:
  // All must stay until the next Begin. REQUIRES: `tables` were built for
  // `frame`, which was read from `jpeg`.
  void Begin(SimdLevel level, ByteView jpeg, const JpegFrame& frame,
             const EntropyTables& tables);

  // These return false at damage, or at what may be damage: a code that does
  // not exist, the end of the data, a restart marker that is not where, or not
  // the one, it has to be. No more can be read then.

  // Passes over the next MCUs; of their values only DC is known afterwards.
  bool Skip(std::uint32_t mcus);
  // Decodes the next MCUs, all of one MCU row, no more than kMaxSegmentBlocks
  // blocks: coefficients as in DecodedSegment. REQUIRES: `coefficients` are all
  // zero.
  bool Decode(std::uint32_t mcus, std::int16_t* coefficients);
  // True if all MCUs were read and nothing but the EOI marker follows: no
  // warning of libjpeg's can come from this scan.
  bool Finish();

  // Goes over a restart marker if one stands here. Where the next MCU begins,
  // in bits of the file as EntryPoint::bit, and the predictors it has.
  bool Align();
  std::uint64_t position() const;
  const std::array<std::int32_t, kMaxComponents>& dc() const { return dc_; }

 private:
  std::array<std::int32_t, kMaxComponents> dc_{};
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_SERIAL_SCAN_H_
