// Where rows start in the pixel data of a PNG (ISO/IEC 15948, 8.2 and 9.2).
#ifndef SHARDINE_IMAGE_PNG_ROWS_H_
#define SHARDINE_IMAGE_PNG_ROWS_H_

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "image/png_header.h"

namespace shardine {

// One pass of an interlaced image, or a whole plain one: the pixels at
// (x + i * step_x, y + j * step_y).
struct PngPass {
  std::uint32_t x = 0, y = 0, step_x = 1, step_y = 1;
  std::uint32_t width = 0;  // pixels in a row
  std::uint32_t rows = 0;
  std::uint64_t row_bytes = 0;  // with the filter type
};

// In order of their data; empty passes left out.
// REQUIRES: width * height * 8 bytes fit 63 bits.
std::vector<PngPass> PngPasses(const PngHeader& header);

// Filter types and rows of all passes. REQUIRES: as above.
std::uint64_t PngPixelBytes(const PngHeader& header);

// Follows inflated pixel data piece by piece. Thread-compatible.
class PngRowWalk {
 public:
  // REQUIRES: width * height * 8 bytes fit 63 bits.
  explicit PngRowWalk(const PngHeader& header);

  // Bytes still to come: filter types and rows of all passes.
  std::uint64_t remaining() const { return remaining_; }

  // False if a row in `piece` starts with a filter type that does not exist.
  // REQUIRES: piece.size() <= remaining().
  bool Advance(ByteView piece);

 private:
  std::vector<PngPass> passes_;
  std::size_t pass_ = 0;
  std::uint32_t row_ = 0;     // in the pass
  std::uint64_t in_row_ = 0;  // bytes of the row already seen
  std::uint64_t remaining_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_ROWS_H_
