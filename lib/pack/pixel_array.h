// Images as arrays of pixels: channels x height x width, u8.
#ifndef SHARDINE_PACK_PIXEL_ARRAY_H_
#define SHARDINE_PACK_PIXEL_ARRAY_H_

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "pixels/pixels.h"
#include "shardine/convert.h"

namespace shardine {

// NumPy's type of an element.
inline constexpr char kPixelDtype[] = "|u1";

// The shape of an image of that size.
std::vector<std::uint64_t> PixelShape(PixelOrder order, PixelSize size);

// Appends the array of `pixels` to `out`. REQUIRES: three channels, or one for
// kGray.
void AppendPixelArray(const PixelView& pixels, PixelOrder order,
                      ByteBuffer& out);

}  // namespace shardine

#endif  // SHARDINE_PACK_PIXEL_ARRAY_H_
