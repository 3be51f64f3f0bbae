#include "image/png_rows.h"

#include <algorithm>
#include <array>

namespace shardine {
namespace {

struct Grid {
  unsigned x, y, step_x, step_y;
};

constexpr std::array<Grid, 1> kPlain = {Grid{0, 0, 1, 1}};
constexpr std::array<Grid, 7> kAdam7 = {
    Grid{0, 0, 8, 8}, Grid{4, 0, 8, 8}, Grid{0, 4, 4, 8}, Grid{2, 0, 4, 4},
    Grid{0, 2, 2, 4}, Grid{1, 0, 2, 2}, Grid{0, 1, 1, 2}};

constexpr unsigned kFilterTypes = 5;

std::uint64_t CountOf(std::uint64_t size, unsigned start, unsigned step) {
  return size <= start ? 0 : (size - start + step - 1) / step;
}

}  // namespace

PngRowWalk::PngRowWalk(const PngHeader& header) {
  const std::span<const Grid> grids =
      header.interlaced ? std::span<const Grid>(kAdam7) : kPlain;
  const unsigned pixel_bits = unsigned{header.bits} * header.components();
  for (const Grid& grid : grids) {
    const std::uint64_t across = CountOf(header.width, grid.x, grid.step_x);
    const std::uint64_t rows = CountOf(header.height, grid.y, grid.step_y);
    if (across == 0 || rows == 0) continue;
    passes_.push_back({1 + (across * pixel_bits + 7) / 8, rows});
    remaining_ += passes_.back().row_bytes * rows;
  }
}

bool PngRowWalk::Advance(ByteView piece) {
  remaining_ -= piece.size();
  while (!piece.empty()) {
    const Pass& pass = passes_[pass_];
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
