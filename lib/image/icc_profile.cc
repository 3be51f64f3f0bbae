#include "image/icc_profile.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/inflate.h"
#include "image/image_kind.h"
#include "image/jpeg_segments.h"
#include "image/png_header.h"
#include "image/tiff_decode.h"
#include "image/webp_decode.h"

namespace shardine {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::uint8_t kApp2 = 0xE2;
constexpr std::size_t kHeaderSize = 128;  // of a profile

// Pieces are numbered from 1, and each says how many there are.
ByteBuffer JoinSegments(ByteView jpeg) {
  constexpr std::string_view kName = "ICC_PROFILE\0"sv;
  // The number of a piece is one byte, so that no file can ask for more.
  std::array<ByteView, 256> pieces;
  std::size_t count = 0;
  std::size_t found = 0;
  JpegSegmentReader reader(jpeg);
  JpegMarkerSegment segment;
  while (reader.Next(segment)) {
    const ByteView payload = segment.payload;
    if (segment.marker != kApp2 || payload.size() <= kName.size() + 2 ||
        !AsText(payload).starts_with(kName)) {
      continue;
    }
    const auto number = std::to_integer<std::size_t>(payload[kName.size()]);
    const auto total = std::to_integer<std::size_t>(payload[kName.size() + 1]);
    // No piece is empty, as the size above tells, so an empty one here is one
    // that has not come yet.
    if (found == 0) count = total;
    if (total != count || number < 1 || number > count ||
        !pieces[number].empty()) {
      return {};
    }
    pieces[number] = payload.subspan(kName.size() + 2);
    ++found;
  }
  ByteBuffer profile;
  if (found != count) return profile;
  for (const ByteView piece : pieces) profile.Append(piece);
  return profile;
}

ByteBuffer InflateProfile(ByteView iccp) {
  const std::string_view text = AsText(iccp);
  // A name of 1 to 79 bytes, a zero, the compression method (ISO/IEC 15948,
  // 11.3.3.3). There is one method only, zlib, and Inflater refuses other data.
  const std::size_t name = text.substr(0, 80).find('\0');
  if (name == text.npos || name + 2 > iccp.size()) return {};
  ByteView stream = iccp.subspan(name + 2);
  ByteBuffer profile;
  Inflater inflater;
  std::size_t size = 0;
  // A zlib stream does not say how long it gets, and a small one may inflate a
  // thousandfold: the room doubles with the inflated bytes, up to the limit.
  while (size < kMaxIccProfile) {
    profile.Resize(std::min(kMaxIccProfile, 2 * size + 4096));
    auto step = inflater.Inflate(stream, profile.span().subspan(size));
    if (!step.ok()) return {};
    size += step->produced;
    stream = stream.subspan(step->consumed);
    if (step->done) {
      profile.Resize(size);
      return profile;
    }
    // There was room left, so the stream was cut off.
    if (size < profile.size()) return {};
  }
  return {};
}

ByteBuffer ReadPngProfile(ByteView png) {
  PngChunkReader reader(png);
  PngChunk chunk;
  ProbeResult problem;
  // iCCP stands before the pixels (ISO/IEC 15948, 5.6), so their bytes need not
  // be walked.
  while (reader.Next(chunk, problem) && chunk.type != "IDAT") {
    if (chunk.type == "iCCP") return InflateProfile(chunk.data);
  }
  return {};
}

ByteBuffer ReadWebpProfile(ByteView webp) {
  ByteBuffer profile;
  const ByteView chunk = FindWebpChunk(webp, "ICCP");
  if (chunk.size() <= kMaxIccProfile) profile.Append(chunk);
  return profile;
}

}  // namespace

ByteBuffer ReadIccProfile(ByteView image) {
  switch (DetectImageKind(image)) {
    case ImageKind::kJpeg:
      return JoinSegments(image);
    case ImageKind::kPng:
      return ReadPngProfile(image);
    case ImageKind::kWebp:
      return ReadWebpProfile(image);
    case ImageKind::kTiff:
      return ReadTiffProfile(image);
    default:
      return {};
  }
}

bool IccProfileFits(ByteView icc, std::uint8_t channels) {
  if (icc.size() < kHeaderSize || icc.size() > kMaxIccProfile) return false;
  return AsText(icc.subspan(16, 4)) == (channels == 1 ? "GRAY" : "RGB ");
}

}  // namespace shardine
