#include "image/image_encoder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/status_macros.h"
#include "image/icc_profile.h"
#include "image/jpeg_encode.h"
#include "image/png_encode.h"
#include "image/tiff_decode.h"
#include "image/undecoded_kind.h"
#include "pixels/buffer_sink.h"

namespace shardine {
namespace {

// value * 255 / 65535, rounded.
std::uint8_t ScaleTo8Bits(unsigned value) {
  return static_cast<std::uint8_t>((value + 128) / 257);
}

// Samples of two bytes, the low one first.
void ScalePixels(const PixelView& deep, PixelBuffer& scaled) {
  scaled.Reset(deep.size, static_cast<std::uint8_t>(deep.channels / 2));
  for (std::uint32_t y = 0; y < deep.size.height; ++y) {
    const std::uint8_t* from = deep.row(y);
    std::uint8_t* to = scaled.row(y);
    for (std::size_t i = 0; i < scaled.stride(); ++i, from += 2) {
      to[i] = ScaleTo8Bits(from[0] + 256U * from[1]);
    }
  }
}

}  // namespace

bool ImageEncoder::Takes(const ImageFacts& facts) const {
  if (facts.kind == ImageKind::kJpeg) return false;
  if (facts.kind == ImageKind::kPng) {
    return options_.to_8_bits && facts.bits == 16;
  }
  return IsDecodedKind(facts.kind);
}

Status ImageEncoder::CheckBits(std::uint8_t bits) const {
  if (bits != 16 || options_.encoding == Encoding::kPng || options_.to_8_bits) {
    return {};
  }
  return Status(Code::kUnsupported,
                "has 16 bits a channel, and a JPEG holds 8: in a new folder, "
                "recode png keeps them, to-8-bits scales them");
}

// The pixels have two bytes a sample.
Status ImageEncoder::DecodeDeep(ByteView image, const ImageFacts& facts) {
  if (facts.kind == ImageKind::kTiff) {
    return DecodeDeepTiff(image, options_.limits, pixels_);
  }
  SHARDINE_RETURN_IF_ERROR(
      samples_.Decode(image, options_.limits, facts.height));
  const PngSampleType& type = samples_.type();
  // Alpha comes last.
  const std::size_t kept = type.channels < 3 ? 2 : 6;
  const std::size_t step = std::size_t{2} * type.channels;
  pixels_.Reset(type.size, static_cast<std::uint8_t>(kept));
  for (std::uint32_t y = 0; y < type.size.height; ++y) {
    const std::byte* from = samples_.row(y);
    std::uint8_t* to = pixels_.row(y);
    for (std::uint32_t x = 0; x < type.size.width; ++x) {
      std::memcpy(to, from, kept);
      from += step;
      to += kept;
    }
  }
  return {};
}

ImageVerdict ImageEncoder::Encode(ByteView image, const ImageFacts& facts,
                                  EncodedImage& made) {
  ImageVerdict verdict;
  verdict.facts = facts;
  std::uint8_t bits = facts.bits == 16 ? 16 : 8;
  Result<std::vector<DecodeWarning>> decoded = std::vector<DecodeWarning>();
  Status deep;
  if (bits == 16) deep = DecodeDeep(image, facts);
  // Forms that libtiff alone turns into RGB come with 8 bits.
  const bool by_library =
      bits == 16 && options_.to_8_bits && deep.code() == Code::kUnsupported;
  if (by_library) bits = 8;
  if (bits == 16) {
    if (!deep.ok()) decoded = deep;
  } else {
    Status opened = decoder_.Open(image, {.limits = options_.limits});
    BufferSink sink(pixels_);
    decoded = opened.ok() ? decoder_.Decode(sink) : std::move(opened);
  }
  JudgeDecode(decoded, verdict);
  if (!verdict.good()) return verdict;
  const ByteBuffer icc = ReadIccProfile(image);
  const Status written =
      Write(pixels_.view(), bits, icc.view(), facts.orientation, made);
  if (!written.ok()) {
    verdict.reason = "too-large";
    verdict.detail = written.message();
  }
  return verdict;
}

Status ImageEncoder::EncodePixels(const PixelView& pixels, std::uint8_t bits,
                                  EncodedImage& made) {
  return Write(pixels, bits, {}, 0, made);
}

Status ImageEncoder::Write(const PixelView& pixels, std::uint8_t bits,
                           ByteView icc, std::uint8_t orientation,
                           EncodedImage& made) {
  PixelView stored = pixels;
  if (bits == 16 && options_.to_8_bits) {
    ScalePixels(pixels, scaled_);
    stored = scaled_.view();
    bits = 8;
  }
  const bool jpeg = options_.encoding == Encoding::kJpeg;
  made.facts = {
      .kind = jpeg ? ImageKind::kJpeg : ImageKind::kPng,
      .coding = jpeg ? ImageCoding::kBaseline : ImageCoding::kPng,
      .width = stored.size.width,
      .height = stored.size.height,
      .components = static_cast<std::uint8_t>(stored.channels / (bits / 8)),
      .bits = bits,
      .orientation = orientation};
  made.bytes.Resize(0);
  if (jpeg) {
    return EncodeJpeg(
        stored,
        {.quality = options_.quality, .icc = icc, .orientation = orientation},
        made.bytes);
  }
  SHARDINE_RETURN_IF_ERROR(
      EncodePng(stored, {.icc = icc, .orientation = orientation, .bits = bits},
                made.bytes));
  // Deflate makes so few bytes of a blank page that decoders refuse them.
  const DecodeLimits& limits = options_.limits;
  const std::uint64_t inflated =
      std::uint64_t{stored.size.height} *
      (1 + std::uint64_t{stored.size.width} * stored.channels);
  if (inflated <=
      limits.png_bytes + made.bytes.size() * limits.png_bytes_per_byte) {
    return {};
  }
  return Status(Code::kUnsupported,
                "a PNG of it has " + std::to_string(made.bytes.size()) +
                    " bytes for " + std::to_string(inflated) +
                    " of pixels, more than is decoded; a JPEG is decoded");
}

}  // namespace shardine
