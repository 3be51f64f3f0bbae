#include "pixels/resample_kernels.h"

namespace shardine {

RowKernels ChosenRowKernels() {
  const SimdLevel level = CurrentSimdLevel();
  return level == SimdLevel::kAvx512Vnni ? VnniRowKernels()
                                         : VectorRowKernels(level);
}

ColumnKernels ChosenColumnKernels() {
  const SimdLevel level = CurrentSimdLevel();
  return level == SimdLevel::kAvx512Vnni ? VnniColumnKernels()
                                         : VectorColumnKernels(level);
}

}  // namespace shardine
