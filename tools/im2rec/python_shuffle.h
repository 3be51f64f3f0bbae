// random.seed(SEED); random.shuffle(list), as CPython 3 has done it since 3.2
// (Lib/random.py, Modules/_randommodule.c). The one use of randomness that is
// not our own: im2rec lists must have the original's order.
#ifndef SHARDINE_IM2REC_PYTHON_SHUFFLE_H_
#define SHARDINE_IM2REC_PYTHON_SHUFFLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "im2rec/mersenne_twister.h"

namespace shardine {

// Python's random.Random, as far as shuffle needs it. Thread-compatible.
class PythonRandom {
 public:
  // random.seed(seed) for an integer seed below 2^32.
  explicit PythonRandom(std::uint32_t seed);

  // random._randbelow(n): uniform in [0, n). REQUIRES: 0 < n < 2^32.
  std::size_t Below(std::size_t n);

 private:
  MersenneTwister twister_;
};

// REQUIRES: items.size() < 2^32.
template <typename T>
void PythonShuffle(std::span<T> items, std::uint32_t seed) {
  PythonRandom random(seed);
  for (std::size_t i = items.size(); i-- > 1;) {
    const std::size_t j = random.Below(i + 1);
    if (j != i) std::swap(items[i], items[j]);
  }
}

}  // namespace shardine

#endif  // SHARDINE_IM2REC_PYTHON_SHUFFLE_H_
