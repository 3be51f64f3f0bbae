#include "image/frame_limits.h"

#include <cstdint>

namespace shardine {
namespace {

// Steps of a block, as jpeg_work.h counts them: against all bytes of the file,
// and against those that were read when it is decoded, perhaps none.
constexpr std::uint64_t kStepsInFile = 128;
constexpr std::uint64_t kStepsAtOnce = 8;
// Memory of planes, rows and unstuffed bytes, and of tables beside them.
constexpr std::uint64_t kMemoryPerColumn = 128;
constexpr std::uint64_t kMemoryPerByte = 4;
constexpr std::uint64_t kMemory = std::uint64_t{1} << 22;

}  // namespace

bool AllowsFrame(const JpegFrame& frame, std::size_t bytes,
                 const DecodeLimits& limits) {
  const std::uint64_t blocks =
      std::uint64_t{frame.mcus_across} * frame.mcus_down * frame.blocks_per_mcu;
  return std::uint64_t{frame.width} * frame.height <= limits.max_pixels &&
         blocks * kStepsInFile <=
             limits.jpeg_steps + limits.jpeg_steps_per_byte * bytes &&
         blocks * kStepsAtOnce <= limits.jpeg_steps &&
         kMemory + kMemoryPerColumn * frame.width + kMemoryPerByte * bytes <=
             limits.max_memory &&
         limits.max_scans > 0;
}

}  // namespace shardine
