// Tables to pass over the AC coefficients of a block: lengths and positions of
// as many symbols at once as the next kSkipBits bits hold.
#ifndef SHARDINE_JPEG_SKIP_TABLES_H_
#define SHARDINE_JPEG_SKIP_TABLES_H_

#include <array>
#include <cstdint>

#include "jpeg/jpeg_frame.h"

namespace shardine {

inline constexpr std::uint32_t kSkipBits = 12;
// Longest step, so that as many fit into a window after one refill.
inline constexpr std::uint32_t kMaxSkip = 18;
inline constexpr std::uint32_t kSkipsPerRefill = 3;

// A step at position k of a block, 1..63:
//   k + advance < 64: the block continues at that position;
//   else if k + advance == 64, or `ends` and k + advance < 128: it has ended;
//   else it must be gone one symbol at a time (DecodeSymbol).
struct SkipStep {
  std::uint8_t length = 0;     // bits to drop
  std::uint8_t advance = 128;  // with 64 more if the block ends
};

// Thread-compatible. Kept from image to image: only a changed table is built.
class SkipTable {
 public:
  // REQUIRES: of a frame that ReadJpegFrame read.
  void Build(const HuffmanSpec& ac);

  const SkipStep* steps() const { return steps_.data(); }

 private:
  HuffmanSpec spec_;
  std::array<SkipStep, 1u << kSkipBits> steps_{};
};

}  // namespace shardine

#endif  // SHARDINE_JPEG_SKIP_TABLES_H_
