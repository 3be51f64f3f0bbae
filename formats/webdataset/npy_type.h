// The element types of NumPy arrays by their names.
#ifndef SHARDINE_FORMATS_WEBDATASET_NPY_TYPE_H_
#define SHARDINE_FORMATS_WEBDATASET_NPY_TYPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace shardine {

// NumPy counts in signed numbers of 64 bits.
inline constexpr std::uint64_t kMaxArrayBytes = (std::uint64_t{1} << 63) - 1;

// An element type in NumPy's notation: "<f8", "|u1", ">i4", "<U5", "<M8[ns]".
struct NpyType {
  bool big_endian = false;
  std::uint64_t bytes = 0;       // of an element
  std::uint64_t swap_bytes = 1;  // of one number in it
};

// nullopt for a type that is not plain or of known size (objects, records), or
// without an explicit byte order.
std::optional<NpyType> ParseNpyType(std::string_view dtype);

// The product of `shape` and `bytes`; nullopt from 2^63 on.
std::optional<std::uint64_t> ArrayBytes(std::span<const std::uint64_t> shape,
                                        std::uint64_t bytes);

}  // namespace shardine

#endif  // SHARDINE_FORMATS_WEBDATASET_NPY_TYPE_H_
