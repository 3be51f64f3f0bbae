#include "image/png_header.h"

#include <algorithm>
#include <string>
#include <utility>

#include "image/exif.h"

namespace shardine {
namespace {

// No number of four bytes in a PNG is larger (ISO/IEC 15948, 7.1).
constexpr std::uint32_t kMaxLength = 0x7FFFFFFF;

std::uint32_t LoadBe32(ByteView from, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | std::to_integer<std::uint32_t>(from[at + i]);
  }
  return value;
}

bool Fail(ProbeResult& result, ImageProblem problem, std::string detail,
          std::uint64_t offset) {
  result.problem = problem;
  result.detail = std::move(detail);
  result.offset = offset;
  return false;
}

bool IsLetter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// The pairs of ISO/IEC 15948, table 11.1. A `color` without a name, which a
// file may well say, falls through the switch.
bool IsPossible(PngColor color, unsigned bits) {
  switch (color) {
    case PngColor::kGray:
      return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16;
    case PngColor::kPalette:
      return bits == 1 || bits == 2 || bits == 4 || bits == 8;
    case PngColor::kRgb:
    case PngColor::kGrayAlpha:
    case PngColor::kRgba:
      return bits == 8 || bits == 16;
  }
  return false;
}

}  // namespace

bool PngChunkReader::Next(PngChunk& chunk, ProbeResult& problem) {
  const ByteView rest = png_.subspan(position_);
  // Set before anything can fail: a report of the failure by its chunk must not
  // name the one before it.
  chunk.offset = position_;
  if (rest.size() < 8) {
    return Fail(problem, ImageProblem::kNoEndMarker, "no IEND chunk",
                png_.size());
  }
  const std::uint32_t length = LoadBe32(rest, 0);
  chunk.type = AsText(rest.subspan(4, 4));
  // The type tells whether there is a chunk at all. It is looked at before the
  // length, which means nothing where other bytes stand.
  if (!std::ranges::all_of(chunk.type, IsLetter)) {
    return Fail(problem, ImageProblem::kBadHeader, "no chunk where one must be",
                position_);
  }
  if (length > kMaxLength) {
    return Fail(problem, ImageProblem::kBadHeader,
                std::string(chunk.type) + " states an impossible length",
                position_);
  }
  // The CRC of four bytes belongs to the chunk: without it the file was cut
  // off.
  if (rest.size() - 8 < std::uint64_t{length} + 4) {
    return Fail(problem, ImageProblem::kNoEndMarker,
                "ends inside " + std::string(chunk.type), png_.size());
  }
  chunk.data = rest.subspan(8, length);
  chunk.covered = rest.subspan(4, std::size_t{length} + 4);
  chunk.crc = LoadBe32(rest, std::size_t{length} + 8);
  position_ += std::size_t{length} + 12;
  return true;
}

std::uint8_t PngHeader::components() const {
  switch (color) {
    case PngColor::kGray:
    case PngColor::kPalette:
      return 1;
    case PngColor::kGrayAlpha:
      return 2;
    case PngColor::kRgb:
      return 3;
    case PngColor::kRgba:
      return 4;
  }
  return 0;
}

bool ParsePngHeader(const PngChunk& chunk, PngHeader& header,
                    ProbeResult& problem) {
  const auto bad = [&](std::string detail) {
    return Fail(problem, ImageProblem::kBadHeader, std::move(detail),
                chunk.offset);
  };
  if (chunk.type != "IHDR") return bad("the first chunk is not IHDR");
  if (chunk.data.size() != 13) return bad("IHDR is not 13 bytes long");
  const auto byte = [&](std::size_t at) {
    return std::to_integer<std::uint8_t>(chunk.data[at]);
  };
  header.width = LoadBe32(chunk.data, 0);
  header.height = LoadBe32(chunk.data, 4);
  header.bits = byte(8);
  header.color = static_cast<PngColor>(byte(9));
  header.interlaced = byte(12) == 1;
  if (header.width == 0 || header.width > kMaxLength || header.height == 0 ||
      header.height > kMaxLength) {
    return bad("width " + std::to_string(header.width) + ", height " +
               std::to_string(header.height));
  }
  if (!IsPossible(header.color, header.bits)) {
    return bad("color type " + std::to_string(byte(9)) + " with " +
               std::to_string(header.bits) + " bits");
  }
  if (byte(10) != 0 || byte(11) != 0 || byte(12) > 1) {
    return bad("unknown compression, filter or interlace method");
  }
  return true;
}

ProbeResult ProbePng(ByteView bytes) {
  ProbeResult result;
  result.facts.kind = ImageKind::kPng;
  result.facts.coding = ImageCoding::kPng;
  PngChunkReader reader(bytes);
  PngChunk chunk;
  if (!reader.Next(chunk, result)) return result;
  PngHeader header;
  const bool possible = ParsePngHeader(chunk, header, result);
  result.facts.width = header.width;
  result.facts.height = header.height;
  result.facts.bits = header.bits;
  result.facts.components = header.components();
  // The chunks after an impossible IHDR would only hide the fault. Chunks after
  // a possible one are walked to IEND, past the pixels, since eXIf may stand
  // anywhere before it.
  if (!possible) return result;
  bool pixels = false;
  while (chunk.type != "IEND") {
    // Without IEND, whether all pixels are there shows as they are inflated.
    if (pixels && reader.done()) return result;
    if (!reader.Next(chunk, result)) return result;
    pixels = pixels || chunk.type == "IDAT";
    if (chunk.type == "eXIf" && result.facts.orientation == 0) {
      result.facts.orientation = ExifOrientation(chunk.data);
    }
    if (chunk.type == "iCCP") result.icc = true;
  }
  result.end_marker = true;
  result.trailing_bytes = bytes.size() - reader.position();
  return result;
}

}  // namespace shardine
