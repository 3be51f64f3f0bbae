#include "jpeg/entry_points.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "jpeg/exp_golomb.h"

namespace shardine {
namespace {

// A number of the compact form: of the column 0 for bits, 1 + c for the DC
// values of component c.
struct Entry {
  std::uint32_t column = 0;
  std::uint64_t number = 0;
};
constexpr std::uint32_t kMaxColumns = 1 + kMaxComponents;
using Orders = std::array<std::uint32_t, kMaxColumns>;

// Which point another is predicted from. REQUIRES: number > 0.
std::size_t NeighbourOf(std::size_t number, std::size_t per_row) {
  return number >= per_row ? number - per_row : number - 1;
}

std::int64_t DistanceTo(const std::vector<EntryPoint>& points,
                        std::size_t number) {
  if (number == 0) return 0;
  return static_cast<std::int64_t>(points[number].bit - points[number - 1].bit);
}

// Tells of one segment after the other whether its predictors begin at zero.
class FreshStarts {
 public:
  FreshStarts(const JpegFrame& frame, const SegmentGrid& grid)
      : frame_(frame), grid_(grid) {}

  bool Next() {
    if (frame_.restart_interval == 0) return false;
    if (next_ == row_.size()) {
      row_.clear();
      next_ = 0;
      grid_.FindInRow(mcu_y_++, 0, frame_.mcus_across, row_);
    }
    return row_[next_++].restarts;
  }

 private:
  const JpegFrame& frame_;
  const SegmentGrid& grid_;
  std::vector<Segment> row_;
  std::size_t next_ = 0;
  std::uint32_t mcu_y_ = 0;
};

std::vector<Entry> Predict(const JpegFrame& frame, const SegmentGrid& grid,
                           const std::vector<EntryPoint>& points) {
  const std::size_t per_row = grid.RowBegin(1);
  FreshStarts fresh(frame, grid);
  fresh.Next();
  std::vector<Entry> entries;
  entries.reserve(points.size() * (1 + frame.components));
  for (std::size_t i = 1; i < points.size(); ++i) {
    const std::size_t neighbour = NeighbourOf(i, per_row);
    entries.push_back(
        {0, FoldSign(DistanceTo(points, i) - DistanceTo(points, neighbour))});
    if (fresh.Next()) continue;
    for (std::uint32_t c = 0; c < frame.components; ++c) {
      entries.push_back(
          {1 + c, FoldSign(points[i].dc[c] - points[neighbour].dc[c])});
    }
  }
  return entries;
}

// Near the mean the smallest code is found, or nearly.
std::uint32_t BestOrder(const std::vector<Entry>& entries,
                        std::uint32_t column) {
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  for (const Entry& entry : entries) {
    if (entry.column != column) continue;
    sum += entry.number;
    ++count;
  }
  const auto highest =
      static_cast<std::uint32_t>(std::bit_width(count == 0 ? 0 : sum / count));
  std::uint32_t best = 0;
  std::uint64_t best_bits = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t order = highest - std::min(highest, 3u);
       order <= std::min(highest, kMaxGolombOrder); ++order) {
    std::uint64_t bits = 0;
    for (const Entry& entry : entries) {
      if (entry.column == column) bits += GolombBits(entry.number, order);
    }
    if (bits < best_bits) best = order;
    best_bits = std::min(best_bits, bits);
  }
  return best;
}

bool AddTo(std::int16_t base, std::uint64_t number, std::int16_t& value) {
  const std::int64_t sum = base + UnfoldSign(number);
  value = static_cast<std::int16_t>(sum);
  return value == sum;
}

struct PointReader {
  GolombReader codes;
  Orders orders{};
  std::uint32_t components = 0;
  std::uint64_t end_bit = 0;  // places lie before it

  // Reads the point `i` > 0; those before it are there. Each place is compared
  // with the file's end before it is added up: sums of distances may wrap.
  bool Read(std::vector<EntryPoint>& points, std::size_t i,
            std::size_t neighbour, bool fresh) {
    std::uint64_t number = 0;
    codes.Load();
    if (!codes.Take(orders[0], number)) return false;
    const std::int64_t distance =
        DistanceTo(points, neighbour) + UnfoldSign(number);
    const std::uint64_t before = points[i - 1].bit;
    // `end_bit - before` cannot wrap: every point before lies in the file.
    if (distance <= 0 ||
        static_cast<std::uint64_t>(distance) >= end_bit - before) {
      return false;
    }
    EntryPoint& point = points[i];
    point.bit = before + static_cast<std::uint64_t>(distance);
    point.dc = {};
    for (std::uint32_t c = 0; c < components && !fresh; ++c) {
      if (!codes.Take(orders[1 + c], number) ||
          !AddTo(points[neighbour].dc[c], number, point.dc[c])) {
        return false;
      }
    }
    return true;
  }
};

// Four bits for each column.
std::size_t OrderBytes(const JpegFrame& frame) {
  return (1 + frame.components) / 2;
}

}  // namespace

std::string PackEntryPoints(const JpegFrame& frame, const SegmentGrid& grid,
                            const std::vector<EntryPoint>& points) {
  SHARDINE_CHECK(points.size() == grid.size());
  const std::vector<Entry> entries = Predict(frame, grid, points);
  Orders orders{};
  std::string packed;
  for (std::uint32_t i = 0; i <= frame.components; ++i) {
    orders[i] = BestOrder(entries, i);
    if (i % 2 == 1) {
      packed += static_cast<char>(orders[i - 1] << 4 | orders[i]);
    }
  }
  GolombWriter codes(packed);
  for (const Entry& entry : entries) {
    codes.Put(entry.number, orders[entry.column]);
  }
  codes.Finish();
  return packed;
}

bool UnpackEntryPoints(ByteView packed, const JpegFrame& frame,
                       const SegmentGrid& grid, std::size_t jpeg_bytes,
                       std::size_t count, std::vector<EntryPoint>& points) {
  const std::size_t head = OrderBytes(frame);
  // No code is shorter than a bit, and only the first point has none.
  if (packed.size() < head || count > (packed.size() - head) * 8 + 1) {
    return false;
  }
  if (frame.scan >= jpeg_bytes) return false;
  PointReader reader{GolombReader(packed.subspan(head)),
                     {},
                     frame.components,
                     std::uint64_t{8} * jpeg_bytes};
  for (std::size_t i = 0; i <= frame.components; ++i) {
    const auto pair = std::to_integer<std::uint32_t>(packed[i / 2]);
    reader.orders[i] = i % 2 == 0 ? pair >> 4 : pair & 15;
  }
  const std::size_t per_row = grid.RowBegin(1);
  FreshStarts fresh(frame, grid);
  points.resize(count);
  if (count > 0) {
    points[0] = {8 * frame.scan, {}};
    fresh.Next();
  }
  for (std::size_t i = 1; i < count; ++i) {
    if (!reader.Read(points, i, NeighbourOf(i, per_row), fresh.Next())) {
      return false;
    }
  }
  return !reader.codes.Overran() &&
         (count < grid.size() || reader.codes.AtEnd());
}

}  // namespace shardine
