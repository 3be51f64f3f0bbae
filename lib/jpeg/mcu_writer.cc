#include "jpeg/mcu_writer.h"

#include <span>

namespace shardine {

void McuWriter::Begin(SimdLevel level, const JpegFrame& frame,
                      const McuRange& range, SamplePlanes& planes) {
  level_ = level;
  frame_ = &frame;
  range_ = range;
  planes_ = &planes;
  for (std::uint32_t c = 0; c < frame.components; ++c) {
    steps_[c] = StepsAt(level, frame.quant[frame.component[c].quant_table]);
  }
}

void McuWriter::Write(const Segment& segment, const std::int16_t* coefficients,
                      DcPredictors& dc) {
  std::size_t count = 0;
  for (std::uint32_t m = 0; m < segment.mcus; ++m) {
    const std::uint32_t mcu_x = segment.mcu_x + m;
    const bool wanted = mcu_x >= range_.x && mcu_x < range_.end_x;
    for (std::uint32_t b = 0; b < frame_->blocks_per_mcu; ++b) {
      const McuBlock& block = frame_->mcu_block[b];
      const std::uint32_t c = block.component;
      dc[c] += coefficients[0];
      if (wanted) {
        blocks_[count++] = {
            .coefficients = coefficients,
            .steps = &steps_[c],
            .samples = planes_->At(block, mcu_x, segment.mcu_y),
            .stride = static_cast<std::uint32_t>(planes_->stride(c)),
            .dc = static_cast<std::int16_t>(dc[c])};
      }
      coefficients += kBlockSize;
    }
  }
  InverseDct(level_, std::span(blocks_.data(), count));
}

}  // namespace shardine
