// One axis of a resampling: which input pixels make an output pixel, and with
// which weights. Pillow's arithmetic, of src/libImaging/Resample.c and
// (nearest) Geometry.c; compiled without fused multiply and add, so that the
// doubles are the same everywhere.
#ifndef SHARDINE_PIXELS_RESAMPLE_AXIS_H_
#define SHARDINE_PIXELS_RESAMPLE_AXIS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "shardine/image.h"

namespace shardine {

// Weights are fixed-point numbers of 22 fraction bits. An output value is
//   clip((2^21 + sum over i < count of input[first + i] * weight[i]) >> 22)
struct ResampleAxis {
  struct Window {
    std::uint32_t first = 0;  // first + taps <= in: all taps can be read
    std::uint32_t count = 0;
  };

  std::uint32_t in = 0;               // pixels that windows lie in
  std::uint32_t out = 0;              // pixels that are made
  std::uint32_t taps = 0;             // the largest count
  std::vector<Window> windows;        // of each output pixel
  std::vector<std::int32_t> weights;  // `taps` for each, the rest zero

  const std::int32_t* weights_of(std::uint32_t pixel) const {
    return weights.data() + std::size_t{taps} * pixel;
  }
};

inline constexpr int kWeightBits = 22;

// Neighbouring pixels of an axis.
struct PixelRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  friend bool operator==(const PixelRun&, const PixelRun&) = default;
};

// An axis of `in` pixels made `out`; with `flip` the output is mirrored. Only
// the pixels of `part` are made, counted as they are written: weights are those
// of the whole, windows are counted from InputOf's first pixel.
// REQUIRES of both: neither size is zero, `part` is not empty and in `out`.
ResampleAxis MakeResampleAxis(std::uint32_t in, std::uint32_t out,
                              Filter filter, bool flip, PixelRun part);
// The input that a part is made of; of the whole, all.
PixelRun InputOf(std::uint32_t in, std::uint32_t out, Filter filter, bool flip,
                 PixelRun part);

// The input pixel of each output pixel of a part, by Filter::kNearest: that at
// its middle. REQUIRES: as above; `sources` has part.count.
void NearestSources(std::uint32_t in, std::uint32_t out, PixelRun part,
                    std::span<std::uint32_t> sources);

inline ResampleAxis MakeResampleAxis(std::uint32_t in, std::uint32_t out,
                                     Filter filter, bool flip = false) {
  return MakeResampleAxis(in, out, filter, flip, {0, out});
}

}  // namespace shardine

#endif  // SHARDINE_PIXELS_RESAMPLE_AXIS_H_
