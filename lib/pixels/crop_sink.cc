#include "pixels/crop_sink.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/status_macros.h"

namespace shardine {

Status CheckRegion(const Region& region, PixelSize size) {
  if (region.width > 0 && region.height > 0 && region.x < size.width &&
      region.y < size.height && region.width <= size.width - region.x &&
      region.height <= size.height - region.y) {
    return {};
  }
  return Status(
      Code::kInvalidArgument,
      "the region of " + std::to_string(region.width) + " x " +
          std::to_string(region.height) + " at " + std::to_string(region.x) +
          ", " + std::to_string(region.y) + " does not lie in the image of " +
          std::to_string(size.width) + " x " + std::to_string(size.height));
}

Status CropSink::Begin(PixelSize size, std::uint8_t channels) {
  SHARDINE_RETURN_IF_ERROR(CheckRegion(region_, size));
  channels_ = channels;
  next_row_ = 0;
  return sink_.Begin({region_.width, region_.height}, channels);
}

void CropSink::TakeRows(const std::uint8_t* rows, std::size_t stride,
                        std::uint32_t count) {
  const std::uint32_t begin = std::max(next_row_, region_.y);
  const std::uint32_t end =
      std::min(next_row_ + count, region_.y + region_.height);
  const std::uint32_t skipped = begin - next_row_;
  next_row_ += count;
  if (begin >= end) return;
  const std::uint8_t* from =
      rows + stride * skipped + std::size_t{region_.x} * channels_;
  const std::size_t row_bytes = std::size_t{region_.width} * channels_;
  std::uint8_t* const room = sink_.Room(end - begin);
  if (room == nullptr) return sink_.TakeRows(from, stride, end - begin);
  for (std::uint32_t y = begin; y < end; ++y) {
    std::memcpy(room + row_bytes * (y - begin), from + stride * (y - begin),
                row_bytes);
  }
  sink_.TakeRows(room, row_bytes, end - begin);
}

}  // namespace shardine
