// Moves of pixels that are no colors: elements of any number of bytes, such as
// the numbers of a mask, each copied whole.
#ifndef SHARDINE_PIXELS_ELEMENT_MOVES_H_
#define SHARDINE_PIXELS_ELEMENT_MOVES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/geometry.h"
#include "pixels/affine_sampler.h"

namespace shardine {

// Does not own its memory.
struct ElementView {
  const std::byte* data = nullptr;
  PixelSize size;
  std::size_t element = 1;  // bytes
  std::size_t stride = 0;   // bytes from row to row

  const std::byte* row(std::uint32_t y) const { return data + stride * y; }
};

// In a list of sources: the place is beyond the image.
inline constexpr std::uint32_t kNoSource = UINT32_MAX;

// Each output element is the input's at column across[x] and row down[y]; where
// either is kNoSource, `fill`, which is one element. Rows of `out` lie without
// padding.
void TakeElements(const ElementView& from,
                  std::span<const std::uint32_t> across,
                  std::span<const std::uint32_t> down, ByteView fill,
                  std::byte* out);

// Has the room that it needs. Thread-compatible.
class ElementSampler {
 public:
  // In place, with the places of AffineSampler and its rounding to the nearest;
  // elements beyond the image are `fill`.
  void operator()(std::byte* image, PixelSize size, const AffineMatrix& matrix,
                  ByteView fill);

 private:
  std::vector<std::byte> before_;
  std::vector<std::uint32_t> sources_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_ELEMENT_MOVES_H_
