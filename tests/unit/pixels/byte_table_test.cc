#include "pixels/byte_table.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "unit/pixels/drawn_pixels.h"

namespace shardine::byte_table_test {
namespace {

ByteTable Drawn(std::uint32_t seed) {
  const DrawnPixels values({86, 1}, seed);
  ByteTable table;
  for (std::size_t v = 0; v < table.size(); ++v) table[v] = values.bytes[v];
  return table;
}

TEST_CASE("LookUp finds each byte at each SimdLevel and length",
          "[byte_table]") {
  const ByteTable table = Drawn(3);
  for (const SimdLevel level : kSimdLevels) {
    if (!LimitSimd(level)) continue;
    for (std::size_t count = 0; count < 700; ++count) {
      std::vector<std::uint8_t> bytes(count + 1, 77);
      for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::uint8_t>(i * 7);
      }
      LookUp(table, bytes.data(), count);
      bool right = bytes[count] == 77;
      for (std::size_t i = 0; i < count; ++i) {
        right &= bytes[i] == table[static_cast<std::uint8_t>(i * 7)];
      }
      REQUIRE(right);
    }
  }
  UnlimitSimd();
}

TEST_CASE("LookUpColors has a table for each channel", "[byte_table]") {
  const std::array<ByteTable, 3> tables = {Drawn(4), Drawn(5), Drawn(6)};
  for (const SimdLevel level : kSimdLevels) {
    if (!LimitSimd(level)) continue;
    for (std::uint32_t count = 0; count < 400; ++count) {
      const DrawnPixels before({count, 1}, count + 1);
      DrawnPixels image = before;
      LookUpColors(tables, image.bytes.data(), count);
      bool right = true;
      for (std::size_t i = 0; i < image.bytes.size(); ++i) {
        right &= image.bytes[i] == tables[i % 3][before.bytes[i]];
      }
      REQUIRE(right);
    }
  }
  UnlimitSimd();
}

}  // namespace
}  // namespace shardine::byte_table_test
