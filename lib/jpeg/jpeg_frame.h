// JpegFrame: the parts of a JPEG's header (ITU-T T.81, annex B) that a decoder
// needs, for the JPEGs that this folder decodes: baseline or extended
// sequential, Huffman, 8 bits, one scan with all components, gray or YCbCr in
// 4:4:4, 4:2:2, 4:2:0 or 4:4:0.
#ifndef SHARDINE_JPEG_JPEG_FRAME_H_
#define SHARDINE_JPEG_JPEG_FRAME_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace shardine {

inline constexpr std::uint32_t kBlockSide = 8;
inline constexpr std::uint32_t kBlockSize = 64;
inline constexpr std::uint32_t kMaxComponents = 3;
inline constexpr std::uint32_t kMaxBlocksPerMcu = 6;

// kNaturalOrder[k]: row * 8 + column of the k-th coefficient in zigzag order.
inline constexpr std::array<std::uint8_t, kBlockSize> kNaturalOrder = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// A table as the file has it. Unused symbols are zero, so that equal tables
// compare equal.
struct HuffmanSpec {
  std::array<std::uint8_t, 17>
      counts{};  // of the codes of 1..16 bits; [0] is 0
  std::array<std::uint8_t, 256> symbols{};

  friend bool operator==(const HuffmanSpec&, const HuffmanSpec&) = default;
};

struct FrameComponent {
  std::uint8_t h = 1;  // blocks of an MCU, across and down
  std::uint8_t v = 1;
  std::uint8_t quant_table = 0;  // 0..3
  std::uint8_t dc_table = 0;     // 0..3
  std::uint8_t ac_table = 0;
  std::uint32_t width = 0;   // samples that belong to the image, without
  std::uint32_t height = 0;  // the padding of the last blocks
};

// Where a block of an MCU lies.
struct McuBlock {
  std::uint8_t component = 0;
  std::uint8_t x = 0;  // of its component's blocks in the MCU
  std::uint8_t y = 0;
};

struct JpegFrame {
  std::uint32_t width = 0;  // pixels, 1..65535
  std::uint32_t height = 0;
  std::uint32_t components = 0;  // 1 or 3
  std::array<FrameComponent, kMaxComponents> component;
  std::uint32_t max_h = 1;  // 1 or 2; luma has them, chroma has 1 x 1
  std::uint32_t max_v = 1;
  std::uint32_t mcus_across = 0;
  std::uint32_t mcus_down = 0;
  std::uint32_t blocks_per_mcu = 0;                    // 1, 3, 4 or 6
  std::array<McuBlock, kMaxBlocksPerMcu> mcu_block{};  // in order of the scan
  std::uint32_t restart_interval = 0;                  // MCUs; 0: none
  // Steps in zigzag order, those that are used.
  std::array<std::array<std::uint16_t, kBlockSize>, 4> quant{};
  std::array<HuffmanSpec, 4> dc;  // valid, those that are used
  std::array<HuffmanSpec, 4> ac;
  std::size_t scan = 0;  // byte of the file where the entropy-coded data begin

  std::uint32_t mcu_width() const { return max_h * kBlockSide; }  // pixels
  std::uint32_t mcu_height() const { return max_v * kBlockSide; }
};

// False for every other JPEG, and for any whose header libjpeg-turbo would
// refuse, warn of or take in another way than is written here: a frame that was
// read is beyond doubt. Extended: SOF1 with 8 bits.
bool ReadJpegFrame(ByteView jpeg, JpegFrame& frame);

}  // namespace shardine

#endif  // SHARDINE_JPEG_JPEG_FRAME_H_
