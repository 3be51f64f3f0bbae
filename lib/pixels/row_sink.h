// Where decoded rows go.
#ifndef SHARDINE_PIXELS_ROW_SINK_H_
#define SHARDINE_PIXELS_ROW_SINK_H_

#include <cstddef>
#include <cstdint>

#include "pixels/pixels.h"
#include "shardine/status.h"

namespace shardine {

// Takes the rows of one image as they are decoded, from the top. Rows are valid
// during the call only.
class RowSink {
 public:
  virtual ~RowSink() = default;

  // Before any row. `channels` is 1 or 3. A failure ends the decoding, and the
  // decoder returns it. Again, with the same numbers, if the decoder has to
  // start over: then all rows come again.
  virtual Status Begin(PixelSize size, std::uint8_t channels) = 0;

  // Memory of the sink's own for the next `count` rows, without padding, which
  // spares a copy: they are written there before TakeRows is called with that
  // place. nullptr: the decoder's memory will do.
  virtual std::uint8_t* Room(std::uint32_t count) {
    static_cast<void>(count);
    return nullptr;
  }

  // The next `count` rows, `stride` bytes apart.
  virtual void TakeRows(const std::uint8_t* rows, std::size_t stride,
                        std::uint32_t count) = 0;
};

}  // namespace shardine

#endif  // SHARDINE_PIXELS_ROW_SINK_H_
