#include "image/png_rows.h"

#include <algorithm>
#include <array>
#include <span>

namespace shardine {
namespace {

struct Grid {
  std::uint32_t x, y, step_x, step_y;
};

constexpr std::array<Grid, 1> kPlain = {Grid{0, 0, 1, 1}};
constexpr std::array<Grid, 7> kAdam7 = {
    Grid{0, 0, 8, 8}, Grid{4, 0, 8, 8}, Grid{0, 4, 4, 8}, Grid{2, 0, 4, 4},
    Grid{0, 2, 2, 4}, Grid{1, 0, 2, 2}, Grid{0, 1, 1, 2}};

constexpr unsigned kFilterTypes = 5;

std::uint32_t CountOf(std::uint32_t size, std::uint32_t start,
                      std::uint32_t step) {
  return size <= start ? 0 : (size - start - 1) / step + 1;
}

}  // namespace

std::vector<PngPass> PngPasses(const PngHeader& header) {
  const std::span<const Grid> grids =
      header.interlaced ? std::span<const Grid>(kAdam7) : kPlain;
  const std::uint64_t pixel_bits =
      std::uint64_t{header.bits} * header.components();
  std::vector<PngPass> passes;
  for (const auto& [x, y, step_x, step_y] : grids) {
    const std::uint32_t width = CountOf(header.width, x, step_x);
    const std::uint32_t rows = CountOf(header.height, y, step_y);
    if (width == 0 || rows == 0) continue;
    passes.push_back(
        {x, y, step_x, step_y, width, rows, 1 + (width * pixel_bits + 7) / 8});
  }
  return passes;
}

std::uint64_t PngPixelBytes(const PngHeader& header) {
  std::uint64_t bytes = 0;
  for (const PngPass& pass : PngPasses(header)) {
    bytes += pass.row_bytes * pass.rows;
  }
  return bytes;
}

PngRowWalk::PngRowWalk(const PngHeader& header)
    : passes_(PngPasses(header)), remaining_(PngPixelBytes(header)) {}

bool PngRowWalk::Advance(ByteView piece) {
  remaining_ -= piece.size();
  while (!piece.empty()) {
    const PngPass& pass = passes_[pass_];
    if (in_row_ == 0 && std::to_integer<unsigned>(piece[0]) >= kFilterTypes) {
      return false;
    }
    const std::size_t step = static_cast<std::size_t>(
        std::min<std::uint64_t>(pass.row_bytes - in_row_, piece.size()));
    piece = piece.subspan(step);
    in_row_ += step;
    if (in_row_ < pass.row_bytes) continue;
    in_row_ = 0;
    if (++row_ == pass.rows) {
      row_ = 0;
      ++pass_;
    }
  }
  return true;
}

}  // namespace shardine
