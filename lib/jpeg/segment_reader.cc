#include "jpeg/segment_reader.h"

#include <algorithm>
#include <cstring>

#include "jpeg/unstuff.h"

namespace shardine {
namespace {

constexpr std::uint8_t kRst0 = 0xD0;
constexpr std::uint8_t kEoi = 0xD9;
// No segment has more bytes, all of them stuffed.
constexpr std::size_t kMaxSegmentBytes = 2 * kSegmentPadding;
// Segments for each spot check beside them: under 2 % of a region's time.
constexpr std::size_t kSegmentsPerSpotCheck = 96;
// MCU rows that are proved at a time, for their bytes to stay in the cache.
constexpr std::uint32_t kRowsPerProof = 8;

// A number that looks like chance, for each region another (SplitMix64).
std::uint64_t Mix(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15;
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
  number = (number ^ number >> 27) * 0x94D049BB133111EB;
  return number ^ number >> 31;
}

}  // namespace

bool SegmentReader::Begin(ByteView jpeg, const JpegFrame& frame,
                          const McuRange& range, ByteView entry_points) {
  jpeg_ = jpeg;
  frame_ = &frame;
  range_ = range;
  grid_.Reset(frame);
  segments_.clear();
  spot_ = Mix(std::uint64_t{range.x} << 48 ^ std::uint64_t{range.end_x} << 32 ^
              std::uint64_t{range.y} << 16 ^ range.end_y ^ jpeg.size() << 20);
  const std::size_t first =
      grid_.FindInRow(range.end_y - 1, range.x, range.end_x, segments_);
  // The point after the last segment counts as well: it says how that one ends.
  const std::size_t count =
      std::min(first + segments_.size() + 1, grid_.size());
  return UnpackEntryPoints(entry_points, frame, grid_, jpeg.size(), count,
                           points_);
}

bool SegmentReader::RestartsBehind(const Segment& segment) const {
  const std::uint64_t next =
      std::uint64_t{segment.mcu_y} * frame_->mcus_across + segment.mcu_x +
      segment.mcus;
  return frame_->restart_interval != 0 && next % frame_->restart_interval == 0;
}

bool SegmentReader::HasMarker(std::size_t at, std::uint8_t marker) const {
  return jpeg_.size() - at >= 2 && jpeg_[at] == std::byte{0xFF} &&
         jpeg_[at + 1] == std::byte{marker};
}

// True right after the segment's restart marker, if it has one; else anywhere
// but in a zero stuffed after an FF.
bool SegmentReader::CanBegin(const Segment& segment, std::uint64_t bit) const {
  const std::size_t byte = bit / 8;
  if (!segment.restarts) return !HasMarker(byte - 1, 0);
  const std::uint64_t mcu =
      std::uint64_t{segment.mcu_y} * frame_->mcus_across + segment.mcu_x;
  const auto restart =
      static_cast<std::uint8_t>((mcu / frame_->restart_interval - 1) % 8);
  return bit % 8 == 0 && HasMarker(byte - 2, kRst0 + restart);
}

// Unstuffs segment `number`, the next in segments_, and plans its decoding.
// False where its point cannot be right. Points ascend within the file, so the
// bytes between two of them are there.
bool SegmentReader::AddSegment(SimdLevel level, std::size_t number) {
  const Segment& segment = segments_[tasks_.size()];
  const bool last = number + 1 == grid_.size();
  const bool chained = !last && !RestartsBehind(segment);
  const std::uint64_t first_bit = points_[number].bit;
  if (!CanBegin(segment, first_bit)) return false;
  const std::size_t begin = first_bit / 8;
  std::size_t end = begin + kMaxSegmentBytes;
  // The next segment begins in a byte of its own or in one that both have.
  if (!last) end = std::min<std::size_t>(end, points_[number + 1].bit / 8 + 1);
  end = std::min(end, jpeg_.size());
  const std::size_t room =
      data_size_ + (end - begin) + kUnstuffPadding + kSegmentPadding;
  if (data_.size() < room) data_.resize(room + room / 2);
  const Unstuffed unstuffed = Unstuff(level, jpeg_.subspan(begin, end - begin),
                                      data_.data() + data_size_);
  const std::uint64_t base = std::uint64_t{data_size_} * 8;
  const std::uint64_t bits = std::uint64_t{unstuffed.written} * 8;
  tasks_.push_back({.bit = base + first_bit % 8,
                    .blocks = segment.mcus * frame_->blocks_per_mcu});
  if (chained) {
    const std::uint64_t next = base + bits - 8 + points_[number + 1].bit % 8;
    if (unstuffed.read != end - begin) return false;  // a marker in it
    expected_.push_back({number, next, next, true});
  } else {  // up to the marker, less than a byte of padding before it
    const std::size_t marker = begin + unstuffed.read;
    const bool good = last ? HasMarker(marker, kEoi)
                           : 8 * (marker + 2) == points_[number + 1].bit;
    if (!good) return false;
    expected_.push_back({number, base + bits - std::min<std::uint64_t>(bits, 7),
                         base + bits, false});
  }
  data_size_ += unstuffed.written;
  return true;
}

// Adds the segments of the range, replacing those at work.
bool SegmentReader::AddRows(SimdLevel level, std::uint32_t mcu_y,
                            std::uint32_t end_y) {
  segments_.clear();
  tasks_.clear();
  expected_.clear();
  data_size_ = 0;
  for (std::uint32_t y = mcu_y; y < end_y; ++y) {
    std::size_t number = grid_.FindInRow(y, range_.x, range_.end_x, segments_);
    while (tasks_.size() < segments_.size()) {
      if (!AddSegment(level, number++)) return false;
    }
  }
  return true;
}

// Segments before the region's last row, but not in it, whose edges the region
// itself would never look at.
bool SegmentReader::AddSpotChecks(SimdLevel level) {
  const std::size_t checks = 1 + tasks_.size() / kSegmentsPerSpotCheck;
  for (std::size_t i = 0; i < checks; ++i) {
    spot_ = Mix(spot_);
    const auto y =
        static_cast<std::uint32_t>((spot_ & 0xFFFFFFFF) % range_.end_y);
    const auto x =
        static_cast<std::uint32_t>((spot_ >> 32) % frame_->mcus_across);
    const bool inside = y >= range_.y && x >= range_.x && x < range_.end_x;
    if (inside) continue;
    const std::size_t number = grid_.FindInRow(y, x, x + 1, segments_);
    // Its point, and the one that says how it ends.
    const bool known =
        number + 1 < points_.size() || points_.size() == grid_.size();
    if (!known) {
      segments_.pop_back();
    } else if (!AddSegment(level, number)) {
      return false;
    }
  }
  return true;
}

bool SegmentReader::ReadRows(SimdLevel level, const EntropyTables& tables,
                             std::uint32_t mcu_y, std::uint32_t end_y,
                             McuWriter& writer) {
  if (!AddRows(level, mcu_y, end_y)) return false;
  wanted_ = tasks_.size();
  writer_ = &writer;
  return AddSpotChecks(level) && Decode(level, tables);
}

bool SegmentReader::Prove(SimdLevel level, const EntropyTables& tables) {
  wanted_ = 0;
  for (std::uint32_t y = 0; y < frame_->mcus_down; y += kRowsPerProof) {
    const std::uint32_t end = std::min(y + kRowsPerProof, frame_->mcus_down);
    if (!AddRows(level, y, end) || !Decode(level, tables)) return false;
  }
  return true;
}

bool SegmentReader::Decode(SimdLevel level, const EntropyTables& tables) {
  good_ = true;
  std::memset(data_.data() + data_size_, 0, kSegmentPadding);
  decoder_.Decode(
      level, *frame_, tables,
      std::as_bytes(std::span(data_.data(), data_size_ + kSegmentPadding)),
      tasks_, *this);
  return good_;
}

// Brings the predictors to their values after McuWriter::Write.
void SegmentReader::SumDc(const Segment& segment,
                          const std::int16_t* coefficients,
                          DcPredictors& dc) const {
  for (std::uint32_t m = 0; m < segment.mcus; ++m) {
    for (std::uint32_t b = 0; b < frame_->blocks_per_mcu; ++b) {
      dc[frame_->mcu_block[b].component] += coefficients[0];
      coefficients += kBlockSize;
    }
  }
}

void SegmentReader::TakeSegment(const DecodedSegment& decoded) {
  const Expected& expected = expected_[decoded.task];
  DcPredictors dc{};
  std::copy_n(points_[expected.number].dc.begin(), kMaxComponents, dc.begin());
  const Segment& segment = segments_[decoded.task];
  if (decoded.task >= wanted_) {
    SumDc(segment, decoded.coefficients, dc);
  } else if (good_) {
    writer_->Write(segment, decoded.coefficients, dc);
  }
  good_ = good_ && decoded.valid && decoded.end_bit >= expected.first_bit &&
          decoded.end_bit <= expected.last_bit;
  if (good_ && expected.chained) {
    good_ = std::equal(dc.begin(), dc.begin() + frame_->components,
                       points_[expected.number + 1].dc.begin());
  }
}

}  // namespace shardine
