// Makes small PNGs chunk by chunk, right or wrong, without libpng or zlib.
#ifndef SHARDINE_TESTS_SUPPORT_PNG_MAKER_H_
#define SHARDINE_TESTS_SUPPORT_PNG_MAKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shardine {

struct PngSpec {
  std::uint32_t width = 19;
  std::uint32_t height = 13;
  std::uint8_t bits = 8;
  std::uint8_t color_type = 2;  // RGB
  bool interlaced = false;
  std::uint32_t seed = 1;     // of the pixel bytes
  std::size_t idat_size = 0;  // bytes per IDAT; 0 = one IDAT
};

// The same spec gives the same bytes. Palette images get a PLTE.
std::string MakePng(const PngSpec& spec = {});

std::string PngSignature();
std::string PngHeaderChunk(const PngSpec& spec);
// Length, type, data, CRC-32.
std::string MakePngChunk(std::string_view type, std::string_view data);
// Filter type 0 and random bytes for every row of every pass.
std::string PngPixelData(const PngSpec& spec);
// A zlib stream of stored blocks.
std::string ZlibStored(std::string_view data);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_PNG_MAKER_H_
