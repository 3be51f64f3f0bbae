#include "load/simulated_shards.h"

#include <algorithm>
#include <cmath>

#include "dataset/dataset_reader.h"

namespace shardine {

SimulatedShards::SimulatedShards(const ManifestSplit& split) {
  for (const ManifestShard& shard : split.shards) {
    for (const ManifestFile* file : {DatasetReader::SidecarOf(shard),
                                     DatasetReader::EntryPointsOf(shard)}) {
      if (file == nullptr) continue;
      ++companions_;
      companion_bytes_ += file->bytes;
    }
    if (shard.samples == 0) continue;
    shards_.push_back({samples_, shard.samples, shard.file.bytes});
    samples_ += shard.samples;
    bytes_ += shard.file.bytes;
  }
}

std::size_t SimulatedShards::ShardOf(std::uint64_t position) const {
  const auto behind =
      std::ranges::upper_bound(shards_, position, {}, &Shard::first);
  return static_cast<std::size_t>(behind - shards_.begin()) - 1;
}

Extent SimulatedShards::ExtentOf(std::uint64_t position) const {
  const Shard& shard = shards_[ShardOf(position)];
  const std::uint64_t each = shard.bytes / shard.samples;
  return {.offset = (position - shard.first) * each, .length = each};
}

double SimulatedShards::AtRandom(std::uint64_t count) const {
  double expected = 0;
  for (const Shard& shard : shards_) {
    const double others =
        1 - static_cast<double>(shard.samples) / static_cast<double>(samples_);
    expected += 1 - std::pow(others, static_cast<double>(count));
  }
  return expected;
}

}  // namespace shardine
