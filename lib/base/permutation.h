// A keyed pseudo-random permutation of [0, n) with random access and O(1)
// memory: an unbalanced Feistel network (10 rounds, or 40 up to 8 bits, with
// Philox4x32-10 as the round function) over the smallest sufficient number of
// bits, with cycle walking. This is every shuffle in shardine: pack order,
// splits, hold-out, training order. The outputs of each version are pinned by
// tests and never change.
#ifndef SHARDINE_BASE_PERMUTATION_H_
#define SHARDINE_BASE_PERMUTATION_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardine {

// Which orders a seed stands for.
enum class ShuffleVersion : std::uint8_t {
  // The network alone: packs, splits and hold-outs, whose bytes depend on it.
  // Each round is an even permutation from 4 bits on, so that orders of 2^k
  // elements are all even, and other sizes prefer one parity.
  kNetwork = 1,
  // One more bit of the key swaps the values 0 and 1: both parities are equally
  // likely at every size. Orders of training.
  kBothParities = 2,
};

// Thread-safe but for Tabulate().
class Permutation {
 public:
  // `purpose` separates uses of one seed: "pack", "split", "hold-out". The key
  // is the XXH3-64, seeded with `seed`, of purpose + stream (8 bytes). `stream`
  // numbers independent permutations of one purpose (epoch, class).
  // Permutations of different n are unrelated, too.
  Permutation(std::uint64_t n, std::uint64_t seed, std::string_view purpose,
              std::uint64_t stream = 0,
              ShuffleVersion version = ShuffleVersion::kNetwork);

  std::uint64_t size() const { return n_; }
  // REQUIRES: position < size(). A bijection of [0, n).
  std::uint64_t operator()(std::uint64_t position) const;

  // For callers that ask for more than a few positions: where there are 40
  // rounds, all their words are computed, 640 at most, and each position costs
  // look-ups from then on. Changes no result.
  void Tabulate();

 private:
  // One pass through the network: a bijection of [0, 2^bits).
  std::uint64_t Scramble(std::uint64_t value) const;
  std::uint32_t RoundWord(std::uint32_t half, std::uint32_t round) const;
  std::uint64_t LookUp(std::uint64_t value) const;

  std::uint64_t n_;
  std::uint64_t key_;
  int left_bits_;
  int right_bits_;
  std::uint32_t rounds_;  // even
  bool swaps_;            // the values 0 and 1
  // Filled by Tabulate(): the words of each round by the half that it reads,
  // cut to the bits of the half that it changes; two rounds in 2^left + 2^right
  // bytes.
  std::vector<std::uint8_t> words_;
};

}  // namespace shardine

#endif  // SHARDINE_BASE_PERMUTATION_H_
