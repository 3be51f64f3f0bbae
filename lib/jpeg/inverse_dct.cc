#include "jpeg/inverse_dct.h"

#include <algorithm>

#include "jpeg/idct_kernels.h"

namespace shardine {
namespace {

DctKernels KernelsAt(SimdLevel level) {
  switch (level) {
    case SimdLevel::kPortable:
      return PortableDctKernels();
    case SimdLevel::kAvx512Vnni:
      return VnniDctKernels();
    default:
      return VectorDctKernels(level);
  }
}

}  // namespace

DctSteps StepsAt(SimdLevel level,
                 const std::array<std::uint16_t, kBlockSize>& zigzag) {
  const bool natural = CoefficientOrderAt(level) == CoefficientOrder::kNatural;
  DctSteps steps;
  for (std::size_t k = 0; k < kBlockSize; ++k) {
    steps.step[natural ? kNaturalOrder[k] : k] =
        static_cast<std::int16_t>(zigzag[k]);
  }
  return steps;
}

void InverseDct(SimdLevel level, std::span<const DctBlock> blocks) {
  const DctKernels kernels = KernelsAt(level);
  while (!blocks.empty()) {
    const auto batch = blocks.first(std::min(blocks.size(), kDctBatch));
    blocks = blocks.subspan(batch.size());
    SortedBlocks sorted;
    kernels.sort(batch, sorted);
    TransformFlat(sorted.flat.blocks(), CoefficientOrderAt(level));
    kernels.transform(sorted);
  }
}

}  // namespace shardine
