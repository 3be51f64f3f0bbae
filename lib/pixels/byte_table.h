// ByteTable: the new value of each byte. Looking up is the same at every
// SimdLevel; kAvx512Vnni has instructions for it and is ten times as fast.
#ifndef SHARDINE_PIXELS_BYTE_TABLE_H_
#define SHARDINE_PIXELS_BYTE_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace shardine {

using ByteTable = std::array<std::uint8_t, 256>;

// Whether that costs less than a product and a sum do.
bool LooksUpFast();

void LookUp(const ByteTable& table, std::uint8_t* bytes, std::size_t count);

// `count` RGB pixels, a table for each channel.
void LookUpColors(const std::array<ByteTable, 3>& tables, std::uint8_t* rgb,
                  std::size_t count);

}  // namespace shardine

#endif  // SHARDINE_PIXELS_BYTE_TABLE_H_
