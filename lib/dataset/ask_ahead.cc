#include "dataset/ask_ahead.h"

#include <algorithm>
#include <utility>

#include "io/range_plan.h"

namespace shardine {

std::vector<Extent> JoinExtents(std::vector<Extent> extents,
                                std::uint64_t bytes) {
  constexpr RangeLimits kLimits;
  // Rows may say anything; kNowhere is beyond the end as well.
  std::erase_if(extents, [&](const Extent& extent) {
    return extent.length == 0 || extent.offset > bytes ||
           extent.length > bytes - extent.offset;
  });
  std::ranges::sort(extents, {}, &Extent::offset);
  std::vector<Extent> joined;
  for (const Extent& extent : extents) {
    const std::uint64_t end = extent.offset + extent.length;
    if (!joined.empty()) {
      Extent& last = joined.back();
      const std::uint64_t last_end = last.offset + last.length;
      if (end <= last_end) continue;
      if (extent.offset <= last_end + kLimits.gap &&
          end - last.offset <= kLimits.size) {
        last.length = end - last.offset;
        continue;
      }
    }
    joined.push_back(extent);
  }
  return joined;
}

void AskPayloads(const RandomAccessFile& shard,
                 std::span<const IndexEntry> entries, AheadBytes& ahead) {
  std::vector<Extent> extents;
  for (const IndexEntry& entry : entries) {
    for (const IndexField& field : entry.fields) {
      extents.insert(extents.end(), field.extents.begin(), field.extents.end());
    }
  }
  for (const Extent& range : JoinExtents(std::move(extents), shard.size())) {
    ahead.kept.push_back(
        shard.ReadAhead(range.offset, range.length, ahead.room));
  }
}

namespace {

// Whether the first and the last sample are in memory, taken to hold for those
// between them as well: decoding all their rows would cost most of the call.
bool IsAtHand(const PooledShard& shard, std::uint64_t first, std::uint64_t last,
              const AheadUse& use) {
  IndexEntry entry;
  for (const std::uint64_t record : {first, last}) {
    if (!shard.index->ReadEntry(record, entry).ok()) return false;
    KeepNamed(use.wanted, entry);
    for (const IndexField& field : entry.fields) {
      const auto is_far = [&](const Extent& extent) {
        return extent.length > 0 && !shard.file->IsAtHand(extent.offset);
      };
      if (std::ranges::any_of(field.extents, is_far)) return false;
    }
  }
  return true;
}

}  // namespace

void AskAhead(const PooledShard& shard, std::span<const std::uint64_t> records,
              const AheadUse& use, AheadBytes& ahead) {
  const std::uint64_t first = records.front();
  const std::uint64_t count = records.back() - first + 1;
  ahead.kept.push_back(shard.index->ReadAhead(first, count, ahead.room));
  if (IsAtHand(shard, first, records.back(), use)) return;
  std::vector<IndexEntry> entries;
  if (!shard.index->Entries(first, count, entries).ok()) return;
  std::vector<IndexEntry> wanted;
  for (const std::uint64_t record : records) {
    wanted.push_back(std::move(entries[record - first]));
    KeepNamed(use.wanted, wanted.back());
  }
  AskPayloads(*shard.file, wanted, ahead);
  if (use.points == EntryPointUse::kSkip || shard.entry_points == nullptr) {
    return;
  }
  for (auto& kept : shard.entry_points->ReadAhead(first, count, ahead.room)) {
    ahead.kept.push_back(std::move(kept));
  }
}

}  // namespace shardine
