// Reads a PNG strictly, chunk by chunk, and hands on its inflated pixel data.
#ifndef SHARDINE_IMAGE_PNG_STREAM_H_
#define SHARDINE_IMAGE_PNG_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/inflate.h"
#include "image/decode_limits.h"
#include "image/png_header.h"
#include "shardine/status.h"

namespace shardine {

// Takes the pixel data of one PNG: rows with their filter types, of all passes.
class PngPixelSink {
 public:
  virtual ~PngPixelSink() = default;

  // Once, before any pixel data. `palette`: RGB triples, empty if there is no
  // PLTE. A failure ends the reading.
  virtual Status Begin(const PngHeader& header, ByteView palette) = 0;
  // Memory for the next bytes; must not be empty while some are to come.
  virtual std::span<std::byte> Room() = 0;
  // The first `count` bytes of the room are written, never more than the image
  // has. False: a row there starts with a filter type that does not exist.
  virtual bool Take(std::size_t count) = 0;
  // Nothing more is wanted: the reading ends there, and later bytes stay
  // unread.
  virtual bool IsDone() const { return false; }
  // Asked once, after Begin.
  virtual Inflater::Kind inflater() const { return Inflater::Kind::kZlib; }
};

// Checks the CRC-32 of all chunks up to IEND, or the end of the file after a
// whole chunk, and that the pixel data inflate to the size that IHDR states.
// Flaws that Pillow and libpng pass by are no damage: more pixel data or a lack
// of its Adler-32, a PLTE that no pixel needs, chunks of no known type.
// kCorrupt with the byte offset in `png` of the chunk at fault; kUnsupported
// for more pixels, or more bytes of them, than `limits` grant. Takes 40 KiB,
// whatever the sizes are.
Status ReadPng(ByteView png, const DecodeLimits& limits, PngPixelSink& sink);

}  // namespace shardine

#endif  // SHARDINE_IMAGE_PNG_STREAM_H_
