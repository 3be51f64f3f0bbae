#include "im2rec/mersenne_twister.h"

#include <algorithm>

#include "base/check.h"

namespace shardine {

namespace {

constexpr std::size_t kMiddle = 397;
constexpr std::uint32_t kUpperBit = 0x80000000U;
constexpr std::uint32_t kLowerBits = 0x7fffffffU;

std::uint32_t Twist(std::uint32_t high, std::uint32_t low) {
  const std::uint32_t joined = (high & kUpperBit) | (low & kLowerBits);
  return (joined >> 1) ^ ((low & 1U) != 0 ? 0x9908b0dfU : 0U);
}

std::uint32_t Mixed(std::uint32_t word) { return word ^ (word >> 30); }

}  // namespace

MersenneTwister::MersenneTwister(std::span<const std::uint32_t> key) {
  SHARDINE_CHECK(!key.empty());
  FillFromSeed(19650218U);
  std::size_t i = 1;
  std::size_t j = 0;
  const auto advance = [&] {
    if (++i == kWords) {
      words_[0] = words_[kWords - 1];
      i = 1;
    }
  };
  for (std::size_t k = std::max(kWords, key.size()); k > 0; --k) {
    words_[i] = (words_[i] ^ (Mixed(words_[i - 1]) * 1664525U)) + key[j] +
                static_cast<std::uint32_t>(j);
    advance();
    if (++j == key.size()) j = 0;
  }
  for (std::size_t k = kWords - 1; k > 0; --k) {
    words_[i] = (words_[i] ^ (Mixed(words_[i - 1]) * 1566083941U)) -
                static_cast<std::uint32_t>(i);
    advance();
  }
  words_[0] = kUpperBit;
}

void MersenneTwister::FillFromSeed(std::uint32_t seed) {
  words_[0] = seed;
  for (std::size_t i = 1; i < kWords; ++i) {
    words_[i] =
        1812433253U * Mixed(words_[i - 1]) + static_cast<std::uint32_t>(i);
  }
}

void MersenneTwister::Refill() {
  for (std::size_t i = 0; i < kWords; ++i) {
    words_[i] = words_[(i + kMiddle) % kWords] ^
                Twist(words_[i], words_[(i + 1) % kWords]);
  }
  used_ = 0;
}

std::uint32_t MersenneTwister::Next() {
  if (used_ == kWords) Refill();
  std::uint32_t y = words_[used_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

}  // namespace shardine
