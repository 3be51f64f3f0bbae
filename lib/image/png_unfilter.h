// The filters of PNG rows, undone (ISO/IEC 15948, 9.2).
#ifndef SHARDINE_IMAGE_PNG_UNFILTER_H_
#define SHARDINE_IMAGE_PNG_UNFILTER_H_

#include <cstddef>
#include <cstdint>

namespace shardine {

// In place. `above`: the row over it, unfiltered; nullptr for the first row of
// a pass. `pixel`: bytes from a pixel to the next, 1 if it is less than one.
// False if there is no such filter. REQUIRES: pixel is 1, 2, 3, 4, 6 or 8.
bool UnfilterPngRow(std::uint8_t filter, std::uint8_t* row, std::size_t size,
                    const std::uint8_t* above, std::size_t pixel);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_UNFILTER_H_
