// Unstuff() for each kind of processor.
#ifndef SHARDINE_JPEG_UNSTUFF_KERNELS_H_
#define SHARDINE_JPEG_UNSTUFF_KERNELS_H_

#include <cstdint>

#include "base/bytes.h"
#include "jpeg/unstuff.h"

namespace shardine {

using UnstuffKernel = Unstuffed (*)(ByteView data, std::uint8_t* out);

// REQUIRES: SimdLevel::kAvx512Vnni.
Unstuffed UnstuffVbmi2(ByteView data, std::uint8_t* out);

}  // namespace shardine

#endif  // SHARDINE_JPEG_UNSTUFF_KERNELS_H_
