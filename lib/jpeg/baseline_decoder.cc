#include "jpeg/baseline_decoder.h"

#include <algorithm>

#include "base/simd_level.h"
#include "jpeg/mcu_writer.h"
#include "jpeg/row_maker.h"
#include "jpeg/sample_planes.h"
#include "jpeg/segment_reader.h"
#include "jpeg/serial_scan.h"

namespace shardine {
namespace {

// Samples that are held at a time: they and the coefficients share the
// second-level cache with the taker of the rows.
constexpr std::size_t kBandBytes = std::size_t{512} << 10;

// The MCUs that a region is made of; upsampled chroma needs its neighbours.
McuRange RangeOf(const JpegFrame& frame, const Region& region) {
  const std::uint32_t across = frame.max_h - 1;
  const std::uint32_t down = frame.max_v - 1;
  const std::uint32_t last_x =
      std::min(region.x + region.width + across, frame.width) - 1;
  const std::uint32_t last_y =
      std::min(region.y + region.height + down, frame.height) - 1;
  return {.x = (region.x - std::min(region.x, across)) / frame.mcu_width(),
          .end_x = last_x / frame.mcu_width() + 1,
          .y = (region.y - std::min(region.y, down)) / frame.mcu_height(),
          .end_y = last_y / frame.mcu_height() + 1};
}

}  // namespace

struct BaselineDecoder::State {
  bool ReadBand();
  bool ReadSerially(std::uint32_t end_y);
  bool ReadMcus(std::uint32_t mcu_y, std::uint32_t mcu_x, std::uint32_t mcus);

  SimdLevel level = SimdLevel::kPortable;
  const JpegFrame* frame = nullptr;
  Region region;
  McuRange range;
  bool has_entry_points = false;

  EntropyTables tables;
  SegmentReader segments;            // with entry points
  SerialScan scan;                   // without
  AlignedCoefficients coefficients;  // of a run of its MCUs; zero in between
  SamplePlanes planes;
  McuWriter writer;
  RowMaker rows;

  bool begun = false;          // a band was read
  std::uint32_t next_row = 0;  // of the image
  std::uint32_t end_row = 0;   // before it, those can be made that are read
};

// Reads the next MCU rows into the planes.
bool BaselineDecoder::State::ReadBand() {
  if (begun) planes.Advance();
  begun = true;
  const std::uint32_t first = planes.mcu_y();
  const std::uint32_t end = std::min(first + planes.mcu_rows(), range.end_y);
  const bool read = has_entry_points
                        ? segments.ReadRows(level, tables, first, end, writer)
                        : ReadSerially(end);
  // The lower neighbours of the last row may be in the next band.
  const std::uint32_t held = frame->max_v > 1 && end < range.end_y ? 1 : 0;
  end_row =
      std::min(end * frame->mcu_height() - held, region.y + region.height);
  return read;
}

// The rows of the range before `end_y` that are not read yet.
bool BaselineDecoder::State::ReadSerially(std::uint32_t end_y) {
  const std::uint32_t behind = frame->mcus_across - range.end_x;
  for (std::uint32_t y = planes.mcu_y(); y < end_y; ++y) {
    if (!scan.Skip(range.x)) return false;
    const std::uint32_t most = kMaxSegmentBlocks / frame->blocks_per_mcu;
    for (std::uint32_t x = range.x; x < range.end_x;) {
      std::uint32_t mcus = std::min(most, range.end_x - x);
      // No run goes over a restart, where the DC values start at 0.
      if (const std::uint32_t interval = frame->restart_interval) {
        const std::uint64_t mcu = std::uint64_t{y} * frame->mcus_across + x;
        mcus = std::min(mcus,
                        static_cast<std::uint32_t>(interval - mcu % interval));
      }
      if (!ReadMcus(y, x, mcus)) return false;
      x += mcus;
    }
    // Nothing after the last run is needed.
    if (y + 1 < range.end_y && !scan.Skip(behind)) return false;
  }
  return true;
}

bool BaselineDecoder::State::ReadMcus(std::uint32_t mcu_y, std::uint32_t mcu_x,
                                      std::uint32_t mcus) {
  if (!scan.Align()) return false;
  DcPredictors dc = scan.dc();
  std::int16_t* const values = coefficients.front().values.data();
  const bool read = scan.Decode(mcus, values);
  if (read) {
    writer.Write({.mcu_x = mcu_x, .mcu_y = mcu_y, .mcus = mcus}, values, dc);
  }
  // The next run relies on zeros, whether or not this one could be read.
  std::fill_n(values, std::size_t{mcus} * frame->blocks_per_mcu * kBlockSize,
              std::int16_t{0});
  return read;
}

BaselineDecoder::BaselineDecoder() : state_(std::make_unique<State>()) {
  // After the last block there is room for a decoder's writes ahead.
  state_->coefficients.resize(kMaxSegmentBlocks + 1);
}
BaselineDecoder::~BaselineDecoder() = default;
BaselineDecoder::BaselineDecoder(BaselineDecoder&&) noexcept = default;
BaselineDecoder& BaselineDecoder::operator=(BaselineDecoder&&) noexcept =
    default;

bool BaselineDecoder::Begin(ByteView jpeg, const JpegFrame& frame,
                            const Region& region, ByteView entry_points) {
  State& state = *state_;
  state.level = CurrentSimdLevel();
  state.frame = &frame;
  state.region = region;
  state.range = RangeOf(frame, region);
  state.has_entry_points = !entry_points.empty();
  state.tables.Build(frame);
  state.planes.Reset(frame, state.range, kBandBytes);
  state.writer.Begin(state.level, frame, state.range, state.planes);
  state.rows.Begin(state.level, frame, region.x, region.width);
  state.begun = false;
  state.next_row = state.end_row = region.y;
  if (state.has_entry_points) {
    return state.segments.Begin(jpeg, frame, state.range, entry_points);
  }
  state.scan.Begin(state.level, jpeg, frame, state.tables);
  for (std::uint32_t y = 0; y < state.range.y; ++y) {
    if (!state.scan.Skip(frame.mcus_across)) return false;
  }
  return true;
}

bool BaselineDecoder::ProveEntryPoints(ByteView jpeg, const JpegFrame& frame,
                                       ByteView entry_points) {
  State& state = *state_;
  state.tables.Build(frame);
  const McuRange whole{
      .x = 0, .end_x = frame.mcus_across, .y = 0, .end_y = frame.mcus_down};
  return state.segments.Begin(jpeg, frame, whole, entry_points) &&
         state.segments.Prove(CurrentSimdLevel(), state.tables);
}

std::uint32_t BaselineDecoder::channels() const {
  return state_->rows.channels();
}

bool BaselineDecoder::ReadRows(std::uint8_t* rows, std::size_t stride,
                               std::uint32_t count) {
  State& state = *state_;
  while (count > 0) {
    while (state.next_row >= state.end_row) {
      if (!state.ReadBand()) return false;
    }
    const std::uint32_t ready = std::min(count, state.end_row - state.next_row);
    state.rows.MakeRows(state.planes.bands(), state.next_row, ready, rows,
                        stride);
    state.next_row += ready;
    rows += ready * stride;
    count -= ready;
  }
  return true;
}

bool BaselineDecoder::Finish() {
  return state_->has_entry_points || state_->scan.Finish();
}

}  // namespace shardine
