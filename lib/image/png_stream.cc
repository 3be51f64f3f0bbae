#include "image/png_stream.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

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

bool IsWrongChecksum(const Status& status) {
  return status.message() == "zlib: incorrect data check";
}

class PngStream {
 public:
  PngStream(const PngHeader& header, ByteView header_chunk,
            const DecodeLimits& limits, PngPixelSink& sink)
      : header_(header),
        header_chunk_(header_chunk),
        remaining_(PngPixelBytes(header)),
        granted_(limits.png_bytes),
        granted_per_byte_(limits.png_bytes_per_byte),
        sink_(sink) {}

  // Called with each chunk after IHDR in order.
  Status Take(const PngChunk& chunk);
  // At IEND, or at the end of a file without it.
  Status Finish(const PngChunk& last) const;
  bool is_done() const { return have_pixels_ && sink_.IsDone(); }

 private:
  Status TakePalette(const PngChunk& chunk);
  Status TakePixels(const PngChunk& chunk);
  // Whether so many bytes may be inflated of those read so far.
  bool Grants(std::size_t consumed, std::size_t produced);

  PngHeader header_;
  ByteView header_chunk_;
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

// The CRC comes first: otherwise damage would be found only after rows inflated
// from damaged bytes were handed on.
Status PngStream::Take(const PngChunk& chunk) {
  if (Crc32(chunk.covered) != chunk.crc) {
    return Damage(std::string(chunk.type) + " fails its CRC-32", chunk);
  }
  if (chunk.type == "IDAT") return TakePixels(chunk);
  pixels_over_ = have_pixels_;
  if (chunk.type == "PLTE") return TakePalette(chunk);
  // The same header again says nothing new.
  if (chunk.type == "IHDR" &&
      !std::ranges::equal(chunk.covered, header_chunk_)) {
    return Damage("IHDR must not be here", chunk);
  }
  return {};
}

Status PngStream::TakePalette(const PngChunk& chunk) {
  const std::size_t size = chunk.data.size();
  // Other images need none, and the last before the pixel data holds.
  if (header_.color != PngColor::kPalette || have_pixels_) return {};
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
    if (sink_.inflater() != Inflater::Kind::kZlib) {
      inflater_ = Inflater(sink_.inflater());
    }
  }
  ByteView input = chunk.data;
  while (!inflated_) {
    // With all pixels here, the stream still has its Adler-32 to come, which
    // takes a call with room.
    std::byte beyond[1];
    std::span<std::byte> room = beyond;
    if (remaining_ > 0) {
      room = sink_.Room();
      room = room.first(static_cast<std::size_t>(
          std::min<std::uint64_t>(room.size(), remaining_)));
    }
    auto step = inflater_.Inflate(input, room);
    if (!step.ok()) {
      // After the last row only its checksum says anything about the rows.
      if (remaining_ > 0 || IsWrongChecksum(step.status())) {
        return std::move(step).status().At({.offset = chunk.offset});
      }
      inflated_ = true;
      break;
    }
    if (!Grants(step->consumed, step->produced)) return TooLarge(header_);
    // More than the image has is not needed.
    if (step->produced > remaining_) {
      inflated_ = true;
      break;
    }
    if (step->produced > 0 && !sink_.Take(step->produced)) {
      return Damage("a row has no known filter type", chunk);
    }
    remaining_ -= step->produced;
    inflated_ = step->done;
    if (sink_.IsDone()) break;
    input = input.subspan(step->consumed);
    // Room is left and no input: the rest stands in the next IDAT. With the
    // room full, zlib may hold more of the same input.
    if (input.empty() && step->produced < room.size()) break;
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

Status PngStream::Finish(const PngChunk& last) const {
  if (have_pixels_ && remaining_ == 0) return {};
  return Damage("the pixel data end early", last);
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
  PngStream stream(header, chunk.covered, limits, sink);
  while (chunk.type != "IEND") {
    if (reader.done()) break;
    if (!reader.Next(chunk, problem)) return Damage(problem.detail, chunk);
    SHARDINE_RETURN_IF_ERROR(stream.Take(chunk));
    if (stream.is_done()) return {};
  }
  return stream.Finish(chunk);
}

}  // namespace shardine
