// The dtypes that arrays may have, in NumPy's notation: "<f8", "|u1", ">i4".
#ifndef SHARDINE_FORMATS_LMDB_NUMPY_DTYPE_H_
#define SHARDINE_FORMATS_LMDB_NUMPY_DTYPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "shardine/sample.h"

namespace shardine {

struct NumpyDtype {
  char order = '|';             // '<', '>', or '|' where there is none
  char kind = 'u';              // b, i, u, f, c, S, U
  std::uint32_t item_size = 1;  // bytes

  // "u1", "U3": a U has four bytes a letter.
  std::string Code() const;
  // With explicit little-endian, as fields have it.
  std::string Name() const;
  // The size of the numbers in an item: half of a complex one, a letter of a U.
  std::uint32_t swap_size() const;
};

// "f8", "S5"; nullopt for any dtype without plain items: objects, records,
// dates.
std::optional<NumpyDtype> ParseDtypeCode(std::string_view code);
// "<f8", "|S5"; nullopt if its byte order does not fit its items.
std::optional<NumpyDtype> ParseDtypeName(std::string_view name);

// The product of the dimensions and the item size; nullopt beyond 2^64 - 1.
std::optional<std::uint64_t> ArrayBytes(const NumpyDtype& dtype,
                                        std::span<const std::uint64_t> shape);

// Copies an array in Fortran order to C order. REQUIRES: both have
// ArrayBytes(dtype, shape) bytes.
void FortranToC(const NumpyDtype& dtype, std::span<const std::uint64_t> shape,
                ByteView from, std::span<std::byte> to);
// NumPy 2 allows 64 dimensions, versions before it 32.
inline constexpr std::size_t kMaxRank = 64;
// One item as a number, whatever its byte order; nullopt if a label does not
// hold it: text, a complex number, an unsigned one beyond 63 bits, NaN, a long
// double. REQUIRES: item_size bytes.
std::optional<Label> NumberOf(const NumpyDtype& dtype, ByteView item);
// Turns the bytes of each number around. REQUIRES: whole items.
void SwapBytes(const NumpyDtype& dtype, std::span<std::byte> items);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_LMDB_NUMPY_DTYPE_H_
