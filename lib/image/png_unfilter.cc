#include "image/png_unfilter.h"

#include <algorithm>
#include <cstdlib>

namespace shardine {
namespace {

std::uint8_t Sum(unsigned a, unsigned b) {
  return static_cast<std::uint8_t>(a + b);
}

// Which of several equal distances wins is part of the format (ISO/IEC 15948,
// 9.4): left, above, corner.
std::uint8_t Paeth(int left, int above, int corner) {
  const int by_left = std::abs(above - corner);
  const int by_above = std::abs(left - corner);
  const int by_corner = std::abs(left + above - 2 * corner);
  if (by_left <= by_above && by_left <= by_corner) {
    return static_cast<std::uint8_t>(left);
  }
  return static_cast<std::uint8_t>(by_above <= by_corner ? above : corner);
}

// The width of a pixel is a constant, so that the pixel to the left stays in
// registers.
template <std::size_t kPixel>
void Sub(std::uint8_t* row, std::size_t size) {
  for (std::size_t i = kPixel; i < size; ++i) {
    row[i] = Sum(row[i], row[i - kPixel]);
  }
}

template <std::size_t kPixel>
void Average(std::uint8_t* row, std::size_t size, const std::uint8_t* above) {
  const std::size_t first = std::min(kPixel, size);
  for (std::size_t i = 0; i < first; ++i) {
    row[i] = Sum(row[i], above[i] / 2U);
  }
  for (std::size_t i = first; i < size; ++i) {
    row[i] = Sum(row[i], (row[i - kPixel] + above[i] + 0U) / 2);
  }
}

template <std::size_t kPixel>
void AverageOfFirst(std::uint8_t* row, std::size_t size) {
  for (std::size_t i = kPixel; i < size; ++i) {
    row[i] = Sum(row[i], row[i - kPixel] / 2U);
  }
}

template <std::size_t kPixel>
void PaethRow(std::uint8_t* row, std::size_t size, const std::uint8_t* above) {
  const std::size_t first = std::min(kPixel, size);
  for (std::size_t i = 0; i < first; ++i) row[i] = Sum(row[i], above[i]);
  // Each pixel depends on the one before it, so the written values are kept
  // here: the compiler cannot know that `above` is another row and would load
  // it again.
  int left[kPixel];
  int corner[kPixel];
  for (std::size_t c = 0; c < first; ++c) {
    left[c] = row[c];
    corner[c] = above[c];
  }
  for (std::size_t i = kPixel; i + kPixel <= size; i += kPixel) {
    for (std::size_t c = 0; c < kPixel; ++c) {
      const int over = above[i + c];
      row[i + c] = Sum(row[i + c], Paeth(left[c], over, corner[c]));
      left[c] = row[i + c];
      corner[c] = over;
    }
  }
}

// Above the first row stand zeros (ISO/IEC 15948, 9.2): Up leaves such a row as
// it is, and Paeth is Sub, since with zeros above and in the corner the left
// neighbor always wins.
template <std::size_t kPixel>
bool Unfilter(std::uint8_t filter, std::uint8_t* row, std::size_t size,
              const std::uint8_t* above) {
  switch (filter) {
    case 0:
      return true;
    case 1:
      Sub<kPixel>(row, size);
      return true;
    case 2:
      if (above == nullptr) return true;
      for (std::size_t i = 0; i < size; ++i) row[i] = Sum(row[i], above[i]);
      return true;
    case 3:
      if (above == nullptr) {
        AverageOfFirst<kPixel>(row, size);
      } else {
        Average<kPixel>(row, size, above);
      }
      return true;
    case 4:
      if (above == nullptr) {
        Sub<kPixel>(row, size);
      } else {
        PaethRow<kPixel>(row, size, above);
      }
      return true;
    default:
      return false;
  }
}

}  // namespace

bool UnfilterPngRow(std::uint8_t filter, std::uint8_t* row, std::size_t size,
                    const std::uint8_t* above, std::size_t pixel) {
  switch (pixel) {
    case 1:
      return Unfilter<1>(filter, row, size, above);
    case 2:
      return Unfilter<2>(filter, row, size, above);
    case 3:
      return Unfilter<3>(filter, row, size, above);
    case 4:
      return Unfilter<4>(filter, row, size, above);
    case 6:
      return Unfilter<6>(filter, row, size, above);
    default:
      return Unfilter<8>(filter, row, size, above);
  }
}

}  // namespace shardine
