// Decoding tables of a scan's Huffman codes: what the next kProbeBits bits
// mean, up to two values and the end of the block at once.
#ifndef SHARDINE_JPEG_ENTROPY_TABLES_H_
#define SHARDINE_JPEG_ENTROPY_TABLES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "jpeg/jpeg_frame.h"

namespace shardine {

inline constexpr std::uint32_t kProbeBits = 11;
inline constexpr std::uint32_t kProbes = 1u << kProbeBits;

// What to do at position k of a block (0: DC), the next 64 bits being `bits`:
//
//   if k + reach > 63, go the slow way (DecodeSymbol); else
//   coefficient[k + first] = value + the last `extra` of the `length` bits,
//     taken as an unsigned number
//   coefficient[k + second] = second_value       (second == first: only one)
//   k = ((k + second) | last) + 1
//   drop `length` bits
//
// If second == first the one value is the first: it must be stored last. A run
// of zeros (ZRL) and an end of block write a zero at a place not yet written.
// One store of 64 bits can write both values: second - first <= 3.
struct HuffmanProbe {
  std::uint8_t length = 0;       // bits of all symbols and values together
  std::uint8_t first_extra = 0;  // `first` in the low 4 bits, `extra` above
  std::uint8_t second = 0;
  std::uint8_t reach = 64;  // 64: always slow
  std::int16_t value = 0;
  std::int8_t second_value = 0;
  std::uint8_t last = 0;  // 63 if the block ends, else 0
};
static_assert(sizeof(HuffmanProbe) == 8);

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

// Thread-compatible. Kept from image to image: only what changed is built.
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
  // Values that would lie behind the 63rd place are stored there, as by
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
