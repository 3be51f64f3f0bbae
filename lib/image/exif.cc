#include "image/exif.h"

#include <cstddef>
#include <cstring>
#include <string_view>

namespace shardine {
namespace {

// 0x0112 in both byte orders; its bytes are compared as they lie, since there
// may be thousands of entries.
constexpr std::string_view kOrientationTag = "\x01\x12";
constexpr std::string_view kOrientationTagLe = "\x12\x01";
constexpr std::size_t kEntrySize = 12;

// Integers of either byte order. REQUIRES: the bytes are there.
class TiffReader {
 public:
  TiffReader(ByteView bytes, bool big_endian)
      : bytes_(bytes), big_endian_(big_endian) {}

  std::uint32_t Read(std::size_t offset, std::size_t size) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = big_endian_ ? offset + i : offset + size - 1 - i;
      value = value << 8 | std::to_integer<std::uint32_t>(bytes_[at]);
    }
    return value;
  }

 private:
  ByteView bytes_;
  bool big_endian_;
};

// Bytes of a BYTE, SHORT or LONG; 0 for types that hold no orientation.
std::size_t SizeOfType(std::uint32_t type) {
  switch (type) {
    case 1:
      return 1;
    case 3:
      return 2;
    case 4:
      return 4;
    default:
      return 0;
  }
}

}  // namespace

std::uint8_t ExifOrientation(ByteView tiff) {
  if (tiff.size() < 8) return 0;
  const bool big_endian = std::memcmp(tiff.data(), "MM", 2) == 0;
  if (!big_endian && std::memcmp(tiff.data(), "II", 2) != 0) return 0;
  const TiffReader reader(tiff, big_endian);
  if (reader.Read(2, 2) != 42) return 0;
  const std::size_t directory = reader.Read(4, 4);
  if (directory > tiff.size() - 2) return 0;
  const std::size_t room = (tiff.size() - directory - 2) / kEntrySize;
  const std::size_t count = reader.Read(directory, 2);
  const std::string_view tag = big_endian ? kOrientationTag : kOrientationTagLe;
  for (std::size_t i = 0; i < count && i < room; ++i) {
    const std::size_t entry = directory + 2 + i * kEntrySize;
    if (std::memcmp(tiff.data() + entry, tag.data(), 2) != 0) continue;
    const std::size_t size = SizeOfType(reader.Read(entry + 2, 2));
    if (size == 0 || reader.Read(entry + 4, 4) != 1) return 0;
    const std::uint32_t value = reader.Read(entry + 8, size);
    return value <= 8 ? static_cast<std::uint8_t>(value) : std::uint8_t{0};
  }
  return 0;
}

std::string ExifOf(std::uint8_t orientation) {
  constexpr std::uint16_t kTag = 0x0112;
  constexpr std::uint16_t kShort = 3;
  std::string tiff = "II*";
  AppendLe(std::uint8_t{0}, tiff);
  AppendLe(std::uint32_t{8}, tiff);  // where the directory begins
  AppendLe(std::uint16_t{1}, tiff);  // entries
  AppendLe(kTag, tiff);
  AppendLe(kShort, tiff);
  AppendLe(std::uint32_t{1}, tiff);  // values
  AppendLe(std::uint32_t{orientation}, tiff);
  AppendLe(std::uint32_t{0}, tiff);  // no other directory
  return tiff;
}

}  // namespace shardine
