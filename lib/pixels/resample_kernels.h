// The inner loops of resampling, for each instruction set that the processor
// may have; all give the same bytes. For lib/image/resample*.cc only.
//
// A weight of 23 bits is split into parts that instructions which multiply and
// add neighbours take: two of 16 bits, or with VNNI three of 8 bits.
#ifndef SHARDINE_PIXELS_RESAMPLE_KERNELS_H_
#define SHARDINE_PIXELS_RESAMPLE_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/simd_level.h"
#include "pixels/resample_axis.h"

namespace shardine {

// sum of p * k = 2^11 * (sum of p * (k >> 11)) + sum of p * (k & 2047)
inline constexpr int kLowBits = 11;
inline constexpr std::size_t kRowBatch = 4;
// Bytes after a row that the kernels may read, and never use.
inline constexpr std::size_t kRowPadding = 128;

// How to make one row of output from one row of input. A step makes a vector of
// neighbouring output values (narrow), or one pixel (wide, where the input of
// neighbours lies too far apart). A group of neighbouring taps of all of them
// is fetched by one byte shuffle of a window, whose pattern is the same for all
// groups of a step.
struct RowPlan {
  std::uint32_t values = 0;    // of the output row: pixels * channels
  std::uint32_t channels = 0;  // 1 or 3
  bool wide = false;
  std::uint32_t lanes = 0;        // values per step, or 4 lanes of one pixel
  std::uint32_t windows = 0;      // per step
  std::uint32_t groups = 0;       // per step
  std::uint32_t group_bytes = 0;  // how far a window moves from group to group
  std::vector<std::uint32_t> bases;    // of the windows, in the input row
  std::vector<std::uint8_t> patterns;  // 4 * lanes per step; wide: one for all
  // For each step and group: 2 * lanes low parts, 2 * lanes high parts.
  std::vector<std::int16_t> weights;
  // VNNI, in their place: 4 * lanes digits of each of the three places.
  std::vector<std::int8_t> digits;
};

struct RowKernels {
  RowPlan (*plan)(const ResampleAxis& axis, std::uint32_t channels);
  // Resamples `count` <= kRowBatch rows. REQUIRES: the plan is from the same
  // kernels; kRowPadding bytes after each input row can be read. Exactly
  // plan.values bytes are written to each output.
  void (*resample)(const RowPlan& plan, const std::uint8_t* const* in,
                   std::uint8_t* const* out, std::size_t count);
};

// The place in the input row where the sources of each output value begin; the
// last one repeats up to a whole number of `lanes`.
std::vector<std::uint32_t> FirstInputs(const ResampleAxis& axis,
                                       std::uint32_t channels,
                                       std::uint32_t lanes);

// How to make rows of output from rows of input: a group of neighbouring taps
// at a time.
struct ColumnPlan {
  std::uint32_t groups = 0;      // per output row
  std::uint32_t group_taps = 0;  // 2, or 4 with VNNI
  // For each output row and group: the low parts of its taps in one word, then
  // the high ones; with VNNI the digits of its three places.
  std::vector<std::int32_t> weights;

  std::uint32_t taps() const { return groups * group_taps; }
};

struct ColumnKernels {
  ColumnPlan (*plan)(const ResampleAxis& axis);
  // Makes output row `row` of plan.taps() input rows of `bytes` bytes each.
  // REQUIRES: as above.
  void (*combine)(const ColumnPlan& plan, std::uint32_t row,
                  const std::uint8_t* const* in, std::uint8_t* out,
                  std::size_t bytes);
};

// The kernels of the best instruction set that exists and is allowed.
RowKernels ChosenRowKernels();
ColumnKernels ChosenColumnKernels();

// Kernels of any level but kAvx512Vnni.
RowKernels VectorRowKernels(SimdLevel level);
ColumnKernels VectorColumnKernels(SimdLevel level);

// In plain C++, for processors without vector instructions that are known here.
RowKernels PortableRowKernels();
ColumnKernels PortableColumnKernels();
ColumnPlan PlanColumnPairs(const ResampleAxis& axis);

// REQUIRES: SimdLevel::kAvx512Vnni.
RowKernels VnniRowKernels();
ColumnKernels VnniColumnKernels();

}  // namespace shardine

#endif  // SHARDINE_PIXELS_RESAMPLE_KERNELS_H_
