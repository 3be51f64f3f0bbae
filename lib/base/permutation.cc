#include "base/permutation.h"

#include <bit>
#include <string>

#include "base/bytes.h"
#include "base/check.h"
#include "base/checksum.h"
#include "base/philox.h"

namespace shardine {
namespace {

std::uint64_t DeriveKey(std::uint64_t seed, std::string_view purpose,
                        std::uint64_t stream) {
  std::string text(purpose);
  AppendLe(stream, text);
  return Xxh3_64(AsBytes(text), seed);
}

std::uint32_t LowBits(std::uint32_t word, int bits) {
  return bits == 32 ? word : word & ((std::uint32_t{1} << bits) - 1);
}

constexpr std::uint32_t kManyRounds = 40;
// The counter of the bit that decides the swap: a round that no network has.
constexpr std::uint32_t kNoRound = ~std::uint32_t{0};

// A few bits carry little randomness through a round: with 10 rounds the orders
// of 5 elements are visibly unequal in frequency, with 40 they are not. From 9
// bits on, 10 rounds pass the same tests except the test of parity.
std::uint32_t RoundsFor(int bits) { return bits <= 8 ? kManyRounds : 10; }

}  // namespace

Permutation::Permutation(std::uint64_t n, std::uint64_t seed,
                         std::string_view purpose, std::uint64_t stream,
                         ShuffleVersion version)
    : n_(n), key_(DeriveKey(seed, purpose, stream)) {
  const int bits = n < 2 ? 0 : static_cast<int>(std::bit_width(n - 1));
  left_bits_ = bits / 2;
  right_bits_ = bits - left_bits_;
  rounds_ = RoundsFor(bits);
  swaps_ = version == ShuffleVersion::kBothParities && n > 1 &&
           (RoundWord(0, kNoRound) & 1) != 0;
}

std::uint64_t Permutation::operator()(std::uint64_t position) const {
  SHARDINE_CHECK(position < n_);
  // Ends: the network permutes a range that contains [0, n).
  do {
    position = words_.empty() ? Scramble(position) : LookUp(position);
  } while (position >= n_);
  return swaps_ && position < 2 ? position ^ 1 : position;
}

std::uint64_t Permutation::Scramble(std::uint64_t value) const {
  auto left = static_cast<std::uint32_t>(value >> right_bits_);
  auto right = LowBits(static_cast<std::uint32_t>(value), right_bits_);
  for (std::uint32_t round = 0; round < rounds_; round += 2) {
    left ^= LowBits(RoundWord(right, round), left_bits_);
    right ^= LowBits(RoundWord(left, round + 1), right_bits_);
  }
  return (std::uint64_t{left} << right_bits_) | right;
}

void Permutation::Tabulate() {
  if (rounds_ != kManyRounds) return;
  const std::uint32_t lefts = std::uint32_t{1} << left_bits_;
  const std::uint32_t rights = std::uint32_t{1} << right_bits_;
  words_.clear();
  for (std::uint32_t round = 0; round < rounds_; ++round) {
    const bool reads_right = round % 2 == 0;
    for (std::uint32_t half = 0; half < (reads_right ? rights : lefts);
         ++half) {
      words_.push_back(static_cast<std::uint8_t>(LowBits(
          RoundWord(half, round), reads_right ? left_bits_ : right_bits_)));
    }
  }
}

std::uint64_t Permutation::LookUp(std::uint64_t value) const {
  const std::uint64_t rights = std::uint64_t{1} << right_bits_;
  const std::uint64_t lefts = std::uint64_t{1} << left_bits_;
  std::uint64_t left = value >> right_bits_;
  std::uint64_t right = value & (rights - 1);
  const std::uint8_t* words = words_.data();
  for (std::uint32_t round = 0; round < rounds_; round += 2) {
    left ^= words[right];
    right ^= words[rights + left];
    words += rights + lefts;
  }
  return left << right_bits_ | right;
}

std::uint32_t Permutation::RoundWord(std::uint32_t half,
                                     std::uint32_t round) const {
  const auto low = [](std::uint64_t word) {
    return static_cast<std::uint32_t>(word);
  };
  return Philox4x32({half, round, low(n_), low(n_ >> 32)},
                    {low(key_), low(key_ >> 32)})[0];
}

}  // namespace shardine
