#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "image/exif.h"
#include "image/probe.h"

// A TIFF structure by itself, and as the probe meets it in a JPEG.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace shardine;
  size = std::min<std::size_t>(size, 0xFFFF - 8);
  const ByteView tiff = std::as_bytes(std::span(data, size));
  const std::uint8_t orientation = ExifOrientation(tiff);
  if (orientation > 8) std::abort();
  const std::size_t length = size + 8;
  const std::uint8_t head[] = {0xFF,
                               0xD8,
                               0xFF,
                               0xE1,
                               static_cast<std::uint8_t>(length >> 8),
                               static_cast<std::uint8_t>(length & 0xFF),
                               'E',
                               'x',
                               'i',
                               'f',
                               0,
                               0};
  ByteBuffer jpeg;
  jpeg.Append(std::as_bytes(std::span(head)));
  jpeg.Append(tiff);
  if (ProbeImage(jpeg.view()).facts.orientation != orientation) std::abort();
  return 0;
}
