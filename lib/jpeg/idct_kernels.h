// The parts of InverseDct that are written once for each kind of vectors.
#ifndef SHARDINE_JPEG_IDCT_KERNELS_H_
#define SHARDINE_JPEG_IDCT_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/simd_level.h"
#include "jpeg/inverse_dct.h"

namespace shardine {

inline constexpr std::size_t kDctBatch = 64;

class DctList {
 public:
  // Counts the block if `belongs`; without a branch, for no one can foretell
  // that. REQUIRES: no more than kDctBatch calls.
  void Add(const DctBlock& block, bool belongs) {
    blocks_[count_] = &block;
    count_ += belongs ? 1u : 0u;
  }
  std::span<const DctBlock* const> blocks() const {
    return {blocks_.data(), count_};
  }

 private:
  std::array<const DctBlock*, kDctBatch> blocks_;
  std::size_t count_ = 0;
};

// Blocks sorted by which of their coefficients are not zero.
struct SortedBlocks {
  DctList flat;     // nothing below the first row
  DctList quarter;  // nothing but the upper left 4 x 4; may be among the full
  DctList full;
};

struct DctKernels {
  // REQUIRES: at most kDctBatch blocks; `sorted` is empty.
  void (*sort)(std::span<const DctBlock> blocks, SortedBlocks& sorted);
  // All but the flat ones.
  void (*transform)(const SortedBlocks& sorted);
};

// These are few and quickly made, one by one.
void TransformFlat(std::span<const DctBlock* const> blocks,
                   CoefficientOrder order);

DctKernels PortableDctKernels();
DctKernels VectorDctKernels(SimdLevel level);
DctKernels VnniDctKernels();

// libjpeg's precision: 13 bits of the constants, 2 bits kept between passes.
inline constexpr int kFirstShift = 11;
inline constexpr int kSecondShift = 18;

// A pair of factors, for the sum of two products.
struct DctFactors {
  std::int16_t first;
  std::int16_t second;
};
// The constants of jidctint.c, in the sums that its vector code takes.
inline constexpr int kFix0_298 = 2446;
inline constexpr int kFix0_390 = 3196;
inline constexpr int kFix0_541 = 4433;
inline constexpr int kFix0_765 = 6270;
inline constexpr int kFix0_899 = 7373;
inline constexpr int kFix1_175 = 9633;
inline constexpr int kFix1_501 = 12299;
inline constexpr int kFix1_847 = 15137;
inline constexpr int kFix1_961 = 16069;
inline constexpr int kFix2_053 = 16819;
inline constexpr int kFix2_562 = 20995;
inline constexpr int kFix3_072 = 25172;

// Factors of inputs 2 and 6.
inline constexpr DctFactors kEven2 = {kFix0_541, kFix0_541 - kFix1_847};
inline constexpr DctFactors kEven3 = {kFix0_541 + kFix0_765, kFix0_541};
// Factors of the sums 1 + 5 and 7 + 3.
inline constexpr DctFactors kZ3 = {kFix1_175, kFix1_175 - kFix1_961};
inline constexpr DctFactors kZ4 = {kFix1_175 - kFix0_390, kFix1_175};
// For inputs 1 and 7.
inline constexpr DctFactors kOdd0 = {-kFix0_899, kFix0_298 - kFix0_899};
inline constexpr DctFactors kOdd3 = {kFix1_501 - kFix0_899, -kFix0_899};
// For inputs 5 and 3.
inline constexpr DctFactors kOdd1 = {kFix2_053 - kFix2_562, -kFix2_562};
inline constexpr DctFactors kOdd2 = {-kFix2_562, kFix3_072 - kFix2_562};

}  // namespace shardine

#endif  // SHARDINE_JPEG_IDCT_KERNELS_H_
