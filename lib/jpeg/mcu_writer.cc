#include "jpeg/mcu_writer.h"

#include <algorithm>
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
  const std::uint32_t blocks = frame_->blocks_per_mcu;
  const std::uint32_t begin = std::max(segment.mcu_x, range_.x);
  const std::uint32_t end =
      std::min(segment.mcu_x + segment.mcus, range_.end_x);
  const auto skip = [&](std::uint32_t mcus) {
    for (std::uint32_t i = 0; i < mcus * blocks; ++i) {
      dc[frame_->mcu_block[i % blocks].component] += coefficients[0];
      coefficients += kBlockSize;
    }
  };
  if (begin >= end) return skip(segment.mcus);
  skip(begin - segment.mcu_x);
  // The first MCU's blocks go here; the next MCU's lie right of them.
  std::array<std::uint8_t*, kMaxBlocksPerMcu> samples{};
  for (std::uint32_t b = 0; b < blocks; ++b) {
    samples[b] = planes_->At(frame_->mcu_block[b], begin, segment.mcu_y);
  }
  std::size_t count = 0;
  for (std::uint32_t m = begin; m < end; ++m) {
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const std::uint32_t c = frame_->mcu_block[b].component;
      dc[c] += coefficients[0];
      blocks_[count++] = {
          .coefficients = coefficients,
          .steps = &steps_[c],
          .samples = samples[b],
          .stride = static_cast<std::uint32_t>(planes_->stride(c)),
          .dc = static_cast<std::int16_t>(dc[c])};
      coefficients += kBlockSize;
      samples[b] += frame_->component[c].h * kBlockSide;
    }
  }
  InverseDct(level_, std::span(blocks_.data(), count));
  skip(segment.mcu_x + segment.mcus - end);
}

}  // namespace shardine
