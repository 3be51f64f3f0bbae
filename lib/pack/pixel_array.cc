#include "pack/pixel_array.h"

#include <cstddef>

namespace shardine {

std::vector<std::uint64_t> PixelShape(PixelOrder order, PixelSize size) {
  return {order == PixelOrder::kGray ? 1u : 3u, size.height, size.width};
}

void AppendPixelArray(const PixelView& pixels, PixelOrder order,
                      ByteBuffer& out) {
  const std::size_t offset = out.size();
  const std::size_t channels = pixels.channels;
  const auto [width, height] = pixels.size;
  out.Resize(offset + channels * width * height);
  std::byte* to = out.data() + offset;
  for (std::size_t i = 0; i < channels; ++i) {
    const std::size_t channel =
        order == PixelOrder::kBgr ? channels - 1 - i : i;
    for (std::uint32_t y = 0; y < height; ++y) {
      const std::uint8_t* from = pixels.row(y) + channel;
      for (std::uint32_t x = 0; x < width; ++x, from += channels) {
        *to++ = std::byte{*from};
      }
    }
  }
}

}  // namespace shardine
