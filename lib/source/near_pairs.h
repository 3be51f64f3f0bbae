// NearPairs: hashes that are few bits apart, among many.
#ifndef SHARDINE_SOURCE_NEAR_PAIRS_H_
#define SHARDINE_SOURCE_NEAR_PAIRS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pixels/pdq_hash.h"
#include "shardine/status.h"

namespace shardine {

struct NearPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;  // the larger number
  std::uint32_t turn = 0;    // of the second, at which they are nearest
  std::uint32_t distance = 0;

  friend bool operator==(const NearPair&, const NearPair&) = default;
};

// Bits that two may be apart: any two; and one of the wide ones and any.
struct NearLimits {
  static constexpr std::uint32_t kMostAny = 31;
  static constexpr std::size_t kMost = 64;  // pairs of a hash
  std::uint32_t any = kMostAny;             // kMostAny at most
  std::uint32_t wide = 84;
};

struct NearPairs {
  std::vector<NearPair> pairs;
  std::uint64_t cut = 0;  // hashes with more pairs than are kept
};

// All pairs within the limits at any turn of the second, each once, by its
// numbers; of several turns the nearest. `is_wide` has a flag for each hash.
// Wide hashes are compared with all; others only if they share 16 bits but for
// one, as any two within 31 bits do. The nearest kMost pairs of each hash are
// kept, of equally near ones the first. Equal hashes have the same pairs, and
// count as one hash; behind the first kMost of them each has but the pair with
// the first. Pairs take 16 bytes each. kCancelled: stopped.
Result<NearPairs> FindNearPairs(std::span<const PdqHash> hashes,
                                const std::vector<bool>& is_wide,
                                const NearLimits& limits, unsigned threads);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_NEAR_PAIRS_H_
