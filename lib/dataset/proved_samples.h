// ProvedSamples: a bit for each sample whose entry points this process has
// found to be its own.
#ifndef SHARDINE_DATASET_PROVED_SAMPLES_H_
#define SHARDINE_DATASET_PROVED_SAMPLES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardine {

// Thread-safe. No bit orders anything else: a thread that misses one proves
// once more.
class ProvedSamples {
 public:
  explicit ProvedSamples(std::uint64_t samples)
      : words_(static_cast<std::size_t>(samples / 64 + 1)) {}

  // REQUIRES: position < samples.
  bool Has(std::uint64_t position) const {
    const std::uint64_t word =
        words_[position / 64].load(std::memory_order_relaxed);
    return (word >> position % 64 & 1) != 0;
  }
  void Add(std::uint64_t position) {
    words_[position / 64].fetch_or(std::uint64_t{1} << position % 64,
                                   std::memory_order_relaxed);
  }

 private:
  std::vector<std::atomic<std::uint64_t>> words_;
};

}  // namespace shardine

#endif  // SHARDINE_DATASET_PROVED_SAMPLES_H_
