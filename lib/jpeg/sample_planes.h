// SamplePlanes: the samples of a few MCU rows of a region, between IDCT and
// upsampling.
#ifndef SHARDINE_JPEG_SAMPLE_PLANES_H_
#define SHARDINE_JPEG_SAMPLE_PLANES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "jpeg/jpeg_frame.h"
#include "jpeg/row_maker.h"

namespace shardine {

// A range of MCUs: columns [x, end_x), rows [y, end_y).
struct McuRange {
  std::uint32_t x = 0;
  std::uint32_t end_x = 0;
  std::uint32_t y = 0;
  std::uint32_t end_y = 0;
};

// Thread-compatible; used for one image after another.
class SamplePlanes {
 public:
  // Room for so many MCU rows of the range as fit `bytes`, but for one and no
  // more than it has. The first rows are those at range.y.
  void Reset(const JpegFrame& frame, const McuRange& range, std::size_t bytes);

  // MCU rows that there is room for.
  std::uint32_t mcu_rows() const { return mcu_rows_; }
  // The held rows are [mcu_y(), mcu_y() + mcu_rows()).
  std::uint32_t mcu_y() const { return mcu_y_; }
  // Makes room for the rows after those held. The last row of samples of each
  // component stays, for the upsampling across the seam.
  void Advance();

  std::size_t stride(std::uint32_t component) const {
    return planes_[component].stride;
  }
  // The upper left sample of a block. REQUIRES: its MCU lies in the range, and
  // in a row that is held.
  std::uint8_t* At(const McuBlock& block, std::uint32_t mcu_x,
                   std::uint32_t mcu_y) {
    const FrameComponent& component = frame_->component[block.component];
    Plane& plane = planes_[block.component];
    const std::size_t x = (mcu_x - range_.x) * component.h + block.x;
    const std::size_t y = (mcu_y - mcu_y_) * component.v + block.y;
    return plane.first + y * kBlockSide * plane.stride + x * kBlockSide;
  }
  // The held rows, with the row that stayed.
  const std::array<SampleBand, kMaxComponents>& bands() const { return bands_; }

 private:
  struct Plane {
    ByteBuffer memory;
    std::uint8_t* first = nullptr;  // after a spare row
    std::size_t stride = 0;
  };

  void SetBands(bool with_spare_row);

  const JpegFrame* frame_ = nullptr;
  McuRange range_;
  std::uint32_t mcu_rows_ = 0;
  std::uint32_t mcu_y_ = 0;
  std::array<Plane, kMaxComponents> planes_;
  std::array<SampleBand, kMaxComponents> bands_{};
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_SAMPLE_PLANES_H_
