// Resampler: Pillow's two-pass resize over rows as they come, bit for bit:
// 8-bit pixels between the passes, 32-bit sums of 22-bit weights. It needs each
// input row once and keeps only those that an output row still waits for.
#ifndef SHARDINE_PIXELS_RESAMPLER_H_
#define SHARDINE_PIXELS_RESAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/geometry.h"
#include "pixels/pixels.h"
#include "shardine/image.h"

namespace shardine {

struct ResampleSpec {
  PixelSize in;
  PixelSize out;
  std::uint8_t channels = 3;  // 1 or 3
  Filter filter = Filter::kBilinear;
  PassOrder order = PassOrder::kPillow13;
  bool flip = false;  // mirrors the output: left becomes right
  // The part of `out`, as it is written, that is made, with the pixels that it
  // has in the whole. Empty: all of it.
  Region part = {};

  friend bool operator==(const ResampleSpec&, const ResampleSpec&) = default;
};

// The part of the input that the part of the output is made of. All of it for
// all. REQUIRES: as Resampler::Begin.
Region InputOf(const ResampleSpec& spec);

// True if the vertical pass is the first one: under kPillow13 if out.height <
// in.height and in.height - out.height > 2 (in.width - out.width).
bool VerticalFirst(const ResampleSpec& spec);

// Used for one image after another; tables and memory are kept.
// Thread-compatible.
class Resampler {
 public:
  Resampler();
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;

  // Begins an image; the rows of the part that is made will be written to
  // `out`, `stride` bytes apart; that memory must stay until the last row.
  // REQUIRES: no side is zero; the part lies in the output.
  void Begin(const ResampleSpec& spec, std::uint8_t* out, std::size_t stride);

  // The next `count` rows of InputOf(), its pixels only, `stride` bytes apart.
  // Output rows are written as soon as all that they need is there.
  // REQUIRES: no more rows than InputOf() has.
  void Push(const std::uint8_t* rows, std::size_t stride, std::uint32_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_RESAMPLER_H_
