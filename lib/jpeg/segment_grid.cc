#include "jpeg/segment_grid.h"

#include <algorithm>

namespace shardine {

void SegmentGrid::Reset(const JpegFrame& frame) {
  mcus_across_ = frame.mcus_across;
  mcus_down_ = frame.mcus_down;
  mcus_per_segment_ = kSegmentPixels / frame.mcu_width();
  restart_interval_ = frame.restart_interval;
  row_begin_.clear();
  const bool rows_are_alike = restart_interval_ == 0 ||
                              mcus_across_ % restart_interval_ == 0 ||
                              restart_interval_ % mcus_across_ == 0;
  if (rows_are_alike) {
    size_ = CountBefore(0, mcus_across_) * mcus_down_;
    return;
  }
  size_ = 0;
  for (std::uint32_t y = 0; y < mcus_down_; ++y) {
    row_begin_.push_back(size_);
    size_ += CountBefore(y, mcus_across_);
  }
}

std::size_t SegmentGrid::RowBegin(std::uint32_t mcu_y) const {
  if (mcu_y == mcus_down_) return size_;
  return row_begin_.empty() ? size_ / mcus_down_ * mcu_y : row_begin_[mcu_y];
}

std::size_t SegmentGrid::FindInRow(std::uint32_t mcu_y, std::uint32_t first,
                                   std::uint32_t end,
                                   std::vector<Segment>& found) const {
  std::uint32_t x = first / mcus_per_segment_ * mcus_per_segment_;
  for (std::uint32_t restart = NextRestart(mcu_y, x); restart <= first;
       restart += restart_interval_) {
    x = restart;
  }
  const std::size_t number = RowBegin(mcu_y) + CountBefore(mcu_y, x);
  std::uint32_t restart = NextRestart(mcu_y, x);
  while (x < end) {
    Segment segment{x, mcu_y, 0, x == restart && (x > 0 || mcu_y > 0)};
    if (x == restart) restart += restart_interval_;
    x = std::min({(x / mcus_per_segment_ + 1) * mcus_per_segment_, restart,
                  mcus_across_});
    segment.mcus = x - segment.mcu_x;
    found.push_back(segment);
  }
  return number;
}

std::size_t SegmentGrid::CountBefore(std::uint32_t mcu_y,
                                     std::uint32_t end) const {
  const std::size_t regular = (end + mcus_per_segment_ - 1) / mcus_per_segment_;
  const std::uint32_t first = NextRestart(mcu_y, 0);
  if (first >= end) return regular;
  const std::uint32_t restarts = (end - first - 1) / restart_interval_ + 1;
  std::size_t both = 0;
  // Every mcus_per_segment_-th restart stands in the same place of a segment.
  for (std::uint32_t i = 0; i < std::min(restarts, mcus_per_segment_); ++i) {
    if ((first + i * restart_interval_) % mcus_per_segment_ == 0) {
      both += (restarts - i - 1) / mcus_per_segment_ + 1;
    }
  }
  return regular + restarts - both;
}

std::uint32_t SegmentGrid::NextRestart(std::uint32_t mcu_y,
                                       std::uint32_t mcu_x) const {
  if (restart_interval_ == 0) return mcus_across_;
  const std::uint32_t mcu = mcu_y * mcus_across_ + mcu_x;
  const std::uint32_t behind = mcu % restart_interval_;
  return behind == 0 ? mcu_x : mcu_x + restart_interval_ - behind;
}

}  // namespace shardine
