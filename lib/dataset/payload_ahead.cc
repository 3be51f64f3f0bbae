#include "dataset/payload_ahead.h"

#include <algorithm>
#include <utility>

#include "shard/payload.h"

namespace shardine {
namespace {

constexpr std::uint64_t kGap = std::uint64_t{64} << 10;
// A chunk is short, so that the next one is asked for while it is read.
constexpr std::uint64_t kChunk = 32;
constexpr std::uint64_t kRecordsAhead = 256;

// Where the payloads of the entries lie.
std::vector<Extent> RangesOf(const std::vector<IndexEntry>& entries) {
  std::vector<Extent> ranges;
  const auto add = [&](const Extent& extent) {
    const std::uint64_t end =
        ranges.empty() ? 0 : ranges.back().offset + ranges.back().length;
    if (ranges.empty() || extent.offset < end || extent.offset - end > kGap) {
      ranges.push_back(extent);
    } else {
      ranges.back().length =
          extent.offset + extent.length - ranges.back().offset;
    }
  };
  for (const IndexEntry& entry : entries) {
    if (!HasExtents(entry)) continue;
    for (const IndexField& field : entry.fields) {
      std::ranges::for_each(field.extents, add);
    }
  }
  return ranges;
}

}  // namespace

void AskPayloads(const RandomAccessFile& shard, const ShardIndex& index,
                 std::uint64_t record, std::uint64_t count, std::uint64_t& room,
                 KeptAhead& kept) {
  std::vector<IndexEntry> entries;
  if (!index.Entries(record, count, entries).ok()) return;
  for (const Extent& range : RangesOf(entries)) {
    kept.push_back(shard.ReadAhead(range.offset, range.length, room));
  }
}

void PayloadAhead::Reach(std::uint64_t record) {
  while (!chunks_.empty() && chunks_.front().end <= record) {
    room_ += chunks_.front().bytes;
    chunks_.pop_front();
  }
  next_ = std::max(next_, record);
  const std::uint64_t end = std::min(index_.size(), record + kRecordsAhead);
  while (next_ < end && room_ > 0) {
    const std::uint64_t count = std::min(kChunk, index_.size() - next_);
    Chunk chunk{.end = next_ + count, .bytes = room_, .kept = {}};
    AskPayloads(shard_, index_, next_, count, room_, chunk.kept);
    chunk.bytes -= room_;
    next_ = chunk.end;
    chunks_.push_back(std::move(chunk));
  }
}

}  // namespace shardine
