#include "image/jpeg_work.h"

#include <algorithm>

namespace shardine {
namespace {

constexpr std::uint64_t kStepsOfFrameBlock = 128;
constexpr std::uint64_t kStepsOfScanBlock = 8;

// Blocks of the current scan in one row of the frame's MCUs.
std::uint64_t BlocksOfRow(const jpeg_decompress_struct& info) {
  const int blocks = info.comps_in_scan == 1
                         ? info.cur_comp_info[0]->v_samp_factor
                         : info.blocks_in_MCU;
  return std::uint64_t{info.MCUs_per_row} * static_cast<unsigned>(blocks);
}

// A refinement looks at each coefficient of its band, even if it says nothing.
std::uint64_t StepsOfBlock(const jpeg_decompress_struct& info) {
  if (info.Ah == 0 || info.Ss == 0) return kStepsOfScanBlock;
  return kStepsOfScanBlock +
         static_cast<unsigned>(std::clamp(info.Se - info.Ss + 1, 0, 64));
}

}  // namespace

JpegWork::JpegWork(const DecodeLimits& limits)
    : steps_(limits.jpeg_steps), steps_per_byte_(limits.jpeg_steps_per_byte) {}

bool JpegWork::AllowsFrame(const jpeg_decompress_struct& info,
                           std::size_t bytes) const {
  std::uint64_t steps = 0;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    steps += kStepsOfFrameBlock * component.width_in_blocks *
             component.height_in_blocks;
  }
  return steps <= Allowed(bytes);
}

bool JpegWork::AddScanRow(const jpeg_decompress_struct& info,
                          std::size_t bytes_read) {
  if (info.comps_in_scan < 1 || info.input_iMCU_row >= info.total_iMCU_rows ||
      (scan_ == info.input_scan_number && row_ == info.input_iMCU_row)) {
    return true;
  }
  scan_ = info.input_scan_number;
  row_ = info.input_iMCU_row;
  done_ += BlocksOfRow(info) * StepsOfBlock(info);
  return done_ <= Allowed(bytes_read);
}

}  // namespace shardine
