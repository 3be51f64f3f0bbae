// SimulatedShards: the shards of a split as its manifest has them, with samples
// of one size each.
#ifndef SHARDINE_LOAD_SIMULATED_SHARDS_H_
#define SHARDINE_LOAD_SIMULATED_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/manifest.h"
#include "shard/extent.h"

namespace shardine {

// Immutable, so thread-safe.
class SimulatedShards {
 public:
  explicit SimulatedShards(const ManifestSplit& split);

  std::size_t size() const { return shards_.size(); }
  std::uint64_t samples() const { return samples_; }
  std::uint64_t bytes() const { return bytes_; }
  // Sidecars and entry points, in number and bytes.
  std::uint64_t companions() const { return companions_; }
  std::uint64_t companion_bytes() const { return companion_bytes_; }

  // REQUIRES of both: position < samples().
  std::size_t ShardOf(std::uint64_t position) const;
  // In its shard.
  Extent ExtentOf(std::uint64_t position) const;
  std::uint64_t BytesOf(std::size_t shard) const {
    return shards_[shard].bytes;
  }
  std::uint64_t SamplesOf(std::size_t shard) const {
    return shards_[shard].samples;
  }
  std::uint64_t FirstOf(std::size_t shard) const {
    return shards_[shard].first;
  }

  // Shards of which `count` samples are that were drawn at random, without one
  // twice: about the sum of 1 - (1 - share)^count.
  double AtRandom(std::uint64_t count) const;

 private:
  struct Shard {
    std::uint64_t first = 0;  // the position of its first sample
    std::uint64_t samples = 0;
    std::uint64_t bytes = 0;
  };

  std::vector<Shard> shards_;  // those that have samples
  std::uint64_t samples_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t companions_ = 0;
  std::uint64_t companion_bytes_ = 0;
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_SIMULATED_SHARDS_H_
