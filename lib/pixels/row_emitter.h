// RowEmitter: between a decoder and a sink; turns the colors that the file
// stores into those that are asked for, a few rows at a time.
#ifndef SHARDINE_PIXELS_ROW_EMITTER_H_
#define SHARDINE_PIXELS_ROW_EMITTER_H_

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "pixels/color_rules.h"
#include "pixels/pixels.h"
#include "pixels/row_sink.h"
#include "shardine/status.h"

namespace shardine {

enum class StoredColor : std::uint8_t { kGray = 1, kRgb = 3, kCmyk = 4 };

// Thread-compatible. The sink must outlive it.
class RowEmitter {
 public:
  RowEmitter(RowSink& sink, const ColorTarget& color)
      : sink_(sink), color_(color) {}

  // `rows`: how many come at once, at most. kUnsupported if rows on their way
  // may take more than `max_memory` bytes; else the sink's status.
  Status Begin(PixelSize size, StoredColor stored, std::uint32_t rows,
               std::uint64_t max_memory);

  // Bytes of a row as stored.
  std::size_t stride() const { return std::size_t{size_.width} * stored_; }
  // Where the decoder writes the next `count` rows, without padding.
  std::uint8_t* Room(std::uint32_t count);
  // They are written.
  void Emit(std::uint32_t count);

 private:
  std::uint8_t* Convert(std::uint32_t count);
  void CmykToGray(std::uint8_t* to, std::uint32_t count);

  RowSink& sink_;
  ColorTarget color_;
  PixelSize size_;
  std::uint8_t stored_ = 0;    // channels
  std::uint8_t channels_ = 0;  // that the sink gets
  std::uint8_t* room_ = nullptr;
  ByteBuffer rows_;       // as stored
  ByteBuffer converted_;  // as the sink gets them
  ByteBuffer rgb_;        // one row between CMYK and gray
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_ROW_EMITTER_H_
