// A keyed pseudo-random permutation of [0, n) with random access and O(1)
// memory: an unbalanced Feistel network (at least 8 rounds, Philox4x32-10 as
// the round function) over the smallest sufficient number of bits, with cycle
// walking. This is every shuffle in shardine: pack order, splits, hold-out,
// training order. Its outputs are pinned by tests and never change.
#ifndef SHARDINE_BASE_PERMUTATION_H_
#define SHARDINE_BASE_PERMUTATION_H_

#include <cstdint>
#include <string_view>

namespace shardine {

// Immutable after construction, so thread-safe.
class Permutation {
 public:
  // `purpose` separates uses of one seed: "pack", "split", "hold-out". The key
  // is derived from (seed, purpose, stream) by XXH3-64 over purpose + stream.
  // `stream` numbers independent permutations of one purpose (epoch, class).
  Permutation(std::uint64_t n, std::uint64_t seed, std::string_view purpose,
              std::uint64_t stream = 0);

  std::uint64_t size() const { return n_; }
  // REQUIRES: position < size(). A bijection of [0, n).
  std::uint64_t operator()(std::uint64_t position) const;

 private:
  std::uint64_t Round(std::uint64_t value) const;

  std::uint64_t n_;
  std::uint64_t key_;
  int left_bits_;
  int right_bits_;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_PERMUTATION_H_
