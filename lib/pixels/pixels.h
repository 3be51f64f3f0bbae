// Pixels in memory: 8 bits per channel, channels interleaved (gray or RGB),
// rows from the top.
#ifndef SHARDINE_PIXELS_PIXELS_H_
#define SHARDINE_PIXELS_PIXELS_H_

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/geometry.h"

namespace shardine {

// Does not own its memory.
struct PixelView {
  const std::uint8_t* data = nullptr;
  PixelSize size;
  std::uint8_t channels = 0;  // 1 or 3; of arrays 4, too
  std::size_t stride = 0;     // bytes from row to row

  const std::uint8_t* row(std::uint32_t y) const { return data + stride * y; }
};

// The pixels of an RGB image that are changed where they lie, rows without
// padding. Does not own its memory.
struct RgbPixels {
  std::uint8_t* data = nullptr;
  PixelSize size;

  std::size_t stride() const { return std::size_t{size.width} * 3; }
  std::size_t count() const { return std::size_t{size.width} * size.height; }
  std::size_t bytes() const { return count() * 3; }
  std::uint8_t* row(std::uint32_t y) const { return data + stride() * y; }
};

// Owns the pixels of one image after another; capacity only grows.
// Thread-compatible.
class PixelBuffer {
 public:
  // Contents are undefined afterwards. Rows lie without padding.
  void Reset(PixelSize size, std::uint8_t channels) {
    size_ = size;
    channels_ = channels;
    bytes_.Resize(stride() * size.height);
  }

  PixelSize size() const { return size_; }
  std::uint8_t channels() const { return channels_; }
  std::size_t stride() const { return std::size_t{size_.width} * channels_; }
  std::uint8_t* data() {
    return reinterpret_cast<std::uint8_t*>(bytes_.data());
  }
  std::uint8_t* row(std::uint32_t y) { return data() + stride() * y; }
  ByteView bytes() const { return bytes_.view(); }
  PixelView view() const {
    return {reinterpret_cast<const std::uint8_t*>(bytes_.data()), size_,
            channels_, stride()};
  }

 private:
  PixelSize size_;
  std::uint8_t channels_ = 0;
  ByteBuffer bytes_;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_PIXELS_H_
