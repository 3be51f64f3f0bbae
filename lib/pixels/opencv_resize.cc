#include "pixels/opencv_resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace shardine {
namespace {

// Ties to even, as OpenCV's cvRound.
std::uint8_t RoundAndClip(float value) {
  return static_cast<std::uint8_t>(std::clamp(std::lrint(value), 0l, 255l));
}

void CopyImage(const PixelView& from, PixelBuffer& to) {
  for (std::uint32_t y = 0; y < from.size.height; ++y) {
    std::memcpy(to.row(y), from.row(y), to.stride());
  }
}

void ResizeNearest(const PixelView& from, PixelBuffer& to) {
  const auto across = OpenCvNearest(from.size.width, to.size().width);
  const auto down = OpenCvNearest(from.size.height, to.size().height);
  for (std::uint32_t y = 0; y < to.size().height; ++y) {
    const std::uint8_t* row = from.row(down[y]);
    std::uint8_t* out = to.row(y);
    for (const std::uint32_t x : across) {
      out =
          std::copy_n(row + std::size_t{x} * from.channels, from.channels, out);
    }
  }
}

// Both factors whole: each output pixel is the mean of its block.
void ResizeBlocks(const PixelView& from, PixelBuffer& to) {
  const std::uint32_t across = from.size.width / to.size().width;
  const std::uint32_t down = from.size.height / to.size().height;
  const float scale = 1.0f / static_cast<float>(across * down);
  // Blocks of 2 x 2 have a path of their own, that rounds ties up.
  const bool quad = across == 2 && down == 2;
  std::vector<std::uint32_t> sums(to.stride());
  for (std::uint32_t y = 0; y < to.size().height; ++y) {
    std::fill(sums.begin(), sums.end(), 0);
    for (std::uint32_t k = 0; k < down; ++k) {
      const std::uint8_t* row = from.row(y * down + k);
      for (std::size_t x = 0; x < sums.size(); x += from.channels) {
        for (std::uint32_t i = 0; i < across; ++i) {
          for (std::uint8_t c = 0; c < from.channels; ++c)
            sums[x + c] += *row++;
        }
      }
    }
    std::uint8_t* out = to.row(y);
    for (std::size_t x = 0; x < sums.size(); ++x) {
      out[x] = quad ? static_cast<std::uint8_t>((sums[x] + 2) >> 2)
                    : RoundAndClip(static_cast<float>(sums[x]) * scale);
    }
  }
}

// A row of an area resize: `sums`, as wide as the output.
template <std::uint8_t kChannels>
void AddAcross(const std::uint8_t* row, const std::vector<OpenCvShare>& shares,
               std::vector<float>& sums) {
  std::fill(sums.begin(), sums.end(), 0.0f);
  for (const OpenCvShare& share : shares) {
    const std::uint8_t* from = row + std::size_t{share.from} * kChannels;
    float* sum = sums.data() + std::size_t{share.to} * kChannels;
    for (std::uint8_t c = 0; c < kChannels; ++c) {
      sum[c] += static_cast<float>(from[c]) * share.weight;
    }
  }
}

void AddAcross(const PixelView& from, std::uint32_t y,
               const std::vector<OpenCvShare>& shares,
               std::vector<float>& sums) {
  switch (from.channels) {
    case 1:
      return AddAcross<1>(from.row(y), shares, sums);
    case 3:
      return AddAcross<3>(from.row(y), shares, sums);
    default:
      return AddAcross<4>(from.row(y), shares, sums);
  }
}

void ResizeShares(const PixelView& from, PixelBuffer& to) {
  const auto across = OpenCvShares(from.size.width, to.size().width);
  const auto down = OpenCvShares(from.size.height, to.size().height);
  std::vector<float> row(to.stride());
  std::vector<float> sums(to.stride());
  for (std::size_t i = 0; i < down.size(); ++i) {
    AddAcross(from, down[i].from, across, row);
    const bool first = i == 0 || down[i].to != down[i - 1].to;
    for (std::size_t x = 0; x < row.size(); ++x) {
      const float part = down[i].weight * row[x];
      sums[x] = first ? part : sums[x] + part;
    }
    if (i + 1 < down.size() && down[i + 1].to == down[i].to) continue;
    std::transform(sums.begin(), sums.end(), to.row(down[i].to), RoundAndClip);
  }
}

// Rows after their horizontal pass: sums of 11 fraction bits.
using WideRow = std::vector<std::int32_t>;
using WideRows = std::array<const std::int32_t*, OpenCvAxis::kMaxTaps>;

template <std::uint8_t kChannels, std::uint32_t kTaps>
void FilterAcross(const std::uint8_t* row, const OpenCvAxis& axis,
                  WideRow& out) {
  std::int32_t* to = out.data();
  for (const OpenCvAxis::Window& window : axis.windows) {
    std::array<std::int32_t, kChannels> sums{};
    for (std::uint32_t k = 0; k < kTaps; ++k) {
      const std::uint8_t* from =
          row + std::size_t{window.sources[k]} * kChannels;
      const std::int32_t weight = window.weights[k];
      for (std::uint8_t c = 0; c < kChannels; ++c) sums[c] += from[c] * weight;
    }
    to = std::copy(sums.begin(), sums.end(), to);
  }
}

template <std::uint8_t kChannels>
void FilterAcross(const std::uint8_t* row, const OpenCvAxis& axis,
                  WideRow& out) {
  switch (axis.taps) {
    case 2:
      return FilterAcross<kChannels, 2>(row, axis, out);
    case 4:
      return FilterAcross<kChannels, 4>(row, axis, out);
    default:
      return FilterAcross<kChannels, 8>(row, axis, out);
  }
}

void FilterAcross(const PixelView& from, std::uint32_t y,
                  const OpenCvAxis& axis, WideRow& out) {
  switch (from.channels) {
    case 1:
      return FilterAcross<1>(from.row(y), axis, out);
    case 3:
      return FilterAcross<3>(from.row(y), axis, out);
    default:
      return FilterAcross<4>(from.row(y), axis, out);
  }
}

// Each of the two products is cut to 16 bits before they are added.
void CombineTwo(const WideRows& rows, const OpenCvAxis::Weights& weights,
                std::uint8_t* out, std::size_t count) {
  for (std::size_t x = 0; x < count; ++x) {
    const std::int32_t above = weights[0] * (rows[0][x] >> 4) >> 16;
    const std::int32_t below = weights[1] * (rows[1][x] >> 4) >> 16;
    out[x] = static_cast<std::uint8_t>((above + below + 2) >> 2);
  }
}

// The values [begin, end) by whole numbers.
void CombineWhole(const WideRows& rows, const OpenCvAxis& axis,
                  const OpenCvAxis::Weights& weights, std::uint8_t* out,
                  std::size_t begin, std::size_t end) {
  constexpr int kBits = 2 * OpenCvAxis::kWeightBits;
  for (std::size_t x = begin; x < end; ++x) {
    // Black and white in turns can go beyond 31 bits, and comes back as
    // OpenCV's overflow does.
    std::uint32_t sum = std::uint32_t{1} << (kBits - 1);
    for (std::uint32_t k = 0; k < axis.taps; ++k) {
      sum += static_cast<std::uint32_t>(rows[k][x]) *
             static_cast<std::uint32_t>(std::int32_t{weights[k]});
    }
    out[x] = static_cast<std::uint8_t>(
        std::clamp(static_cast<std::int32_t>(sum) >> kBits, 0, 255));
  }
}

void CombineFour(const WideRows& rows, const OpenCvAxis& axis,
                 const OpenCvAxis::Weights& weights, OpenCvRelease release,
                 std::uint8_t* out, std::size_t count) {
  constexpr float kScale = 1.0f / (1 << 2 * OpenCvAxis::kWeightBits);
  std::array<float, 4> factors{};
  for (std::size_t k = 0; k < 4; ++k) factors[k] = weights[k] * kScale;
  const std::size_t in_floats = count / 8 * 8;
  for (std::size_t x = 0; x < in_floats; ++x) {
    // The order shows in the last bit.
    const auto product = [&](std::size_t k) {
      return static_cast<float>(rows[k][x]) * factors[k];
    };
    out[x] = RoundAndClip(
        release == OpenCvRelease::k3
            ? product(0) + product(1) + product(2) + product(3)
            : product(0) + (product(1) + (product(2) + product(3))));
  }
  CombineWhole(rows, axis, weights, out, in_floats, count);
}

void ResizeFiltered(const PixelView& from, OpenCvFilter filter,
                    OpenCvRelease release, PixelBuffer& to) {
  const OpenCvAxis across = MakeOpenCvAxis(from.size.width, to.size().width,
                                           filter, OpenCvDirection::kAcross);
  const OpenCvAxis down = MakeOpenCvAxis(from.size.height, to.size().height,
                                         filter, OpenCvDirection::kDown);
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  // A window's rows are neighbours, so each has a place of its own.
  std::vector<WideRow> held(down.taps, WideRow(to.stride()));
  std::vector<std::uint32_t> source(down.taps, kNone);
  for (std::uint32_t y = 0; y < to.size().height; ++y) {
    const OpenCvAxis::Window& window = down.windows[y];
    WideRows rows{};
    for (std::uint32_t k = 0; k < down.taps; ++k) {
      const std::uint32_t row = window.sources[k];
      const std::uint32_t slot = row % down.taps;
      if (source[slot] != row) FilterAcross(from, row, across, held[slot]);
      source[slot] = row;
      rows[k] = held[slot].data();
    }
    const OpenCvAxis::Weights& weights = window.weights;
    if (down.taps == 2) {
      CombineTwo(rows, weights, to.row(y), to.stride());
    } else if (down.taps == 4) {
      CombineFour(rows, down, weights, release, to.row(y), to.stride());
    } else {
      CombineWhole(rows, down, weights, to.row(y), 0, to.stride());
    }
  }
}

bool IsWhole(std::uint32_t in, std::uint32_t out) { return in % out == 0; }

}  // namespace

void OpenCvResize(const PixelView& from, OpenCvFilter filter, PixelBuffer& to,
                  OpenCvRelease release) {
  const PixelSize out = to.size();
  if (from.size == out) return CopyImage(from, to);
  if (filter == OpenCvFilter::kNearest) return ResizeNearest(from, to);
  const bool whole = IsWhole(from.size.width, out.width) &&
                     IsWhole(from.size.height, out.height);
  const bool halved = whole && from.size.width / out.width == 2 &&
                      from.size.height / out.height == 2;
  const bool shrinks =
      from.size.width >= out.width && from.size.height >= out.height;
  if (filter == OpenCvFilter::kLinear && halved) return ResizeBlocks(from, to);
  if (filter == OpenCvFilter::kArea && shrinks) {
    return whole ? ResizeBlocks(from, to) : ResizeShares(from, to);
  }
  ResizeFiltered(from, filter, release, to);
}

}  // namespace shardine
