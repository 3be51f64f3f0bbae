#include "jpeg/segment_decoder.h"

#include "base/check.h"
#include "jpeg/segment_kernels.h"

namespace shardine {

SegmentDecoder::SegmentDecoder() : area_(kSegmentLanes * kLaneBlocks) {}

void SegmentDecoder::Decode(SimdLevel level, const JpegFrame& frame,
                            const EntropyTables& tables, ByteView data,
                            std::span<const SegmentTask> tasks,
                            SegmentSink& sink) {
  for (const SegmentTask& task : tasks) {
    SHARDINE_CHECK(task.blocks > 0 && task.blocks <= kMaxSegmentBlocks);
    SHARDINE_CHECK(task.bit / 8 < data.size() &&
                   data.size() - task.bit / 8 >= kSegmentPadding);
  }
  SegmentScan scan{.tables = tables,
                   .data = data,
                   .tasks = tasks,
                   .area = area_.front().values.data(),
                   .sink = sink};
  for (std::size_t i = 0; i < kMaxSegmentBlocks; ++i) {
    const McuBlock& block = frame.mcu_block[i % frame.blocks_per_mcu];
    scan.slot[i] = static_cast<std::uint8_t>(tables.slot(block.component));
  }
  if (level >= SimdLevel::kAvx512) {
    DecodeInLanes(scan);
  } else {
    InterleavedKernel(level)(scan);
  }
}

}  // namespace shardine
