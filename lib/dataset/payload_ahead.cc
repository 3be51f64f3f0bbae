#include "dataset/payload_ahead.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace shardine {
namespace {

// A chunk is short, so that the next one is asked for while it is read.
constexpr std::uint64_t kChunk = 32;
constexpr std::uint64_t kRecordsAhead = 256;

}  // namespace

void PayloadAhead::Reach(std::uint64_t record) {
  while (!chunks_.empty() && chunks_.front().end <= record) {
    room_ += chunks_.front().bytes;
    chunks_.pop_front();
  }
  next_ = std::max(next_, record);
  const std::uint64_t end = std::min(index_.size(), record + kRecordsAhead);
  while (next_ < end && room_ > 0) {
    const std::uint64_t count = std::min(kChunk, index_.size() - next_);
    Chunk chunk{.end = next_ + count, .ahead = {.room = room_, .kept = {}}};
    std::vector<IndexEntry> entries;
    // Whoever reads them will say why not.
    if (index_.Entries(next_, count, entries).ok()) {
      AskPayloads(shard_, entries, chunk.ahead);
    }
    chunk.bytes = room_ - chunk.ahead.room;
    room_ = chunk.ahead.room;
    next_ = chunk.end;
    chunks_.push_back(std::move(chunk));
  }
}

}  // namespace shardine
