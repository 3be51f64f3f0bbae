#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "image/check_image.h"
#include "image/image_decode.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const ByteView image = std::as_bytes(std::span(data, size));
  const ImageOptions options = OptionsOf(image);
  const ImageVerdict verdict = CheckImage(image, ImageCheck::kDecode, kLimits);
  RequireAgreement(verdict, image, options);

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
