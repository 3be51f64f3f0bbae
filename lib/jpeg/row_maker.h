// From component samples to rows of gray or RGB pixels as libjpeg-turbo makes
// them by default: fancy upsampling (a triangle filter), then its fixed-point
// YCbCr conversion.
#ifndef SHARDINE_JPEG_ROW_MAKER_H_
#define SHARDINE_JPEG_ROW_MAKER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/simd_level.h"
#include "jpeg/jpeg_frame.h"
#include "jpeg/pixel_kernels.h"

namespace shardine {

// Bytes that may be read before and after the samples of a band's rows.
inline constexpr std::size_t kBandPadding = 64;

// A part of one component's samples.
struct SampleBand {
  const std::uint8_t* samples = nullptr;  // of column x, row y
  std::size_t stride = 0;
  std::uint32_t x = 0;  // of the component, in samples
  std::uint32_t y = 0;
};

// Thread-compatible; used for one image after another.
class RowMaker {
 public:
  // Rows will be those of the columns [x, x + width).
  // REQUIRES: width > 0, x + width <= frame.width.
  void Begin(SimdLevel level, const JpegFrame& frame, std::uint32_t x,
             std::uint32_t width);

  // Bytes per pixel: 1 for gray, else 3, R first.
  std::uint32_t channels() const { return channels_; }

  // Rows [y, y + count) of the image, `stride` bytes apart; nothing is written
  // after their last pixels.
  // REQUIRES: of each component, `bands` has the samples that those rows and
  // columns are made of: with subsampled chroma also the neighbours, where the
  // component has any.
  void MakeRows(const std::array<SampleBand, kMaxComponents>& bands,
                std::uint32_t y, std::uint32_t count, std::uint8_t* rows,
                std::size_t stride);

 private:
  // How the chroma of a row is made, if there is any.
  enum class Chroma : std::uint8_t {
    kNone,
    kFull,        // of full size
    kHalfHeight,  // two rows blended
    kHalfWidth,   // neighbours blended, after the rows if there are fewer
    kRepeated,    // half the width, too narrow for libjpeg to blend
  };
  struct Scratch {
    std::vector<std::int16_t> sums;
    std::vector<std::uint8_t> samples;
  };
  // The row of chroma that a row lies in, and the next nearest.
  struct ChromaRows {
    const std::uint8_t* near = nullptr;  // at column `x` of the component
    const std::uint8_t* far = nullptr;
  };

  ChromaRows RowsOf(const SampleBand& band, std::uint32_t y,
                    std::uint32_t x) const;
  void MakeRow(const std::array<SampleBand, kMaxComponents>& bands,
               std::uint32_t y, std::uint8_t* row);
  const std::uint8_t* FullChroma(const SampleBand& band, std::uint32_t y,
                                 Scratch& scratch) const;
  const std::int16_t* ChromaSums(const SampleBand& band, std::uint32_t y,
                                 Scratch& scratch) const;

  PixelKernels kernels_;
  Chroma chroma_ = Chroma::kNone;
  std::uint32_t channels_ = 0;
  std::uint32_t x_ = 0;
  std::uint32_t width_ = 0;
  std::uint32_t rows_per_chroma_ = 1;
  std::uint32_t chroma_width_ = 0;  // of the whole image
  std::uint32_t chroma_height_ = 0;
  std::array<Scratch, 2> scratch_;
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_ROW_MAKER_H_
