// The inner loops of SerialScan, compiled for several kinds of processor.
#ifndef SHARDINE_JPEG_SCAN_LOOPS_H_
#define SHARDINE_JPEG_SCAN_LOOPS_H_

#include <array>
#include <cstdint>

#include "base/simd_level.h"
#include "jpeg/coefficients.h"
#include "jpeg/entropy_tables.h"
#include "jpeg/jpeg_frame.h"
#include "jpeg/skip_tables.h"
#include "jpeg/stuffed_bits.h"

namespace shardine {

// The component and tables that a block of an MCU is coded with.
struct BlockCoding {
  std::uint32_t component = 0;
  std::uint32_t slot = 0;
  const ProbeTables* probes = nullptr;
  const SkipStep* skip = nullptr;
};

struct ScanState {
  BitWindow window;
  const std::uint8_t* end = nullptr;       // of the file
  const std::uint8_t* wide_end = nullptr;  // 8 bytes can be read before this
  const EntropyTables* tables = nullptr;
  std::array<BlockCoding, kMaxBlocksPerMcu> coding{};
  std::uint32_t blocks_per_mcu = 0;
  std::array<std::int32_t, kMaxComponents> dc{};
};

// The next MCUs, without any restart marker between them. False at a code that
// does not exist, at the end of the data, or when a predictor leaves 16 bits.
struct ScanLoops {
  bool (*skip)(ScanState& scan, std::uint32_t mcus);
  // As SerialScan::Decode, in the order of CoefficientOrderAt(level).
  bool (*decode)(ScanState& scan, std::uint32_t mcus,
                 std::int16_t* coefficients);
};
ScanLoops ScanLoopsAt(SimdLevel level);

}  // namespace shardine

#endif  // SHARDINE_JPEG_SCAN_LOOPS_H_
