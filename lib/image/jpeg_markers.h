// Markers of a JPEG file: the second bytes, after 0xFF. From ITU-T T.81, table
// B.1.
#ifndef SHARDINE_IMAGE_JPEG_MARKERS_H_
#define SHARDINE_IMAGE_JPEG_MARKERS_H_

#include <cstdint>

namespace shardine {

inline constexpr std::uint8_t kTem = 0x01;
inline constexpr std::uint8_t kSof0 = 0xC0;
inline constexpr std::uint8_t kSof2 = 0xC2;
inline constexpr std::uint8_t kDht = 0xC4;
inline constexpr std::uint8_t kJpg = 0xC8;
inline constexpr std::uint8_t kSof10 = 0xCA;
inline constexpr std::uint8_t kDac = 0xCC;
inline constexpr std::uint8_t kSof15 = 0xCF;
inline constexpr std::uint8_t kRst0 = 0xD0;
inline constexpr std::uint8_t kRst7 = 0xD7;
inline constexpr std::uint8_t kSoi = 0xD8;
inline constexpr std::uint8_t kEoi = 0xD9;
inline constexpr std::uint8_t kSos = 0xDA;
inline constexpr std::uint8_t kDri = 0xDD;
inline constexpr std::uint8_t kDhp = 0xDE;
inline constexpr std::uint8_t kExp = 0xDF;
inline constexpr std::uint8_t kApp1 = 0xE1;
inline constexpr std::uint8_t kApp2 = 0xE2;
inline constexpr std::uint8_t kApp14 = 0xEE;
inline constexpr std::uint8_t kJpg0 = 0xF0;
inline constexpr std::uint8_t kJpg13 = 0xFD;

// Whether a frame begins: with SOF0 to SOF15, among which DHT, JPG and DAC are
// something else.
constexpr bool IsFrame(std::uint8_t marker) {
  return marker >= kSof0 && marker <= kSof15 && marker != kDht &&
         marker != kJpg && marker != kDac;
}

}  // namespace shardine

#endif  // SHARDINE_IMAGE_JPEG_MARKERS_H_
