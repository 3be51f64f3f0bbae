// The kernels of resample_kernels.h in plain C++: for processors without vector
// instructions that are known here, and the measure of all others.
#ifndef SHARDINE_IMAGE_RESAMPLE_PORTABLE_H_
#define SHARDINE_IMAGE_RESAMPLE_PORTABLE_H_

#include "image/resample_kernels.h"

namespace shardine {

RowKernels PortableRowKernels();
CombineRowsFunction PortableCombineRows();

}  // namespace shardine

#endif  // SHARDINE_IMAGE_RESAMPLE_PORTABLE_H_
