// The inner loops of resampling, for each instruction set that the processor
// may have; all give the same bytes. For lib/image/resample*.cc only.
//
// A weight of 23 bits is split into a high and a low part of 16 bits, since
// there are instructions that multiply and add pairs of those:
//   sum of p * k = 2^11 * (sum of p * (k >> 11)) + sum of p * (k & 2047)
#ifndef SHARDINE_IMAGE_RESAMPLE_KERNELS_H_
#define SHARDINE_IMAGE_RESAMPLE_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/resample_axis.h"

namespace shardine {

inline constexpr int kLowBits = 11;
inline constexpr std::size_t kRowBatch = 4;
// Bytes behind a row that the kernels may read, and never use.
inline constexpr std::size_t kRowPadding = 128;

// How to make one row of output from one row of input. A step makes a vector of
// neighbouring output values (narrow), or one pixel (wide, where the input of
// neighbours lies too far apart). Tap pairs are fetched by one byte shuffle of
// a window, whose pattern is the same for all pairs of a step.
struct RowPlan {
  std::uint32_t values = 0;    // of the output row: pixels * channels
  std::uint32_t channels = 0;  // 1 or 3
  bool wide = false;
  std::uint32_t lanes = 0;           // values per step, or 4 lanes of one pixel
  std::uint32_t windows = 0;         // per step
  std::uint32_t pairs = 0;           // shuffles per step
  std::uint32_t pair_bytes = 0;      // how far a window moves from pair to pair
  std::vector<std::uint32_t> bases;  // of the windows, in the input row
  std::vector<std::uint8_t> patterns;  // 4 * lanes per step; wide: one for all
  // For each step and pair: 2 * lanes low parts, 2 * lanes high parts.
  std::vector<std::int16_t> weights;
};

// For each output row, tap pairs as two 16-bit halves of a word.
struct ColumnPlan {
  std::uint32_t pairs = 0;
  std::vector<std::int32_t> low;  // `pairs` per row
  std::vector<std::int32_t> high;
};
ColumnPlan MakeColumnPlan(const ResampleAxis& axis);

struct RowKernels {
  RowPlan (*plan)(const ResampleAxis& axis, std::uint32_t channels);
  // Resamples `count` <= kRowBatch rows. REQUIRES: the plan is of the same
  // kernels; kRowPadding bytes behind each input row can be read. Exactly
  // plan.values bytes are written to each output.
  void (*resample)(const RowPlan& plan, const std::uint8_t* const* in,
                   std::uint8_t* const* out, std::size_t count);
};

// Makes output row `row` of 2 * plan.pairs input rows of `bytes` bytes each.
// REQUIRES: kRowPadding bytes behind each input row can be read.
using CombineRowsFunction = void (*)(const ColumnPlan& plan, std::uint32_t row,
                                     const std::uint8_t* const* in,
                                     std::uint8_t* out, std::size_t bytes);

// sum + the products of neighbouring 16-bit lanes, added in pairs. Assembly, as
// compilers are told of HWY_AVX3_DL without this part of it.
#define SHARDINE_DPWSSD(sum, a, b) \
  asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b))

// Those of the best instruction set that there is and is allowed.
RowKernels ChosenRowKernels();
CombineRowsFunction ChosenCombineRows();

}  // namespace shardine

#endif  // SHARDINE_IMAGE_RESAMPLE_KERNELS_H_
