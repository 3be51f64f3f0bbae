#include "lmdb/numpy_dtype.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

namespace shardine {
namespace {

// f16 and c32 are C's long double, padded as on 64-bit x86.
bool IsSize(char kind, std::uint32_t size) {
  switch (kind) {
    case 'b':
      return size == 1;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
      return size == 2 || size == 4 || size == 8 || size == 16;
    case 'c':
      return size == 8 || size == 16 || size == 32;
    case 'S':
    case 'U':
      return size > 0;
    default:
      return false;
  }
}

// IEEE's half: a bit of sign, five of exponent, ten of fraction.
double FromHalf(std::uint16_t half) {
  const int exponent = half >> 10 & 0x1f;
  const int fraction = half & 0x3ff;
  double value = exponent == 0 ? std::ldexp(fraction, -24)
                               : std::ldexp(fraction + 0x400, exponent - 25);
  if (exponent == 0x1f) value = fraction == 0 ? HUGE_VAL : NAN;
  return (half & 0x8000) != 0 ? -value : value;
}

// Negative integers have all bits above their item's set.
std::int64_t SignExtended(std::uint64_t bits, std::uint32_t item_size) {
  const unsigned unused = 64 - 8 * item_size;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

std::optional<double> RealOf(std::uint64_t bits, std::uint32_t item_size) {
  switch (item_size) {
    case 2:
      return FromHalf(static_cast<std::uint16_t>(bits));
    case 4:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case 8:
      return std::bit_cast<double>(bits);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string NumpyDtype::Code() const {
  return kind + std::to_string(kind == 'U' ? item_size / 4 : item_size);
}

std::string NumpyDtype::Name() const {
  return (order == '|' ? "|" : "<") + Code();
}

std::uint32_t NumpyDtype::swap_size() const {
  if (kind == 'U') return 4;
  if (kind == 'S') return 1;
  return kind == 'c' ? item_size / 2 : item_size;
}

std::optional<NumpyDtype> ParseDtypeCode(std::string_view code) {
  NumpyDtype dtype;
  // A leading zero would not come back from Code(), and items of no bytes would
  // make arrays without a bound on their count.
  if (code.size() < 2 || code[1] == '0') return std::nullopt;
  dtype.kind = code[0];
  std::uint32_t size = 0;
  const char* end = code.data() + code.size();
  const auto [stop, error] = std::from_chars(code.data() + 1, end, size);
  // Four bytes a letter of this many letters still fit item_size.
  if (error != std::errc() || stop != end || size >= (1U << 28)) {
    return std::nullopt;
  }
  dtype.item_size = dtype.kind == 'U' ? 4 * size : size;
  if (!IsSize(dtype.kind, size)) return std::nullopt;
  dtype.order = dtype.swap_size() == 1 ? '|' : '<';
  return dtype;
}

std::optional<NumpyDtype> ParseDtypeName(std::string_view name) {
  if (name.empty()) return std::nullopt;
  auto dtype = ParseDtypeCode(name.substr(1));
  if (!dtype || (name[0] == '|') != (dtype->order == '|')) return std::nullopt;
  dtype->order = name[0];
  if (dtype->order != '|' && dtype->order != '<' && dtype->order != '>') {
    return std::nullopt;
  }
  return dtype;
}

std::optional<std::uint64_t> ArrayBytes(const NumpyDtype& dtype,
                                        std::span<const std::uint64_t> shape) {
  std::uint64_t bytes = dtype.item_size;
  // An empty array's other dimensions may be any.
  if (std::ranges::find(shape, 0U) != shape.end()) return 0;
  for (const std::uint64_t dimension : shape) {
    if (__builtin_mul_overflow(bytes, dimension, &bytes)) return std::nullopt;
  }
  return bytes;
}

void FortranToC(const NumpyDtype& dtype, std::span<const std::uint64_t> shape,
                ByteView from, std::span<std::byte> to) {
  std::vector<std::uint64_t> index(shape.size());
  // The bytes in `from` between neighbours along each dimension.
  std::vector<std::uint64_t> step(shape.size(), dtype.item_size);
  for (std::size_t d = 1; d < shape.size(); ++d) {
    step[d] = step[d - 1] * shape[d - 1];
  }
  // The items are written in sequence, and the place to read from is moved by
  // one step of one dimension at a time, the last dimension first.
  std::uint64_t source = 0;
  for (std::size_t at = 0; at < to.size(); at += dtype.item_size) {
    std::memcpy(&to[at], &from[static_cast<std::size_t>(source)],
                dtype.item_size);
    for (std::size_t d = shape.size(); d-- > 0;) {
      source += step[d];
      if (++index[d] < shape[d]) break;
      source -= step[d] * shape[d];
      index[d] = 0;
    }
  }
}

std::optional<Label> NumberOf(const NumpyDtype& dtype, ByteView item) {
  std::uint64_t bits = 0;
  if (item.size() != dtype.item_size || item.size() > sizeof(bits)) {
    return std::nullopt;
  }
  std::memcpy(&bits, item.data(), item.size());
  if (dtype.order == '>') {
    bits = __builtin_bswap64(bits) >> (64 - 8 * dtype.item_size);
  }
  switch (dtype.kind) {
    case 'b':
      return Label(std::int64_t{bits != 0});
    case 'i':
      return Label(SignExtended(bits, dtype.item_size));
    case 'u':
      if (bits >> 63 != 0) return std::nullopt;
      return Label(static_cast<std::int64_t>(bits));
    case 'f': {
      const auto real = RealOf(bits, dtype.item_size);
      if (!real || std::isnan(*real)) return std::nullopt;
      return Label::FromReal(*real);
    }
    default:
      return std::nullopt;
  }
}

void SwapBytes(const NumpyDtype& dtype, std::span<std::byte> items) {
  const std::size_t size = dtype.swap_size();
  for (std::size_t at = 0; at + size <= items.size(); at += size) {
    std::reverse(&items[at], &items[at] + size);
  }
}

}  // namespace shardine
