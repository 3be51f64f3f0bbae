#include "jpeg/row_maker.h"

#include <algorithm>
#include <cstring>

namespace shardine {
namespace {

static_assert(kBandPadding >= kKernelPadding);

// libjpeg repeats chroma that has no more columns than this.
constexpr std::uint32_t kTooNarrow = 2;

// Rounding of libjpeg's triangle filters: up and down in turns.
constexpr std::int16_t kUpperBias = 1;
constexpr std::int16_t kLowerBias = 2;
// The biases of sums over two rows, and of four times one row.
constexpr std::int16_t kLeftBias = 8;
constexpr std::int16_t kRightBias = 7;
constexpr std::int16_t kLeftBiasOfOne = 4;
constexpr std::int16_t kRightBiasOfOne = 8;

PixelKernels KernelsAt(SimdLevel level) {
  switch (level) {
    case SimdLevel::kPortable:
      return PortablePixelKernels();
    case SimdLevel::kAvx512Vnni:
      return VbmiPixelKernels();
    default:
      return VectorPixelKernels(level);
  }
}

const std::uint8_t* At(const SampleBand& band, std::uint32_t x,
                       std::uint32_t y) {
  return band.samples + std::size_t{y - band.y} * band.stride + (x - band.x);
}

}  // namespace

void RowMaker::Begin(SimdLevel level, const JpegFrame& frame, std::uint32_t x,
                     std::uint32_t width) {
  kernels_ = KernelsAt(level);
  channels_ = frame.components;
  x_ = x;
  width_ = width;
  rows_per_chroma_ = frame.max_v;
  chroma_width_ = frame.component[1].width;
  chroma_height_ = frame.component[1].height;
  if (frame.components == 1) {
    chroma_ = Chroma::kNone;
  } else if (frame.max_h == 2) {
    chroma_ =
        chroma_width_ > kTooNarrow ? Chroma::kHalfWidth : Chroma::kRepeated;
  } else {
    chroma_ = frame.max_v == 2 ? Chroma::kHalfHeight : Chroma::kFull;
  }
}

void RowMaker::MakeRows(const std::array<SampleBand, kMaxComponents>& bands,
                        std::uint32_t y, std::uint32_t count,
                        std::uint8_t* rows, std::size_t stride) {
  for (std::uint32_t i = 0; i < count; ++i) {
    MakeRow(bands, y + i, rows + std::size_t{i} * stride);
  }
}

void RowMaker::MakeRow(const std::array<SampleBand, kMaxComponents>& bands,
                       std::uint32_t y, std::uint8_t* row) {
  const std::uint8_t* const luma = At(bands[0], x_, y);
  if (chroma_ == Chroma::kNone) {
    std::memcpy(row, luma, width_);
  } else if (chroma_ == Chroma::kHalfWidth) {
    const bool two_rows = rows_per_chroma_ == 2;
    kernels_.convert_half({luma, ChromaSums(bands[1], y, scratch_[0]),
                           ChromaSums(bands[2], y, scratch_[1]), x_ % 2 != 0,
                           two_rows ? kLeftBias : kLeftBiasOfOne,
                           two_rows ? kRightBias : kRightBiasOfOne},
                          width_, row);
  } else {
    kernels_.convert({luma, FullChroma(bands[1], y, scratch_[0]),
                      FullChroma(bands[2], y, scratch_[1])},
                     width_, row);
  }
}

RowMaker::ChromaRows RowMaker::RowsOf(const SampleBand& band, std::uint32_t y,
                                      std::uint32_t x) const {
  const std::uint32_t near = y / rows_per_chroma_;
  std::uint32_t far = near;
  if (rows_per_chroma_ == 2 && chroma_ != Chroma::kRepeated) {
    // Beyond the image its last row stands again, whatever the blocks hold.
    if (y % 2 != 0) {
      far = std::min(near + 1, chroma_height_ - 1);
    } else if (near > 0) {
      far = near - 1;
    }
  }
  return {At(band, x, near), At(band, x, far)};
}

const std::uint8_t* RowMaker::FullChroma(const SampleBand& band,
                                         std::uint32_t y,
                                         Scratch& scratch) const {
  const std::uint32_t x = chroma_ == Chroma::kRepeated ? x_ / 2 : x_;
  const ChromaRows rows = RowsOf(band, y, x);
  if (chroma_ == Chroma::kFull) return rows.near;
  scratch.samples.resize(width_ + kKernelPadding);
  if (chroma_ == Chroma::kHalfHeight) {
    kernels_.blend_rows(rows.near, rows.far,
                        y % 2 == 0 ? kUpperBias : kLowerBias, width_,
                        scratch.samples.data());
  } else {
    for (std::uint32_t i = 0; i < width_; ++i) {
      scratch.samples[i] = rows.near[(x_ + i) / 2 - x];
    }
  }
  return scratch.samples.data();
}

const std::int16_t* RowMaker::ChromaSums(const SampleBand& band,
                                         std::uint32_t y,
                                         Scratch& scratch) const {
  const std::uint32_t first = x_ / 2;
  const std::uint32_t last = (x_ + width_ - 1) / 2;
  // Left halves blend with the sample before, right halves with the one after.
  const bool before = x_ % 2 == 0 && first > 0;
  const bool after = (x_ + width_) % 2 == 0 && last + 1 < chroma_width_;
  const std::uint32_t begin = before ? first - 1 : first;
  const std::uint32_t end = after ? last + 2 : last + 1;
  scratch.sums.resize(std::size_t{last - first} + 3 + kKernelPadding);
  // The sums have one more before the first sample and one after the last.
  std::int16_t* const sums = scratch.sums.data();
  const ChromaRows rows = RowsOf(band, y, begin);
  const std::size_t skip = begin + 1 - first;
  kernels_.add_rows(rows.near, rows.far, end - begin, sums + skip);
  // At the edges of the image libjpeg repeats the outermost sample; elsewhere
  // the neighbor itself was added, if a pixel needs it.
  if (first == 0) sums[0] = sums[1];
  const std::size_t behind = std::size_t{last - first} + 2;
  if (last + 1 == chroma_width_) sums[behind] = sums[behind - 1];
  return sums + 1;
}

}  // namespace shardine
