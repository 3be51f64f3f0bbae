#include "jpeg/serial_scan.h"

#include <algorithm>

namespace shardine {
namespace {

constexpr std::uint8_t kRst0 = 0xD0;
constexpr std::uint8_t kEoi = 0xD9;
// The file is read in place and nothing has to follow it in memory, so loads of
// this width must begin early enough.
constexpr std::size_t kWideLoad = 8;

}  // namespace

void SerialScan::Begin(SimdLevel level, ByteView jpeg, const JpegFrame& frame,
                       const EntropyTables& tables) {
  frame_ = &frame;
  file_ = reinterpret_cast<const std::uint8_t*>(jpeg.data());
  loops_ = ScanLoopsAt(level);
  state_.end = file_ + jpeg.size();
  state_.wide_end =
      jpeg.size() < kWideLoad ? file_ : state_.end - (kWideLoad - 1);
  state_.tables = &tables;
  state_.blocks_per_mcu = frame.blocks_per_mcu;
  for (std::uint32_t i = 0; i < frame.blocks_per_mcu; ++i) {
    const std::uint32_t component = frame.mcu_block[i].component;
    const std::uint32_t slot = tables.slot(component);
    state_.coding[i] = {component, slot, &tables.probes(slot),
                        skip_tables_[slot].steps()};
  }
  has_skip_tables_ = false;
  mcus_left_ = frame.mcus_across * frame.mcus_down;
  next_restart_ = 0;
  good_ = true;
  BeginInterval(file_ + frame.scan);
}

// Skipping alone needs these tables: a scan that is decoded from end to end
// never pays for them.
bool SerialScan::Skip(std::uint32_t mcus) {
  if (!has_skip_tables_) BuildSkipTables();
  return Run(mcus, loops_.skip);
}

bool SerialScan::Decode(std::uint32_t mcus, std::int16_t* coefficients) {
  return Run(mcus, [&](ScanState& state, std::uint32_t run) {
    std::int16_t* const begin = coefficients;
    coefficients += std::size_t{run} * state.blocks_per_mcu * kBlockSize;
    return loops_.decode(state, run, begin);
  });
}

bool SerialScan::Finish() {
  return good_ && mcus_left_ == 0 && FindMarker(kEoi) != nullptr;
}

// A marker is gone over when an MCU is wanted that comes after it, never
// earlier: after the last MCU stands EOI, which Finish looks for.
bool SerialScan::Align() {
  if (!good_ || until_restart_ > 0 || mcus_left_ == 0) return good_;
  const std::uint8_t* const marker =
      FindMarker(static_cast<std::uint8_t>(kRst0 + next_restart_));
  good_ = marker != nullptr;
  if (!good_) return false;
  next_restart_ = static_cast<std::uint8_t>((next_restart_ + 1) % 8);
  BeginInterval(marker + 2);
  return true;
}

std::uint64_t SerialScan::position() const {
  const BitPlace place = PlaceOf(state_.window, interval_begin_);
  return static_cast<std::uint64_t>(place.byte - file_) * 8 + place.bit;
}

template <class Loop>
bool SerialScan::Run(std::uint32_t mcus, const Loop& loop) {
  good_ = good_ && mcus <= mcus_left_;
  while (mcus > 0 && Align()) {
    const std::uint32_t run = std::min(mcus, until_restart_);
    good_ = loop(state_, run);
    mcus -= run;
    mcus_left_ -= run;
    until_restart_ -= run;
  }
  return good_;
}

// Padding fills up the last byte and takes no whole one. Eight unread bits are
// therefore a fault: libjpeg counts them as extraneous before a restart marker.
const std::uint8_t* SerialScan::FindMarker(std::uint8_t marker) const {
  if (state_.window.count - state_.window.made_up >= 8) return nullptr;
  const std::uint8_t* const at = state_.window.next;
  const bool found = state_.end - at >= 2 && at[0] == 0xFF && at[1] == marker;
  return found ? at : nullptr;
}

// The predictors are 0 again after a restart marker (T.81, F.1.1.5.1), and the
// bits begin with a whole byte.
void SerialScan::BeginInterval(const std::uint8_t* begin) {
  interval_begin_ = begin;
  state_.window = {};
  state_.window.next = begin;
  state_.dc = {};
  const std::uint32_t interval = frame_->restart_interval;
  until_restart_ = interval == 0 ? mcus_left_ : std::min(mcus_left_, interval);
}

void SerialScan::BuildSkipTables() {
  for (std::uint32_t i = 0; i < frame_->components; ++i) {
    skip_tables_[state_.tables->slot(i)].Build(
        frame_->ac[frame_->component[i].ac_table]);
  }
  has_skip_tables_ = true;
}

}  // namespace shardine
