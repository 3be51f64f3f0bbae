// Two images made one, value by value, as a batch has them: bytes, floats or
// halves.
#ifndef SHARDINE_PIXELS_VALUE_BLEND_H_
#define SHARDINE_PIXELS_VALUE_BLEND_H_

#include <cstddef>

#include "shardine/transform.h"

namespace shardine {

// own = other (1 - weight) + own weight, as shardine/mixing.h says for each
// type: the same at every SimdLevel. `count` values without gaps, aligned to
// their size.
// REQUIRES: 0 <= weight <= 1; the two do not overlap.
void BlendValues(PixelType type, const std::byte* other, std::size_t count,
                 float weight, std::byte* own);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_VALUE_BLEND_H_
