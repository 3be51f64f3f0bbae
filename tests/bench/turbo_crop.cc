#include "bench/turbo_crop.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

namespace shardine {

void TurboCrop(std::string_view jpeg, const Region& region,
               const TurboRows& take) {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(jpeg.data()),
               jpeg.size());
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  const bool whole = region.width == 0;
  JDIMENSION x = region.x;
  JDIMENSION width = whole ? info.output_width : region.width;
  if (!whole) {
    jpeg_crop_scanline(&info, &x, &width);
    if (region.y > 0) jpeg_skip_scanlines(&info, region.y);
  }
  const JDIMENSION end = whole ? info.output_height : region.y + region.height;
  const auto channels = static_cast<std::uint32_t>(info.output_components);
  const std::size_t stride = std::size_t{info.output_width} * channels;
  constexpr JDIMENSION kRows = 16;
  static thread_local std::vector<std::uint8_t> rows;
  rows.resize(stride * kRows);
  JSAMPROW targets[kRows];
  for (JDIMENSION i = 0; i < kRows; ++i) targets[i] = rows.data() + stride * i;
  while (info.output_scanline < end) {
    JDIMENSION count = 0;
    while (count < kRows && info.output_scanline < end) {
      count += jpeg_read_scanlines(
          &info, targets + count,
          std::min(kRows - count, end - info.output_scanline));
    }
    take(rows.data(), stride, count, region.x - x, channels);
  }
  jpeg_abort_decompress(&info);
  jpeg_destroy_decompress(&info);
}

}  // namespace shardine
