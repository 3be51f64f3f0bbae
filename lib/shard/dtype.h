// The element types of fields, by their names: NumPy's notation with explicit
// little-endian. How many bytes an array takes is asked here and nowhere else
// before memory is read or written by it.
#ifndef SHARDINE_SHARD_DTYPE_H_
#define SHARDINE_SHARD_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine {

inline constexpr std::size_t kMaxFieldRank = 64;  // NumPy's

// Bytes of one element: "<f8" has 8, "<U5" 20, "|S0" none. nullopt for text
// that is no type of a known size: objects, records, "|S", big-endian numbers.
std::optional<std::uint64_t> DtypeBytes(std::string_view dtype);

// Bytes of an array; one with a side of 0 has none, however large the other
// sides are. nullopt: no such type, more than kMaxFieldRank sides, 2^63 bytes
// or more.
std::optional<std::uint64_t> ArrayBytes(std::string_view dtype,
                                        std::span<const std::uint64_t> shape);

// A field of that name has so many bytes: plain bytes without a shape, or just
// the bytes of its type and shape. kUnsupported: a type or rank that is not
// known; kCorrupt: another number of bytes. Both name the field.
Status CheckFieldType(std::string_view name, std::string_view dtype,
                      std::span<const std::uint64_t> shape,
                      std::uint64_t bytes);

// "<f4 x 3 x 8", for messages. Escaped and of bounded length.
std::string DescribeType(std::string_view dtype,
                         std::span<const std::uint64_t> shape);

}  // namespace shardine

#endif  // SHARDINE_SHARD_DTYPE_H_
