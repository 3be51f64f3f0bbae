#include <algorithm>
#include <cstring>

#include "jpeg/idct_kernels.h"

namespace shardine {
namespace {

using DctLine = std::array<std::int16_t, kBlockSide>;

// Sums of 16 bits wrap, and the results of a pass saturate, as the instructions
// of libjpeg's vector code do: coefficients of hostile files, which leave 16
// bits, give the same pixels as there.
std::int16_t Wrap(std::int32_t value) {
  return static_cast<std::int16_t>(static_cast<std::uint32_t>(value));
}

std::int16_t Saturate(std::int32_t value) {
  return static_cast<std::int16_t>(std::clamp(value, -32768, 32767));
}

std::uint8_t ToSample(std::int16_t value) {
  return static_cast<std::uint8_t>(std::clamp<int>(value, -128, 127) + 128);
}

std::int32_t Sum(DctFactors factors, std::int16_t first, std::int16_t second) {
  return factors.first * first + factors.second * second;
}

// No sum leaves 32 bits, whatever the values.
template <int kShift>
DctLine Pass(const DctLine& in) {
  // The butterflies of jidctint.c: the even part from inputs 0, 2, 4 and 6, the
  // odd part from the others.
  const std::int32_t even0 = Wrap(in[0] + in[4]) * (1 << 13);
  const std::int32_t even1 = Wrap(in[0] - in[4]) * (1 << 13);
  const std::int32_t even2 = Sum(kEven2, in[2], in[6]);
  const std::int32_t even3 = Sum(kEven3, in[2], in[6]);
  const std::int16_t sum15 = Wrap(in[1] + in[5]);
  const std::int16_t sum73 = Wrap(in[7] + in[3]);
  const std::int32_t z3 = Sum(kZ3, sum15, sum73);
  const std::int32_t z4 = Sum(kZ4, sum15, sum73);
  const std::array<std::int32_t, 4> even = {even0 + even3, even1 + even2,
                                            even1 - even2, even0 - even3};
  const std::array<std::int32_t, 4> odd = {
      Sum(kOdd3, in[1], in[7]) + z4, Sum(kOdd2, in[5], in[3]) + z3,
      Sum(kOdd1, in[5], in[3]) + z4, Sum(kOdd0, in[1], in[7]) + z3};
  DctLine out;
  constexpr std::int32_t kHalf = 1 << (kShift - 1);
  for (std::size_t i = 0; i < 4; ++i) {
    out[i] = Saturate((even[i] + odd[i] + kHalf) >> kShift);
    out[7 - i] = Saturate((even[i] - odd[i] + kHalf) >> kShift);
  }
  return out;
}

std::int16_t Dequantized(const DctBlock& block, std::size_t place) {
  const std::int16_t value = place == 0 ? block.dc : block.coefficients[place];
  return Wrap(value * block.steps->step[place]);
}

void Transform(const SortedBlocks& sorted) {
  for (const DctBlock* block : sorted.full.blocks()) {
    std::array<DctLine, kBlockSide> rows;
    for (std::size_t x = 0; x < kBlockSide; ++x) {
      DctLine column;
      for (std::size_t y = 0; y < kBlockSide; ++y) {
        column[y] = Dequantized(*block, y * kBlockSide + x);
      }
      column = Pass<kFirstShift>(column);
      for (std::size_t y = 0; y < kBlockSide; ++y) rows[y][x] = column[y];
    }
    for (std::size_t y = 0; y < kBlockSide; ++y) {
      std::uint8_t* out = block->samples + std::size_t{y} * block->stride;
      std::ranges::transform(Pass<kSecondShift>(rows[y]), out, ToSample);
    }
  }
}

// Nothing goes to `quarter`: this way of writing it has no shorter transform.
void Sort(std::span<const DctBlock> blocks, SortedBlocks& sorted) {
  for (const DctBlock& block : blocks) {
    const bool flat = std::all_of(
        block.coefficients + kBlockSide, block.coefficients + kBlockSize,
        [](std::int16_t value) { return value == 0; });
    sorted.flat.Add(block, flat);
    sorted.full.Add(block, !flat);
  }
}

void FillRows(const DctBlock& block, const void* row) {
  std::uint8_t* out = block.samples;
  for (std::size_t y = 0; y < kBlockSide; ++y, out += block.stride) {
    std::memcpy(out, row, kBlockSide);
  }
}

// The first pass's result for columns that are zero below their first value:
// libjpeg's vector code shifts, where the long way would saturate.
DctLine FirstRow(const DctBlock& block, CoefficientOrder order) {
  // Where the first row of a block stands in zigzag order (T.81, figure A.6).
  static constexpr std::array<std::uint8_t, kBlockSide> kZigzagPlaces = {
      0, 1, 5, 6, 14, 15, 27, 28};
  DctLine values;
  for (std::size_t x = 0; x < kBlockSide; ++x) {
    const std::size_t place =
        order == CoefficientOrder::kZigzag ? kZigzagPlaces[x] : x;
    values[x] = Wrap(Dequantized(block, place) * 4);
  }
  return values;
}

// Whether a flat block has nothing but a DC value: in either order its first
// row stands in the first half.
bool HasDcAlone(const DctBlock& block) {
  std::uint16_t set = 0;
  for (std::size_t k = 1; k < kBlockSize / 2; ++k) {
    set |= static_cast<std::uint16_t>(block.coefficients[k]);
  }
  return set == 0;
}

void FillWith(const DctBlock& block, std::int16_t value) {
  std::array<std::uint8_t, kBlockSide> row;
  row.fill(ToSample(static_cast<std::int16_t>((value + 16) >> 5)));
  FillRows(block, row.data());
}

}  // namespace

void TransformFlat(std::span<const DctBlock* const> blocks,
                   CoefficientOrder order) {
  for (const DctBlock* block : blocks) {
    if (HasDcAlone(*block)) {
      FillWith(*block, Wrap(Dequantized(*block, 0) * 4));
      continue;
    }
    const DctLine values = FirstRow(*block, order);
    if (std::all_of(values.begin() + 1, values.end(),
                    [](std::int16_t value) { return value == 0; })) {
      FillWith(*block, values[0]);
      continue;
    }
    std::array<std::uint8_t, kBlockSide> row;
    std::ranges::transform(Pass<kSecondShift>(values), row.begin(), ToSample);
    FillRows(*block, row.data());
  }
}

DctKernels PortableDctKernels() { return {&Sort, &Transform}; }

}  // namespace shardine
