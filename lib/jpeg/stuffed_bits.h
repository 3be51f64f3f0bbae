// The bits of entropy-coded data as they stand in the file, zeros stuffed after
// each FF included: read in place, for code that reads all of them once.
#ifndef SHARDINE_JPEG_STUFFED_BITS_H_
#define SHARDINE_JPEG_STUFFED_BITS_H_

#include <cstdint>

namespace shardine {

// The least that a refill leaves in a window, in bits.
inline constexpr std::uint32_t kWindowBits = 56;

// The next bits. A plain value, so that it can stay in registers.
struct BitWindow {
  const std::uint8_t* next = nullptr;  // the first byte that is not all in it
  // From the highest on. After `count` of them there may be more of the byte
  // at `next`.
  std::uint64_t bits = 0;
  std::uint32_t count = 0;
  // Zeros that stand in for missing bits after the end of the data: of the
  // `count`, the last. More than `count`: some were taken for data.
  std::uint32_t made_up = 0;

  // Whether only bits were taken that exist.
  bool valid() const { return made_up <= count; }
  // For good: no block has as many bits.
  void Invalidate() { made_up = 1u << 30; }
};

// Fills up to kWindowBits at least, one byte after the other; from the first
// marker, or `end`, on with zeros. For where the bytes at `next` are no plain
// data. REQUIRES: the count is below 64.
BitWindow RefillBytewise(BitWindow window, const std::uint8_t* end);

// Where the first bit not taken yet stands: `bit` bits (0..7) after the
// highest of `*byte`; at a marker if there is none left. The byte is never a
// stuffed zero. REQUIRES: the window is valid, and was begun at or after
// `begin`.
struct BitPlace {
  const std::uint8_t* byte = nullptr;
  std::uint32_t bit = 0;
};
BitPlace PlaceOf(const BitWindow& window, const std::uint8_t* begin);

}  // namespace shardine

#endif  // SHARDINE_JPEG_STUFFED_BITS_H_
