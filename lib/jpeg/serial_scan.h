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
#include "jpeg/scan_loops.h"
#include "jpeg/segment_grid.h"
#include "jpeg/skip_tables.h"

namespace shardine {

// Thread-compatible; used for one image after another. Reads the file in place,
// and only some bytes beyond the MCUs asked for.
class SerialScan {
 public:
  // All must stay until the next Begin. REQUIRES: `tables` were built for
  // `frame`, which was read from `jpeg`.
  void Begin(SimdLevel level, ByteView jpeg, const JpegFrame& frame,
             const EntropyTables& tables);

  // These return false at damage, or possible damage: a code that does not
  // exist, the end of the data, a restart marker that is not where, or not the
  // one, it has to be. No more can be read then.

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
  const std::array<std::int32_t, kMaxComponents>& dc() const {
    return state_.dc;
  }

 private:
  // The place of `marker` right here, after less than a byte of padding; null
  // if another marker, or none, stands here.
  const std::uint8_t* FindMarker(std::uint8_t marker) const;
  // Runs `loop(state, mcus)` between restart markers.
  template <class Loop>
  bool Run(std::uint32_t mcus, const Loop& loop);
  void BeginInterval(const std::uint8_t* begin);
  void BuildSkipTables();

  const std::uint8_t* file_ = nullptr;
  const JpegFrame* frame_ = nullptr;
  const std::uint8_t* interval_begin_ = nullptr;
  ScanState state_;
  ScanLoops loops_{};
  std::array<SkipTable, kMaxComponents> skip_tables_;  // by slot
  bool has_skip_tables_ = false;                       // of this image
  std::uint32_t mcus_left_ = 0;
  std::uint32_t until_restart_ = 0;  // MCUs; all that are left if none comes
  std::uint8_t next_restart_ = 0;    // its number
  bool good_ = false;
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_SERIAL_SCAN_H_
