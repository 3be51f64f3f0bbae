// The levels of vector instructions that a test can go through.
#ifndef SHARDINE_TESTS_SUPPORT_SIMD_LEVELS_H_
#define SHARDINE_TESTS_SUPPORT_SIMD_LEVELS_H_

#include <vector>

#include "base/simd_level.h"

namespace shardine {

// All that the processor, and the environment, allow.
inline std::vector<SimdLevel> SimdLevels() {
  std::vector<SimdLevel> levels;
  for (int level = 0; level <= static_cast<int>(CurrentSimdLevel()); ++level) {
    levels.push_back(static_cast<SimdLevel>(level));
  }
  return levels;
}

// Holds all code to a level while it lives.
class SimdLimit {
 public:
  explicit SimdLimit(SimdLevel level) { LimitSimd(level); }
  ~SimdLimit() { UnlimitSimd(); }
  SimdLimit(const SimdLimit&) = delete;
  SimdLimit& operator=(const SimdLimit&) = delete;
};

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_SIMD_LEVELS_H_
