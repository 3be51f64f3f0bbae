// MT19937, the generator of Matsumoto and Nishimura (ACM TOMACS 8, 1998), with
// their initialisation by array (mt19937ar.c, 2002). It is here because
// CPython's `random` is this generator; shardine itself draws from Philox.
#ifndef SHARDINE_IM2REC_MERSENNE_TWISTER_H_
#define SHARDINE_IM2REC_MERSENNE_TWISTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace shardine {

// Thread-compatible.
class MersenneTwister {
 public:
  // init_by_array. REQUIRES: !key.empty().
  explicit MersenneTwister(std::span<const std::uint32_t> key);

  // genrand_int32: the next of the sequence, uniform over all 32-bit words.
  std::uint32_t Next();

 private:
  static constexpr std::size_t kWords = 624;

  void FillFromSeed(std::uint32_t seed);
  void Refill();

  std::array<std::uint32_t, kWords> words_;
  std::size_t used_ = kWords;
};

}  // namespace shardine

#endif  // SHARDINE_IM2REC_MERSENNE_TWISTER_H_
