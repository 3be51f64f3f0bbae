#include "image/png_stream.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/inflate.h"
#include "base/status_macros.h"
#include "image/png_rows.h"

namespace shardine {
namespace {

Status Damage(std::string message, const PngChunk& chunk) {
  return Status(Code::kCorrupt, std::move(message))
      .At({.offset = chunk.offset});
}

std::string SizeText(const PngHeader& header) {
  return std::to_string(header.width) + " x " + std::to_string(header.height);
}

Status TooLarge(const PngHeader& header) {
  return Status(Code::kUnsupported, SizeText(header) +
                                        " pixels are more than an image of so "
                                        "few bytes may have");
}

// A capital first letter says that the image cannot be shown without knowing
// the chunk (ISO/IEC 15948, 5.4).
bool IsCritical(std::string_view type) { return type[0] <= 'Z'; }

class PngStream {
 public:
  PngStream(const PngHeader& header, const DecodeLimits& limits,
            PngPixelSink& sink)
      : header_(header),
        remaining_(PngPixelBytes(header)),
        granted_(limits.png_bytes),
        granted_per_byte_(limits.png_bytes_per_byte),
        sink_(sink) {}

  // Called with each chunk after IHDR in order.
  Status Take(const PngChunk& chunk);

 private:
  Status TakePalette(const PngChunk& chunk);
  Status TakePixels(const PngChunk& chunk);
  // Whether so many bytes may be inflated of those read so far.
  bool Grants(std::size_t consumed, std::size_t produced);
  Status TakeEnd(const PngChunk& chunk);

  PngHeader header_;
  std::uint64_t remaining_;  // bytes of pixel data still to come
  std::uint64_t granted_;    // and those that may
  std::uint64_t granted_per_byte_;
  PngPixelSink& sink_;
  Inflater inflater_;
  ByteView palette_;
  bool have_pixels_ = false;
  bool pixels_over_ = false;  // a chunk followed the last IDAT
  bool inflated_ = false;
};

// The CRC comes first: what inflates from damaged bytes would be found out only
// after rows of it were handed on.
Status PngStream::Take(const PngChunk& chunk) {
  if (Crc32(chunk.covered) != chunk.crc) {
    return Damage(std::string(chunk.type) + " fails its CRC-32", chunk);
  }
  if (chunk.type == "IDAT") return TakePixels(chunk);
  pixels_over_ = have_pixels_;
  if (chunk.type == "PLTE") return TakePalette(chunk);
  if (chunk.type == "IEND") return TakeEnd(chunk);
  if (IsCritical(chunk.type)) {
    return Damage(std::string(chunk.type) + " must not be here", chunk);
  }
  return {};
}

Status PngStream::TakePalette(const PngChunk& chunk) {
  const std::size_t size = chunk.data.size();
  const bool allowed =
      header_.color != PngColor::kGray && header_.color != PngColor::kGrayAlpha;
  if (!allowed || !palette_.empty() || have_pixels_) {
    return Damage("PLTE must not be here", chunk);
  }
  if (size == 0 || size % 3 != 0 || size > 3 * 256) {
    return Damage("PLTE of " + std::to_string(size) + " bytes", chunk);
  }
  palette_ = chunk.data;
  return {};
}

Status PngStream::TakePixels(const PngChunk& chunk) {
  if (pixels_over_) return Damage("the IDAT chunks are not together", chunk);
  if (header_.color == PngColor::kPalette && palette_.empty()) {
    return Damage("no PLTE before the pixel data", chunk);
  }
  if (!have_pixels_) {
    have_pixels_ = true;
    SHARDINE_RETURN_IF_ERROR(sink_.Begin(header_, palette_));
  }
  ByteView input = chunk.data;
  while (!inflated_) {
    // With all pixels here, the stream still has its Adler-32 to come, which
    // takes a call with room. One byte that comes into this room is one too
    // many.
    std::byte beyond[1];
    std::span<std::byte> room = remaining_ == 0 ? beyond : sink_.Room();
    auto step = inflater_.Inflate(input, room);
    if (!step.ok()) {
      return std::move(step).status().At({.offset = chunk.offset});
    }
    if (!Grants(step->consumed, step->produced)) return TooLarge(header_);
    if (step->produced > remaining_) {
      return Damage("more pixel data than the image has", chunk);
    }
    if (step->produced > 0 && !sink_.Take(step->produced)) {
      return Damage("a row has no known filter type", chunk);
    }
    remaining_ -= step->produced;
    inflated_ = step->done;
    input = input.subspan(step->consumed);
    // Room is left and no input: the rest stands in the next IDAT. With the
    // room full, zlib may hold more of the same input.
    if (input.empty() && step->produced < room.size()) break;
  }
  if (!input.empty()) {
    return Damage("bytes follow the compressed pixel data", chunk);
  }
  return {};
}

// Only compressed pixels earn inflated ones. The whole file, by which
// CheckLimits goes, may be long for chunks that have nothing to do with them.
bool PngStream::Grants(std::size_t consumed, std::size_t produced) {
  granted_ += granted_per_byte_ * consumed;
  if (produced > granted_) return false;
  granted_ -= produced;
  return true;
}

Status PngStream::TakeEnd(const PngChunk& chunk) {
  if (!chunk.data.empty()) return Damage("IEND is not empty", chunk);
  if (!inflated_ || remaining_ > 0) {
    return Damage("the pixel data end early", chunk);
  }
  return {};
}

Status CheckLimits(const PngHeader& header, std::size_t bytes,
                   const DecodeLimits& limits) {
  if (std::uint64_t{header.width} * header.height > limits.max_pixels) {
    return Status(Code::kUnsupported,
                  SizeText(header) + " pixels are more than the limit of " +
                      std::to_string(limits.max_pixels));
  }
  // Here a small file with huge sides ends, before any memory is taken for
  // rows.
  if (PngPixelBytes(header) >
      limits.png_bytes + limits.png_bytes_per_byte * bytes) {
    return TooLarge(header);
  }
  return {};
}

}  // namespace

Status ReadPng(ByteView png, const DecodeLimits& limits, PngPixelSink& sink) {
  PngChunkReader reader(png);
  PngChunk chunk;
  PngHeader header;
  ProbeResult problem;
  if (!reader.Next(chunk, problem) || !ParsePngHeader(chunk, header, problem)) {
    return Damage(problem.detail, chunk);
  }
  if (Crc32(chunk.covered) != chunk.crc) {
    return Damage("IHDR fails its CRC-32", chunk);
  }
  SHARDINE_RETURN_IF_ERROR(CheckLimits(header, png.size(), limits));
  PngStream stream(header, limits, sink);
  while (chunk.type != "IEND") {
    if (!reader.Next(chunk, problem)) return Damage(problem.detail, chunk);
    SHARDINE_RETURN_IF_ERROR(stream.Take(chunk));
  }
  return {};
}

}  // namespace shardine
