// ShownChoice: the samples that a report shows. Each class has an equal share;
// places that a small class leaves go to the others. Within a class the hash
// with the seed decides.
#ifndef SHARDINE_REPORT_SHOWN_CHOICE_H_
#define SHARDINE_REPORT_SHOWN_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardine {

// Shares of `most` for groups of these sizes, none larger than its group. Where
// there are more groups than places, a permutation by `seed` says which have
// one.
std::vector<std::size_t> EqualShares(std::span<const std::uint64_t> sizes,
                                     std::size_t most, std::uint64_t seed);

struct ChosenSample {
  std::size_t split = 0;
  std::size_t shard = 0;     // of all shards of the dataset
  std::uint64_t record = 0;  // in the shard
  std::uint64_t bytes = 0;   // of its image; 0: not in the shard as such
  std::size_t row = 0;       // of its class (ClassTable)
  std::string key = {};      // as a page shows it
};

// Thread-compatible.
class ShownChoice {
 public:
  ShownChoice(std::uint64_t seed, std::vector<std::size_t> shares)
      : seed_(seed), shares_(std::move(shares)), kept_(shares_.size()) {}

  // Each sample of the dataset once, in any order. Its row is one of the
  // shares; `key` is the sample's own.
  void Offer(const ChosenSample& sample, std::string_view key);

  // The chosen samples, by shard and record.
  std::vector<ChosenSample> Take();

 private:
  struct Kept {
    std::uint64_t hash = 0;
    ChosenSample sample;
  };

  std::uint64_t seed_;
  std::vector<std::size_t> shares_;
  std::vector<std::vector<Kept>> kept_;  // by row: heaps by hash
};

}  // namespace shardine

#endif  // SHARDINE_REPORT_SHOWN_CHOICE_H_
