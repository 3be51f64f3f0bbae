// BufferSink: rows into a PixelBuffer.
#ifndef SHARDINE_PIXELS_BUFFER_SINK_H_
#define SHARDINE_PIXELS_BUFFER_SINK_H_

#include <cstddef>
#include <cstdint>

#include "pixels/pixels.h"
#include "pixels/row_sink.h"

namespace shardine {

class BufferSink final : public RowSink {
 public:
  // `pixels` must outlive it.
  explicit BufferSink(PixelBuffer& pixels) : pixels_(pixels) {}

  Status Begin(PixelSize size, std::uint8_t channels) override {
    pixels_.Reset(size, channels);
    next_ = 0;
    return {};
  }
  std::uint8_t* Room(std::uint32_t) override { return pixels_.row(next_); }
  void TakeRows(const std::uint8_t*, std::size_t,
                std::uint32_t count) override {
    next_ += count;
  }

 private:
  PixelBuffer& pixels_;
  std::uint32_t next_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_BUFFER_SINK_H_
