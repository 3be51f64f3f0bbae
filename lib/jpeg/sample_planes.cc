#include "jpeg/sample_planes.h"

#include <algorithm>
#include <cstring>

namespace shardine {
namespace {

// The alignment of rows: a vector.
constexpr std::size_t kAlignment = 64;

std::size_t RoundUp(std::size_t value) {
  return (value + kAlignment - 1) & ~(kAlignment - 1);
}

}  // namespace

void SamplePlanes::Reset(const JpegFrame& frame, const McuRange& range,
                         std::size_t bytes) {
  frame_ = &frame;
  range_ = range;
  mcu_y_ = range.y;
  std::size_t of_mcu_row = 0;
  for (std::uint32_t c = 0; c < frame.components; ++c) {
    const FrameComponent& component = frame.component[c];
    const std::size_t width =
        std::size_t{range.end_x - range.x} * component.h * kBlockSide;
    planes_[c].stride = RoundUp(width);
    of_mcu_row += planes_[c].stride * component.v * kBlockSide;
  }
  mcu_rows_ = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(bytes / of_mcu_row, 1, range.end_y - range.y));
  for (std::uint32_t c = 0; c < frame.components; ++c) {
    Plane& plane = planes_[c];
    const std::size_t rows =
        std::size_t{mcu_rows_} * frame.component[c].v * kBlockSide;
    plane.memory.Resize(plane.stride * (rows + 1) + kAlignment +
                        2 * RoundUp(kBandPadding));
    auto* const memory = reinterpret_cast<std::uint8_t*>(plane.memory.data());
    const std::size_t past =
        reinterpret_cast<std::uintptr_t>(memory) & (kAlignment - 1);
    plane.first = memory + (kAlignment - past) % kAlignment +
                  RoundUp(kBandPadding) + plane.stride;
  }
  SetBands(false);
}

void SamplePlanes::Advance() {
  for (std::uint32_t c = 0; c < frame_->components; ++c) {
    const Plane& plane = planes_[c];
    const std::size_t rows =
        std::size_t{mcu_rows_} * frame_->component[c].v * kBlockSide;
    std::memcpy(plane.first - plane.stride,
                plane.first + (rows - 1) * plane.stride, plane.stride);
  }
  mcu_y_ += mcu_rows_;
  SetBands(true);
}

void SamplePlanes::SetBands(bool with_spare_row) {
  for (std::uint32_t c = 0; c < frame_->components; ++c) {
    const FrameComponent& component = frame_->component[c];
    const std::uint32_t spare = with_spare_row ? 1 : 0;
    bands_[c] = {.samples = planes_[c].first - spare * planes_[c].stride,
                 .stride = planes_[c].stride,
                 .x = range_.x * component.h * kBlockSide,
                 .y = mcu_y_ * component.v * kBlockSide - spare};
  }
}

}  // namespace shardine
