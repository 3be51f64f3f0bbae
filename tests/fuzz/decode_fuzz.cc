#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "image/check_image.h"
#include "image/image_decode.h"
#include "image/image_encoder.h"
#include "image/image_kind.h"
#include "image/png_samples.h"
#include "image/recoder.h"

namespace {

using namespace shardine;

// Small, so that a run takes no time; the limits themselves are tested, too.
constexpr DecodeLimits kLimits = {
    .max_pixels = 1 << 14, .max_scans = 20, .max_memory = 16 << 20};

void Require(bool condition) {
  if (!condition) std::abort();
}

// Options that any byte of the image may change.
ImageOptions OptionsOf(ByteView image) {
  std::uint32_t hash = 0;
  for (const std::byte byte : image) {
    hash = hash * 31 + std::to_integer<std::uint32_t>(byte);
  }
  const auto draw = [&](std::uint32_t choices) {
    const std::uint32_t drawn = hash % choices;
    hash /= choices;
    return drawn;
  };
  ImageOptions options;
  options.filter = static_cast<Filter>(draw(6));
  options.order = static_cast<PassOrder>(draw(2));
  options.center_crop = draw(4) == 0;
  options.color = static_cast<ColorMode>(draw(3));
  options.upscale = draw(2) == 0;
  options.apply_exif = draw(2) == 0;
  options.encoding = draw(4) == 0 ? Encoding::kPng : Encoding::kJpeg;
  options.subsampling = static_cast<Subsampling>(draw(2));
  options.keep_icc = draw(2) == 0;
  return options;
}

// An image is good if and only if its pixels can be had without a warning.
void RequireAgreement(const ImageVerdict& verdict, ByteView image,
                      const ImageOptions& options) {
  PixelBuffer pixels;
  const auto decoded = DecodeImage(image,
                                   {.limits = kLimits,
                                    .color = options.color,
                                    .apply_exif = options.apply_exif},
                                   pixels);
  if (verdict.good()) Require(decoded.ok() && decoded->empty());
  if (!decoded.ok()) {
    Require(!verdict.good());
    return;
  }
  const PixelSize size = pixels.size();
  Require(std::uint64_t{size.width} * size.height <= kLimits.max_pixels);
  Require(pixels.channels() == 1 || pixels.channels() == 3);
}

std::string RowOf(const PngSamples& samples, std::uint32_t y) {
  const PngSampleType& type = samples.type();
  const std::size_t bytes =
      std::size_t{type.size.width} * type.channels * type.bytes;
  return std::string(AsText({samples.row(y), bytes}));
}

// The samples of a PNG can be had if and only if its pixels can; of a part of
// it each row can be read.
void RequireSamples(ByteView image) {
  if (DetectImageKind(image) != ImageKind::kPng) return;
  PngSamples samples;
  PixelBuffer pixels;
  const auto decoded = DecodeImage(image, {.limits = kLimits}, pixels);
  const Status whole = samples.Decode(image, kLimits, UINT32_MAX);
  Require(whole.ok() == decoded.ok());
  if (whole.ok()) Require(samples.type().size == pixels.size());
  const auto type = ReadPngSampleType(image);
  Require(type.ok() || !whole.ok());
  const std::uint32_t end = type.ok() ? type->size.height / 2 + 1 : 1;
  if (!samples.Decode(image, kLimits, end).ok()) {
    Require(!whole.ok());
    return;
  }
  std::vector<std::string> rows;
  for (std::uint32_t y = 0; y < end; ++y) rows.push_back(RowOf(samples, y));
  if (!samples.Decode(image, kLimits, UINT32_MAX).ok()) return;
  for (std::uint32_t y = 0; y < end; ++y) Require(rows[y] == RowOf(samples, y));
}

// A new encoding has no fault, and the facts that are stated.
void RequireEncoding(ByteView image, const ImageFacts& facts) {
  ImageEncoder encoder({.to_8_bits = true, .limits = kLimits});
  if (!encoder.Takes(facts)) return;
  EncodedImage made;
  if (!encoder.Encode(image, facts, made).good()) return;
  const ImageVerdict encoded =
      CheckImage(made.bytes.view(), ImageCheck::kDecode, kLimits);
  Require(encoded.good() && encoded.facts == made.facts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const ByteView image = std::as_bytes(std::span(data, size));
  const ImageOptions options = OptionsOf(image);
  const ImageVerdict verdict = CheckImage(image, ImageCheck::kDecode, kLimits);
  RequireAgreement(verdict, image, options);
  RequireSamples(image);
  RequireEncoding(image, verdict.facts);

  Recoder recoder(options, {8, 0, 19});
  std::array<RecodedImage, 3> outputs;
  const RecodeResult result = recoder.Recode(image, outputs, kLimits);
  Require(result.verdict.facts == verdict.facts);
  Require(result.verdict.reason == verdict.reason ||
          result.verdict.reason == "too-large");
  Require(result.made || !result.verdict.good());
  if (!result.made) return 0;
  for (const RecodedImage& output : outputs) {
    const ByteView bytes = output.kept ? image : output.bytes.view();
    const ImageVerdict made = CheckImage(bytes, ImageCheck::kDecode, kLimits);
    Require(output.kept || made.good());
    Require(made.facts == output.facts);
  }
  return 0;
}
