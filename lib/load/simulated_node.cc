#include "load/simulated_node.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dataset/ask_ahead.h"

namespace shardine {

SimulatedNode::Traffic& SimulatedNode::Traffic::operator+=(
    const Traffic& other) {
  requests += other.requests;
  bytes += other.bytes;
  hits += other.hits;
  return *this;
}

SimulatedNode::SimulatedNode(const SimulatedShards& shards,
                             std::uint64_t cache_bytes)
    : shards_(shards), limit_(cache_bytes) {
  if (limit_ == 0) return;
  kept_.resize(static_cast<std::size_t>(shards.samples()));
  last_use_.resize(shards.size());
}

bool SimulatedNode::Has(std::uint64_t position) const {
  return limit_ > 0 && kept_[position];
}

void SimulatedNode::Touch(std::size_t shard) {
  by_use_.erase(last_use_[shard]);
  last_use_[shard] = ++uses_;
  by_use_.emplace(uses_, shard);
}

void SimulatedNode::Drop(std::size_t shard) {
  const std::uint64_t first = shards_.FirstOf(shard);
  const std::uint64_t end = first + shards_.SamplesOf(shard);
  for (std::uint64_t position = first; position < end; ++position) {
    if (kept_[position]) used_ -= shards_.ExtentOf(position).length;
    kept_[position] = false;
  }
  by_use_.erase(last_use_[shard]);
  last_use_[shard] = 0;
}

void SimulatedNode::Keep(std::uint64_t position) {
  if (limit_ == 0) return;
  Touch(shards_.ShardOf(position));
  if (kept_[position]) return;
  kept_[position] = true;
  used_ += shards_.ExtentOf(position).length;
  while (used_ > limit_) Drop(by_use_.begin()->second);
}

SimulatedNode::Traffic SimulatedNode::Read(std::uint64_t position) {
  const bool has = Has(position);
  Keep(position);
  if (has) return {.requests = 0, .bytes = 0, .hits = 1};
  return {.requests = 1, .bytes = shards_.ExtentOf(position).length, .hits = 0};
}

SimulatedNode::Traffic SimulatedNode::ReadOfShard(
    std::span<const std::uint64_t> positions, std::uint64_t& room) {
  Traffic traffic;
  std::vector<Extent> missing;
  for (const std::uint64_t position : positions) {
    if (Has(position)) {
      traffic += Read(position);
    } else {
      missing.push_back(shards_.ExtentOf(position));
    }
  }
  const std::uint64_t bytes =
      shards_.BytesOf(shards_.ShardOf(positions.front()));
  std::uint64_t behind = 0;  // the end of the held bytes, in the shard
  for (const Extent& range : JoinExtents(std::move(missing), bytes)) {
    if (range.length > room) break;
    room -= range.length;
    behind = range.offset + range.length;
    ++traffic.requests;
    traffic.bytes += range.length;
  }
  for (const std::uint64_t position : positions) {
    if (Has(position)) continue;
    if (shards_.ExtentOf(position).offset < behind) {
      Keep(position);
    } else {
      traffic += Read(position);
    }
  }
  return traffic;
}

SimulatedNode::Traffic SimulatedNode::ReadTogether(
    std::span<const std::uint64_t> positions, std::uint64_t& room) {
  Traffic traffic;
  while (!positions.empty()) {
    const std::size_t shard = shards_.ShardOf(positions.front());
    const std::uint64_t end = shards_.FirstOf(shard) + shards_.SamplesOf(shard);
    const auto behind = std::ranges::lower_bound(positions, end);
    const auto count =
        static_cast<std::size_t>(std::distance(positions.begin(), behind));
    traffic += ReadOfShard(positions.first(count), room);
    positions = positions.subspan(count);
  }
  return traffic;
}

}  // namespace shardine
