// A 128-bit digest (XXH3-128, seed 0) and the sum that makes sets of samples
// comparable whatever their order, format or number of shards.
#ifndef SHARDINE_DIGEST_H_
#define SHARDINE_DIGEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardine {

// The number high * 2^64 + low.
struct Digest128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Digest128&, const Digest128&) = default;

  // Addition and subtraction modulo 2^128. By value: `sum += sum` must work.
  Digest128& operator+=(Digest128 other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
    return *this;
  }
  Digest128& operator-=(Digest128 other) {
    high -= other.high + (low < other.low ? 1 : 0);
    low -= other.low;
    return *this;
  }

  // 32 lower-case hex digits, high half first.
  std::string ToHex() const;
  // nullopt unless exactly 32 lower-case hex digits.
  static std::optional<Digest128> FromHex(std::string_view hex);
};

}  // namespace shardine

#endif  // SHARDINE_DIGEST_H_
