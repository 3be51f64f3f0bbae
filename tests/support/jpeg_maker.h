// Makes small JPEGs of any process that libjpeg can write, and takes them
// apart: inputs for tests, so that none needs a checked-in picture.
#ifndef SHARDINE_TESTS_SUPPORT_JPEG_MAKER_H_
#define SHARDINE_TESTS_SUPPORT_JPEG_MAKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardine {

enum class JpegColor : std::uint8_t { kGray, kYcc, kRgb, kCmyk, kYcck };

struct JpegSpec {
  std::uint32_t width = 33;
  std::uint32_t height = 21;
  JpegColor color = JpegColor::kYcc;
  int quality = 85;
  int across = 2;  // luma sampling factors: 2, 2 is 4:2:0
  int down = 2;
  bool progressive = false;
  bool arithmetic = false;
  unsigned restart_rows = 0;  // MCU rows between restart markers; 0 = none
  unsigned restart_mcus = 0;  // MCUs between restart markers, without such rows
  bool optimize = false;      // Huffman tables of its own
  std::uint32_t seed = 1;     // of the picture
  std::uint32_t noise = 24;   // 0..255 on top of a smooth gradient
};

// The same spec gives the same bytes (of one libjpeg-turbo version).
std::string MakeJpeg(const JpegSpec& spec = {});

// A progressive JPEG whose last scan is repeated until there are `scans`.
std::string MakeManyScans(std::size_t scans);

// "FF <marker>", length, payload. REQUIRES: at most 65533 bytes.
std::string JpegSegment(std::uint8_t marker, std::string_view payload);

// A TIFF structure that holds just an orientation, and an APP1 with it.
std::string TiffWithOrientation(int orientation, bool big_endian);
std::string ExifSegment(int orientation, bool big_endian);

// `segment` put right behind SOI.
std::string InsertAfterSoi(std::string_view jpeg, std::string_view segment);

// Where each marker up to and including the first SOS starts. REQUIRES: a
// whole JPEG without fill bytes.
struct JpegMarkerPlace {
  std::uint8_t marker = 0;
  std::size_t offset = 0;  // of its FF
  std::size_t size = 0;    // with the FF, the marker and the segment
};
std::vector<JpegMarkerPlace> JpegMarkers(std::string_view jpeg);

// The first marker of that kind. REQUIRES: there is one.
JpegMarkerPlace FindJpegMarker(std::string_view jpeg, std::uint8_t marker);
// The frame header, whatever its kind.
JpegMarkerPlace FindJpegFrame(std::string_view jpeg);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_JPEG_MAKER_H_
