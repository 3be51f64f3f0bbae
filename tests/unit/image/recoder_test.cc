#include "image/recoder.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/simd_level.h"
#include "image/image_decode.h"
#include "image/jpeg_encode.h"
#include "image/png_encode.h"
#include "pixels/orientation.h"
#include "pixels/resampler.h"
#include "support/jpeg_maker.h"

namespace shardine::recoder_test {
namespace {

PixelBuffer Decoded(ByteView image, ColorMode color = ColorMode::kKeep,
                    bool exif = false) {
  PixelBuffer pixels;
  const auto decoded =
      DecodeImage(image, {.color = color, .apply_exif = exif}, pixels);
  REQUIRE(decoded.ok());
  REQUIRE(decoded->empty());
  return pixels;
}

PixelBuffer Resized(const PixelView& pixels, PixelSize size) {
  PixelBuffer result;
  result.Reset(size, pixels.channels);
  Resampler resampler;
  resampler.Begin({pixels.size, size, pixels.channels}, result.data(),
                  result.stride());
  resampler.Push(pixels.data, pixels.stride, pixels.size.height);
  return result;
}

std::string Text(const ByteBuffer& bytes) {
  return std::string(AsText(bytes.view()));
}

// Recodes to one size.
struct Recoded {
  Recoded(const std::string& image, const ImageOptions& options,
          std::uint32_t side) {
    Recoder recoder(options, {side});
    result = recoder.Recode(AsBytes(image), {&output, 1});
  }
  RecodeResult result;
  RecodedImage output;
};

TEST_CASE("SizeAtShortSide rounds the long side down", "[image]") {
  CHECK(SizeAtShortSide({500, 375}, 160) == PixelSize{213, 160});
  CHECK(SizeAtShortSide({375, 500}, 160) == PixelSize{160, 213});
  CHECK(SizeAtShortSide({100, 100}, 160) == PixelSize{160, 160});
  CHECK(SizeAtShortSide({30, 20}, 160) == PixelSize{240, 160});
  CHECK(SizeAtShortSide({30, 20}, 160, false) == PixelSize{30, 20});
  CHECK(SizeAtShortSide({300, 160}, 160, false) == PixelSize{300, 160});
  CHECK(SizeAtShortSide({33, 21}, 0) == PixelSize{33, 21});
  CHECK(SizeAtShortSide({65500, 1}, 160) == PixelSize{10480000, 160});
}

TEST_CASE("Recoder makes each size from the whole image", "[image]") {
  const std::string image =
      MakeJpeg({.width = 301, .height = 203, .restart_rows = 2});
  Recoder recoder({}, {160, 50, 320, 0});
  std::vector<RecodedImage> outputs(4);
  const RecodeResult result = recoder.Recode(AsBytes(image), outputs);
  REQUIRE(result.made);
  CHECK(result.verdict.good());
  const PixelBuffer whole = Decoded(AsBytes(image));
  const PixelSize sizes[] = {{237, 160}, {74, 50}, {474, 320}, {301, 203}};
  for (std::size_t i = 0; i < 4; ++i) {
    ByteBuffer expected;
    REQUIRE(
        EncodeJpeg(Resized(whole.view(), sizes[i]).view(), {}, expected).ok());
    CHECK(Text(outputs[i].bytes) == Text(expected));
    CHECK(outputs[i].upscaled == (i == 2));
    CHECK_FALSE(outputs[i].kept);
    const ImageFacts facts{ImageKind::kJpeg,
                           ImageCoding::kBaseline,
                           sizes[i].width,
                           sizes[i].height,
                           3,
                           8,
                           0};
    CHECK(outputs[i].facts == facts);
    CHECK(CheckImage(outputs[i].bytes.view(), ImageCheck::kDecode).facts ==
          facts);
  }
}

TEST_CASE("Recoder makes the same bytes at every SIMD level", "[image]") {
  const std::string image = MakeJpeg({.width = 301, .height = 203});
  const auto recode = [&] {
    const Recoded recoded(image, {.filter = Filter::kLanczos}, 77);
    REQUIRE(recoded.result.made);
    return Text(recoded.output.bytes);
  };
  const std::string best = recode();
  for (const SimdLevel level :
       {SimdLevel::kPortable, SimdLevel::kSse4, SimdLevel::kAvx2,
        SimdLevel::kAvx512, SimdLevel::kAvx512Vnni}) {
    if (LimitSimd(level)) CHECK((recode() == best));
    UnlimitSimd();
  }
}

TEST_CASE("Recoder crops the middle before it resizes", "[image]") {
  const std::string image = MakeJpeg({.width = 100, .height = 61});
  const Recoded recoded(image, {.center_crop = true}, 40);
  REQUIRE(recoded.result.made);
  const PixelBuffer whole = Decoded(AsBytes(image));
  PixelView square = whole.view();
  square.data += std::size_t{19} * 3;
  square.size = {61, 61};
  ByteBuffer expected;
  REQUIRE(EncodeJpeg(Resized(square, {40, 40}).view(), {}, expected).ok());
  CHECK(Text(recoded.output.bytes) == Text(expected));
}

TEST_CASE("Recoder keeps gray gray, spreads it, or takes color away",
          "[image]") {
  const std::string gray = MakeJpeg({.color = JpegColor::kGray});
  const std::string color = MakeJpeg({.color = JpegColor::kYcc});
  const auto components = [](const std::string& image, ColorMode mode) {
    const Recoded recoded(image, {.color = mode, .encoding = Encoding::kPng},
                          16);
    REQUIRE(recoded.result.made);
    return recoded.output.facts.components;
  };
  CHECK(components(gray, ColorMode::kKeep) == 1);
  CHECK(components(gray, ColorMode::kColor) == 3);
  CHECK(components(gray, ColorMode::kGray) == 1);
  CHECK(components(color, ColorMode::kKeep) == 3);
  CHECK(components(color, ColorMode::kGray) == 1);

  const Recoded spread(
      gray, {.color = ColorMode::kColor, .encoding = Encoding::kPng}, 16);
  const PixelBuffer pixels = Decoded(spread.output.bytes.view());
  const PixelBuffer model =
      Resized(Decoded(AsBytes(gray)).view(), pixels.size());
  for (std::size_t i = 0; i < model.bytes().size(); ++i) {
    REQUIRE(pixels.bytes()[3 * i] == model.bytes()[i]);
    REQUIRE(pixels.bytes()[3 * i + 2] == model.bytes()[i]);
  }
}

TEST_CASE("Recoder turns images upright on request only", "[image]") {
  const std::string image = InsertAfterSoi(
      MakeJpeg({.width = 64, .height = 32}), ExifSegment(6, true));
  const Recoded stored(image, {.encoding = Encoding::kPng}, 32);
  CHECK(stored.output.facts.width == 64);
  const Recoded upright(image, {.apply_exif = true, .encoding = Encoding::kPng},
                        32);
  CHECK(upright.output.facts.width == 32);
  CHECK(upright.output.facts.height == 64);
  CHECK(upright.output.facts.orientation == 0);
  PixelBuffer turned;
  ApplyOrientation(Decoded(AsBytes(image)).view(), 6, turned);
  const PixelBuffer pixels = Decoded(upright.output.bytes.view());
  CHECK(AsText(pixels.bytes()) == AsText(turned.bytes()));
}

TEST_CASE("Recoder hands small images on untouched if not to scale them up",
          "[image]") {
  const ImageOptions options{.upscale = false};
  const std::string small = MakeJpeg({.width = 40, .height = 30});
  const Recoded kept(small, options, 160);
  REQUIRE(kept.result.made);
  CHECK(kept.output.kept);
  CHECK_FALSE(kept.output.upscaled);
  CHECK(Text(kept.output.bytes) == small);
  CHECK(kept.output.facts == kept.result.verdict.facts);

  const auto is_kept = [&](const std::string& image, ImageOptions changed) {
    changed.upscale = false;
    const Recoded recoded(image, changed, 160);
    REQUIRE(recoded.result.made);
    return recoded.output.kept;
  };
  CHECK(
      is_kept(MakeJpeg({.width = 40, .height = 30, .progressive = true}), {}));
  CHECK_FALSE(is_kept(MakeJpeg({.width = 400, .height = 300}), {}));
  CHECK_FALSE(is_kept(small, {.center_crop = true}));
  CHECK_FALSE(is_kept(small, {.color = ColorMode::kGray}));
  CHECK_FALSE(is_kept(small, {.encoding = Encoding::kPng}));
  CHECK_FALSE(is_kept(MakeJpeg({.color = JpegColor::kCmyk}), {}));
  const std::string turned = InsertAfterSoi(small, ExifSegment(3, false));
  CHECK(is_kept(turned, {}));
  CHECK_FALSE(is_kept(turned, {.apply_exif = true}));
}

TEST_CASE("Recoder judges the source as a check does", "[image]") {
  const std::string whole = MakeJpeg({.width = 200, .height = 100});
  const std::string cut = whole.substr(0, whole.size() * 2 / 3);
  const Recoded truncated(cut, {}, 50);
  CHECK(truncated.result.verdict.reason == "no-end-marker");
  CHECK(truncated.result.made);  // libjpeg fills it up with gray

  const Recoded warned(cut + "\xFF\xD9", {}, 50);
  CHECK(warned.result.verdict.reason == "decode-warning");
  CHECK(warned.result.made);

  const Recoded empty("", {}, 50);
  CHECK(empty.result.verdict.reason == "empty");
  CHECK_FALSE(empty.result.made);

  const Recoded page("<html>", {}, 50);
  CHECK(page.result.verdict.reason == "not-an-image");
  CHECK_FALSE(page.result.made);

  // Facts of one image must not show in the next.
  Recoder recoder({}, {50});
  RecodedImage output;
  CHECK_FALSE(recoder.Recode(AsBytes("<html>"), {&output, 1}).made);
  CHECK(output.bytes.size() == 0);
  CHECK(recoder.Recode(AsBytes(whole), {&output, 1}).verdict.good());
}

TEST_CASE("Recoder refuses to blow an image up beyond the limit of pixels",
          "[image]") {
  const std::string line = MakeJpeg({.width = 6000, .height = 1});
  Recoder recoder({}, {160, 320});
  std::vector<RecodedImage> outputs(2);
  const RecodeResult result =
      recoder.Recode(AsBytes(line), outputs, {.max_pixels = 1 << 20});
  CHECK_FALSE(result.made);
  CHECK(result.verdict.reason == "too-large");
}

}  // namespace
}  // namespace shardine::recoder_test
