// SegmentDecoder::Decode for each kind of processor.
#ifndef SHARDINE_JPEG_SEGMENT_KERNELS_H_
#define SHARDINE_JPEG_SEGMENT_KERNELS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/bytes.h"
#include "base/simd_level.h"
#include "jpeg/coefficients.h"
#include "jpeg/entropy_tables.h"
#include "jpeg/segment_decoder.h"

// Address sanitizers see neither gathers and scatters nor a lane's writes into
// the area of another.
#if defined(__SANITIZE_ADDRESS__)
#define SHARDINE_CHECK_LANES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHARDINE_CHECK_LANES 1
#endif
#endif

namespace shardine {

inline constexpr std::size_t kSegmentLanes = 16;
// A store of several values may begin at a segment's last place.
inline constexpr std::size_t kLaneBlocks = kMaxSegmentBlocks + 1;
inline constexpr std::size_t kLaneValues = kLaneBlocks * kBlockSize;

struct SegmentScan {
  const EntropyTables& tables;
  // Which tables a segment's blocks have.
  std::array<std::uint8_t, kMaxSegmentBlocks> slot{};
  ByteView data;
  std::span<const SegmentTask> tasks;
  // kSegmentLanes times kLaneValues, all zero before and afterwards.
  std::int16_t* area = nullptr;
  SegmentSink& sink;
};

using SegmentKernel = void (*)(const SegmentScan& scan);

// Four at a time, coefficients in natural order.
SegmentKernel InterleavedKernel(SimdLevel level);
// Sixteen at a time, in zigzag order. REQUIRES: SimdLevel::kAvx512.
void DecodeInLanes(const SegmentScan& scan);

// The next bits, 57 of them or more, at the top. REQUIRES: 8 bytes there.
inline std::uint64_t BitsAt(const std::byte* data, std::uint64_t bit) {
  std::uint64_t bits;
  std::memcpy(&bits, data + bit / 8, sizeof(bits));
  return __builtin_bswap64(bits) << bit % 8;
}

// Hands a segment over and clears its lane.
inline void Deliver(const SegmentScan& scan, std::size_t lane,
                    DecodedSegment segment) {
  std::int16_t* const values = scan.area + lane * kLaneValues;
  segment.coefficients = values;
  scan.sink.TakeSegment(segment);
  std::memset(values, 0,
              scan.tasks[segment.task].blocks * kBlockSize * sizeof(*values));
}

}  // namespace shardine

#endif  // SHARDINE_JPEG_SEGMENT_KERNELS_H_
