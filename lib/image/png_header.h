// The chunks of a PNG and the facts in its IHDR (ISO/IEC 15948).
#ifndef SHARDINE_IMAGE_PNG_HEADER_H_
#define SHARDINE_IMAGE_PNG_HEADER_H_

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "image/probe.h"

namespace shardine {

struct PngChunk {
  std::uint64_t offset = 0;  // of its length field
  std::string_view type;
  ByteView data;
  ByteView covered;  // type and data: the bytes of the CRC
  std::uint32_t crc = 0;
};

// Reads the chunks one after another; CRCs are not checked.
// Thread-compatible. Chunks are views into `png`, which must outlive them.
class PngChunkReader {
 public:
  // REQUIRES: `png` starts with the eight bytes of the signature.
  explicit PngChunkReader(ByteView png) : png_(png) {}

  // False if there is none, with the problem, detail and offset in `problem`;
  // `chunk.offset` is then where the chunk begins or would have to.
  bool Next(PngChunk& chunk, ProbeResult& problem);

  std::size_t position() const { return position_; }
  // The file ends after a whole chunk.
  bool done() const { return position_ == png_.size(); }

 private:
  ByteView png_;
  std::size_t position_ = 8;
};

enum class PngColor : std::uint8_t {
  kGray = 0,
  kRgb = 2,
  kPalette = 3,
  kGrayAlpha = 4,
  kRgba = 6,
};

struct PngHeader {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint8_t bits = 0;  // per component, or per palette index
  PngColor color = PngColor::kGray;
  bool interlaced = false;

  std::uint8_t components() const;  // a palette index counts as one
};

// False if it is not a possible IHDR, with the reason in `problem`; the sizes
// it states are in `header` all the same.
bool ParsePngHeader(const PngChunk& chunk, PngHeader& header,
                    ProbeResult& problem);

// REQUIRES: `bytes` start with the signature.
ProbeResult ProbePng(ByteView bytes);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_HEADER_H_
