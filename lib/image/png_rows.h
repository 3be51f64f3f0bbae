// Where rows start in the pixel data of a PNG (ISO/IEC 15948, 8.2 and 9.2).
#ifndef SHARDINE_IMAGE_PNG_ROWS_H_
#define SHARDINE_IMAGE_PNG_ROWS_H_

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "image/png_header.h"

namespace shardine {

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
  struct Pass {
    std::uint64_t row_bytes;  // with the filter type
    std::uint64_t rows;
  };

  std::vector<Pass> passes_;  // empty passes left out
  std::size_t pass_ = 0;
  std::uint64_t row_ = 0;     // in the pass
  std::uint64_t in_row_ = 0;  // bytes of the row already seen
  std::uint64_t remaining_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_ROWS_H_
