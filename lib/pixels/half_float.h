// IEEE 754 half precision, as the bits of it.
#ifndef SHARDINE_PIXELS_HALF_FLOAT_H_
#define SHARDINE_PIXELS_HALF_FLOAT_H_

#include <cstdint>

namespace shardine {

// The nearest half, of two the one whose last bit is 0; infinite from 65,520
// on. NaN gives a quiet NaN.
std::uint16_t HalfBits(float value);

// The half of these bits, which each is a float, too; of NaN any.
float HalfValue(std::uint16_t half);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_HALF_FLOAT_H_
