// Exp-Golomb codes of a given order k, highest bits first: m zeros, then the
// number + 2^k in m + k + 1 bits. Small for small numbers, found without
// tables.
#ifndef SHARDINE_JPEG_EXP_GOLOMB_H_
#define SHARDINE_JPEG_EXP_GOLOMB_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace shardine {

inline constexpr std::uint32_t kMaxGolombOrder = 15;
// Numbers below this have codes that a reader takes, whatever the order.
inline constexpr std::uint64_t kGolombLimit = std::uint64_t{1} << 28;

// Signed values as numbers: 0, -1, 1, -2, 2 ...
inline std::uint64_t FoldSign(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^
         static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t UnfoldSign(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1 ^ (0 - (number & 1)));
}

inline std::uint32_t GolombBits(std::uint64_t number, std::uint32_t order) {
  return 2 * static_cast<std::uint32_t>(
                 std::bit_width(number + (std::uint64_t{1} << order))) -
         1 - order;
}

// Appends to `out`. Thread-compatible.
class GolombWriter {
 public:
  explicit GolombWriter(std::string& out) : out_(out) {}

  // REQUIRES: number < kGolombLimit, order <= kMaxGolombOrder.
  void Put(std::uint64_t number, std::uint32_t order);
  // Fills up the last byte with zeros.
  void Finish();

 private:
  std::string& out_;
  std::uint64_t bits_ = 0;
  std::uint32_t count_ = 0;  // of them that are not written yet, below 8
};

// Thread-compatible. `bytes` must stay.
class GolombReader {
 public:
  explicit GolombReader(ByteView bytes) : bytes_(bytes) {}

  // False at a code of more than 57 bits. After the end there are zeros, and
  // Overran() tells. REQUIRES: order <= kMaxGolombOrder.
  bool Take(std::uint32_t order, std::uint64_t& number) {
    std::uint32_t length = LengthHere(order);
    if (length > valid_) {
      Load();
      length = LengthHere(order);
      if (length > valid_) return false;
    }
    number = (window_ >> (64 - length)) - (std::uint64_t{1} << order);
    window_ <<= length;
    valid_ -= length;
    position_ += length;
    return true;
  }
  // Looks 57 bits ahead. Never needed; before a few codes that are likely to
  // fit it saves a branch that cannot be predicted.
  void Load() {
    const std::size_t byte = position_ / 8;
    window_ = byte + sizeof(window_) <= bytes_.size()
                  ? LoadLe<std::uint64_t>(bytes_.data() + byte)
                  : LoadTail(byte);
    window_ = __builtin_bswap64(window_) << (position_ % 8);
    valid_ = 57;
  }

  bool Overran() const { return position_ > bytes_.size() * 8; }
  // Whether zeros, less than a byte of them, are all that is left.
  bool AtEnd();

 private:
  std::uint32_t LengthHere(std::uint32_t order) const {
    return 2 * static_cast<std::uint32_t>(std::countl_zero(window_)) + 1 +
           order;
  }
  std::uint64_t LoadTail(std::size_t byte) const;

  ByteView bytes_;
  std::size_t position_ = 0;  // bits
  std::uint64_t window_ = 0;  // those at `position_`, highest first
  std::uint32_t valid_ = 0;   // how many of them are read
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_EXP_GOLOMB_H_
