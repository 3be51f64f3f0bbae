// libjpeg-turbo's own way to a region: crop and skip.
#ifndef SHARDINE_TESTS_BENCH_TURBO_CROP_H_
#define SHARDINE_TESTS_BENCH_TURBO_CROP_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/geometry.h"

namespace shardine {

// Rows of RGB (or gray, as the file is), `stride` bytes apart, each as wide as
// libjpeg-turbo makes it; the region begins `x` pixels into them. Valid during
// the call only.
using TurboRows = std::function<void(const std::uint8_t* rows,
                                     std::size_t stride, std::uint32_t count,
                                     std::uint32_t x, std::uint32_t channels)>;

// Decodes the region with jpeg_crop_scanline and jpeg_skip_scanlines; nobody
// decodes the part that they save. An empty region: the whole image. Pixels at
// the region's left and right may differ from those of a full decode: fancy
// upsampling does not see its neighbours. Ends the process at an error.
void TurboCrop(std::string_view jpeg, const Region& region,
               const TurboRows& take);

}  // namespace shardine

#endif  // SHARDINE_TESTS_BENCH_TURBO_CROP_H_
