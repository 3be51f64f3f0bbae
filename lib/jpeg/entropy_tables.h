// Decoding tables of a scan's Huffman codes: the meaning of the next kProbeBits
// bits, up to two values and the end of the block at once.
#ifndef SHARDINE_JPEG_ENTROPY_TABLES_H_
#define SHARDINE_JPEG_ENTROPY_TABLES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "jpeg/jpeg_frame.h"

namespace shardine {

inline constexpr std::uint32_t kProbeBits = 11;
inline constexpr std::uint32_t kProbes = 1u << kProbeBits;

// No probe is longer, but for those that go the slow way: three fit into 57
// bits, the least that a load of 64 leaves.
inline constexpr std::uint32_t kMaxProbeLength = 19;

// The steps at position k of a block (0: DC), the next 64 bits being `bits`:
//
//   if k + reach > 63, go the slow way (DecodeSymbol); else
//   if gap > 0, coefficient[k + first + gap] = second_value
//   coefficient[k + first] = FirstValue(probe, bits)
//   k += min(step, 64 - k)
//   drop `length` bits
//
// A run of zeros (ZRL) and an end of block write a zero at a place not yet
// written. One store of 64 bits can write both values: gap <= 3. For that,
// value and second_value as one number of 32 bits, plus FirstValue's addend,
// without carry between the halves, are the values; the second is zero if there
// is none.
//
// In this order, since of a number of 64 bits the lowest byte and the highest
// are the cheapest to compare.
struct HuffmanProbe {
  std::uint8_t step = 0;    // 64: the block ends
  std::uint8_t length = 0;  // bits of all symbols and values together
  std::int16_t value = 0;
  std::int16_t second_value = 0;
  std::uint8_t first_gap = 0;  // `first` in the low 4 bits, `gap` above
  std::uint8_t reach = 255;    // of the last symbol; 255: always slow

  std::uint32_t first() const { return first_gap & 15u; }
  std::uint32_t gap() const { return first_gap >> 4; }
};
static_assert(sizeof(HuffmanProbe) == 8);

// From `value`, the bits that a probe knows are already subtracted, so that all
// of them can be added, whichever are part of the number.
inline std::int16_t FirstValue(const HuffmanProbe& probe, std::uint64_t bits) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(probe.value) +
                                   (bits >> ((64u - probe.length) % 64)));
}

// One symbol and its value, decoded the way libjpeg does.
struct DecodedSymbol {
  std::uint32_t length = 0;    // bits
  std::uint32_t position = 0;  // where to store `value`: k + run, at most 63
  std::int32_t value = 0;      // 0: nothing to store
  std::uint32_t next = 0;      // the next position; 64: the block has ended
  bool valid = true;           // false: no such code; the block has ended
};

// The tables of one pair of DC and AC codes.
struct alignas(64) ProbeTables {
  std::array<HuffmanProbe, kProbes> dc;
  std::array<HuffmanProbe, kProbes> ac;
};

// Thread-compatible. Kept from image to image: only changed tables are built.
class EntropyTables {
 public:
  EntropyTables();

  // REQUIRES: `frame` is one that ReadJpegFrame read.
  void Build(const JpegFrame& frame);

  // Pairs of codes in use, up to three, and which one a component has.
  std::uint32_t slot(std::uint32_t component) const { return slot_[component]; }
  const ProbeTables& probes(std::uint32_t slot) const { return probes_[slot]; }
  const ProbeTables* probes() const { return probes_.data(); }

  // `bits`: at least 31 valid ones at the top. `position`: 0..63, 0 is DC.
  // Values that would lie after the 63rd place are stored there, as by
  // libjpeg: of a run that is too long the block's last coefficient.
  DecodedSymbol DecodeSymbol(std::uint32_t slot, std::uint64_t bits,
                             std::uint32_t position) const;

 private:
  // Canonical codes (T.81, F.2.2.3). A code of n bits is known by the 16 bits
  // that begin with it: they are below limit[n - 1], and not below the limits
  // of fewer bits. Its symbol is number code + offset[n - 1].
  struct Codes {
    HuffmanSpec spec;
    std::array<std::uint32_t, 16> limit{};
    std::array<std::int32_t, 16> offset{};
  };
  struct Slot {
    Codes dc;
    Codes ac;
    bool built = false;
  };

  static Codes MakeCodes(const HuffmanSpec& spec);
  void BuildSlot(std::uint32_t slot, const HuffmanSpec& dc,
                 const HuffmanSpec& ac);

  std::array<std::uint32_t, kMaxComponents> slot_{};
  std::array<Slot, kMaxComponents> slots_;
  std::vector<ProbeTables> probes_;  // as slots_
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_ENTROPY_TABLES_H_
