// The order of the axes and channels of images that are arrays of pixels.
#ifndef SHARDINE_ARRAY_LAYOUT_H_
#define SHARDINE_ARRAY_LAYOUT_H_

#include <cstdint>

namespace shardine {

// Arrays of two axes are height x width of gray in each.
enum class ArrayLayout : std::uint8_t {
  kHwc,        // height x width x channels, red first
  kChw,        // channels x height x width, red first
  kBgr,        // height x width x channels, blue first, as OpenCV has them
  kBgrPlanes,  // channels x height x width, blue first, as Caffe has them
};

}  // namespace shardine

#endif  // SHARDINE_ARRAY_LAYOUT_H_
