#include "tasks/shard_turns.h"

namespace shardine {

std::vector<std::size_t> ShardsOfRank(const std::vector<PlannedShard>& shards,
                                      std::uint32_t first_split,
                                      std::uint32_t rank, std::uint32_t world) {
  std::map<std::uint32_t, std::vector<std::size_t>> splits;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    splits[shards[i].split].push_back(i);
  }
  std::vector<std::size_t> own;
  const auto add = [&](const std::vector<std::size_t>& numbers) {
    const std::uint64_t count = numbers.size();
    for (std::uint64_t i = count * rank / world;
         i < count * (rank + std::uint64_t{1}) / world; ++i) {
      own.push_back(numbers[i]);
    }
  };
  add(splits[first_split]);
  for (const auto& [split, numbers] : splits) {
    if (split != first_split) add(numbers);
  }
  return own;
}

ShardTurns::ShardTurns(std::vector<std::size_t> shards)
    : waiting_(shards.begin(), shards.end()) {
  for (const std::size_t shard : shards) states_[shard] = State::kWaiting;
}

void ShardTurns::Want(std::size_t shard) {
  const std::lock_guard lock(mutex_);
  const auto at = states_.find(shard);
  if (at == states_.end() || at->second != State::kWaiting) return;
  at->second = State::kWanted;
  wanted_.push_back(shard);
}

std::optional<std::size_t> ShardTurns::Take() {
  const std::lock_guard lock(mutex_);
  for (std::deque<std::size_t>* const shards : {&wanted_, &waiting_}) {
    while (!shards->empty()) {
      const std::size_t shard = shards->front();
      shards->pop_front();
      State& state = states_.at(shard);
      if (state == State::kTaken) continue;
      state = State::kTaken;
      return shard;
    }
  }
  return std::nullopt;
}

}  // namespace shardine
