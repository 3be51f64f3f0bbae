#include "image/library_image.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "image/check_image.h"
#include "image/icc_profile.h"
#include "image/image_decoder.h"
#include "pixels/buffer_sink.h"
#include "support/picture_maker.h"
#include "support/still_images.h"

namespace shardine::library_image_test {
namespace {

using std::string_literals::operator""s;

PixelBuffer Pixels(std::string_view image,
                   const ImageDecodeOptions& options = {}) {
  PixelBuffer pixels;
  const auto decoded = DecodeImage(AsBytes(image), options, pixels);
  CAPTURE(decoded.status().message());
  REQUIRE(decoded.ok());
  CHECK(decoded->empty());
  return pixels;
}

Status FailureOf(std::string_view image,
                 const ImageDecodeOptions& options = {}) {
  PixelBuffer pixels;
  return DecodeImage(AsBytes(image), options, pixels).status();
}

ImageFacts FactsOf(std::string_view image) {
  return ProbeImage(AsBytes(image)).facts;
}

bool IsEqual(const PixelBuffer& a, const PixelBuffer& b) {
  return a.size() == b.size() && a.channels() == b.channels() &&
         AsText(a.bytes()) == AsText(b.bytes());
}

// One image of each kind, with pixels that no two neighbours share.
std::vector<std::string> OfEachKind() {
  const PixelBuffer picture = MakePicture({61, 47}, 3);
  return {MakeWebp(picture.view()),
          MakeWebp(picture.view(), 80),
          MakeGif({.canvas = {61, 47}, .frame = {61, 47}}),
          MakeBmp(picture.view()),
          MakeTiff({.size = {61, 47}}),
          MakeTiff({.size = {61, 47}, .samples = 1, .photometric = 1})};
}

TEST_CASE("Images of libraries have their facts in the probe", "[library]") {
  const std::vector<std::string> images = OfEachKind();
  const ImageKind kinds[] = {ImageKind::kWebp, ImageKind::kWebp,
                             ImageKind::kGif,  ImageKind::kBmp,
                             ImageKind::kTiff, ImageKind::kTiff};
  for (std::size_t i = 0; i < images.size(); ++i) {
    const ProbeResult probe = ProbeImage(AsBytes(images[i]));
    CAPTURE(i, probe.detail);
    CHECK(probe.problem == ImageProblem::kNone);
    CHECK(probe.facts.kind == kinds[i]);
    CHECK(probe.facts.width == 61);
    CHECK(probe.facts.height == 47);
    CHECK(probe.facts.components == (i == 5 ? 1 : 3));
    CHECK(probe.facts.bits == 8);
    CHECK(probe.end_marker);
  }
}

TEST_CASE("A lossless WebP and a BMP give back their pixels", "[library]") {
  const PixelBuffer picture = MakePicture({61, 47}, 3);
  CHECK(IsEqual(Pixels(MakeWebp(picture.view())), picture));
  CHECK(IsEqual(Pixels(MakeBmp(picture.view())), picture));
}

TEST_CASE("A region has the pixels of the whole image", "[library]") {
  for (const std::string& image : OfEachKind()) {
    const PixelBuffer whole = Pixels(image);
    ImageDecoder decoder;
    REQUIRE(decoder.Open(AsBytes(image), {}).ok());
    REQUIRE(decoder.size() == whole.size());
    for (const Region region :
         {Region{0, 0, 61, 47}, Region{0, 0, 1, 1}, Region{60, 46, 1, 1},
          Region{17, 9, 23, 31}, Region{5, 0, 50, 3}, Region{31, 16, 8, 16}}) {
      PixelBuffer part;
      BufferSink sink(part);
      REQUIRE(decoder.DecodeRegion(region, sink).ok());
      REQUIRE(part.size() == PixelSize{region.width, region.height});
      bool same = part.channels() == whole.channels();
      for (std::uint32_t y = 0; same && y < region.height; ++y) {
        const std::uint8_t* const from =
            whole.view().row(region.y + y) +
            std::size_t{region.x} * whole.channels();
        same = std::equal(part.row(y), part.row(y) + part.stride(), from);
      }
      CAPTURE(region.x, region.y);
      CHECK(same);
    }
    PixelBuffer part;
    BufferSink sink(part);
    CHECK(decoder.DecodeRegion({60, 46, 2, 1}, sink).status().code() ==
          Code::kInvalidArgument);
  }
}

TEST_CASE("A GIF's first frame lies on the canvas", "[library][gif]") {
  const auto color = [](std::uint32_t i) {
    return std::array<std::uint32_t, 3>{i * 16, 255 - i, i * i};
  };
  for (const GifSpec& spec : {
           GifSpec(),
           GifSpec{.canvas = {9, 12}, .frame = {9, 12}, .interlaced = true},
           GifSpec{
               .canvas = {9, 12}, .left = 2, .top = 3, .local_palette = true},
           GifSpec{.canvas = {9, 12}, .left = 1, .top = 1, .transparent = 5},
           GifSpec{.canvas = {3, 3}, .left = 2, .top = 1},
           GifSpec{.frames = 3},
       }) {
    const PixelBuffer pixels = Pixels(MakeGif(spec));
    const PixelSize size = {
        std::max(spec.canvas.width, spec.left + spec.frame.width),
        std::max(spec.canvas.height, spec.top + spec.frame.height)};
    REQUIRE(pixels.size() == size);
    bool same = true;
    for (std::uint32_t y = 0; y < size.height; ++y) {
      for (std::uint32_t x = 0; x < size.width; ++x) {
        const bool within = x >= spec.left && y >= spec.top &&
                            x - spec.left < spec.frame.width &&
                            y - spec.top < spec.frame.height;
        const auto around =
            static_cast<std::uint32_t>(std::max(spec.transparent, 0));
        const auto wanted =
            color(within ? (x - spec.left + 3 * (y - spec.top)) % 16 : around);
        const std::uint8_t* const at =
            pixels.view().row(y) + std::size_t{3} * x;
        same = same && std::equal(at, at + 3, wanted.begin());
      }
    }
    CHECK(same);
  }
}

TEST_CASE("A TIFF's samples come from strips, tiles and planes of any order",
          "[library][tiff]") {
  std::vector<TiffSpec> specs;
  for (const int bits : {8, 16}) {
    for (const int samples : {1, 2, 3, 4}) {
      for (const int compression : {1, 5, 8, 32773}) {
        for (const std::uint32_t tile : {0U, 16U}) {
          TiffSpec spec{.bits = static_cast<std::uint16_t>(bits),
                        .samples = static_cast<std::uint16_t>(samples)};
          spec.photometric = samples < 3 ? 1 : 2;
          spec.compression = static_cast<std::uint16_t>(compression);
          spec.tile = tile;
          spec.big_endian = tile > 0;
          spec.planes = samples == 3 ? 2 : 1;
          spec.big_tiff = samples == 4;
          specs.push_back(spec);
        }
      }
    }
  }
  specs.push_back({.samples = 1, .photometric = 0});
  for (const TiffSpec& spec : specs) {
    const std::string tiff = MakeTiff(spec);
    const PixelBuffer pixels = Pixels(tiff);
    CHECK(FactsOf(tiff).bits == spec.bits);
    CHECK(FactsOf(tiff).components == spec.samples);
    const std::uint8_t channels = spec.samples < 3 ? 1 : 3;
    REQUIRE(pixels.channels() == channels);
    REQUIRE(pixels.size() == spec.size);
    bool same = true;
    for (std::uint32_t y = 0; y < spec.size.height; ++y) {
      for (std::uint32_t x = 0; x < spec.size.width; ++x) {
        for (std::uint8_t c = 0; c < channels; ++c) {
          std::uint32_t wanted = TiffSampleAt(spec, x, y, c);
          if (spec.bits == 16) wanted >>= 8;
          if (spec.photometric == 0) wanted = 255 - wanted;
          same = same && pixels.view().row(y)[x * channels + c] == wanted;
        }
      }
    }
    CAPTURE(spec.bits, spec.samples, spec.compression, spec.tile);
    CHECK(same);
  }
}

TEST_CASE("A TIFF of a palette is RGB", "[library][tiff]") {
  const TiffSpec spec{.samples = 1, .photometric = 3};
  const PixelBuffer pixels = Pixels(MakeTiff(spec));
  REQUIRE(pixels.channels() == 3);
  CHECK(pixels.view().row(2)[3 * 5 + 1] == TiffSampleAt(spec, 5, 2, 0));
}

TEST_CASE("Forms of TIFF and BMP that are not decoded are named", "[library]") {
  CHECK(FailureOf(MakeTiff({.bits = 32, .format = 3})).message() ==
        "a TIFF of 32 bits a channel, which is not decoded");
  CHECK(FailureOf(MakeTiff({.format = 2})).message() ==
        "a TIFF of signed or complex samples, which is not decoded");
  const PixelBuffer picture = MakePicture({6, 4}, 3);
  std::string bmp = MakeBmp(picture.view());
  bmp[30] = 1;
  CHECK(FailureOf(bmp).message() ==
        "a run-length coded BMP, which is not decoded");
  CHECK(FailureOf(bmp).code() == Code::kUnsupported);
  bmp[14] = 64;
  CHECK(FailureOf(bmp).code() == Code::kUnsupported);
}

TEST_CASE("Pixels of libraries are turned only where that is asked for",
          "[library]") {
  const PixelBuffer picture = MakePicture({24, 10}, 3);
  const std::string webp =
      WithWebpOrientation(MakeWebp(picture.view()), {24, 10}, 6);
  CHECK(FactsOf(webp).orientation == 6);
  CHECK(Pixels(webp).size() == PixelSize{24, 10});
  CHECK(Pixels(webp, {.apply_exif = true}).size() == PixelSize{10, 24});
  const std::string tiff = MakeTiff({.orientation = 8});
  CHECK(FactsOf(tiff).orientation == 8);
  CHECK(Pixels(tiff).size() == PixelSize{19, 13});
  CHECK(Pixels(tiff, {.apply_exif = true}).size() == PixelSize{13, 19});
}

TEST_CASE("An animated WebP gives its first frame on a black canvas",
          "[library][webp]") {
  const PixelBuffer picture = MakePicture({12, 8}, 3);
  const std::string webp =
      MakeWebpAnimation(MakeWebp(picture.view()), {12, 8}, {20, 18}, 4, 6);
  const PixelBuffer pixels = Pixels(webp);
  REQUIRE(pixels.size() == PixelSize{20, 18});
  CHECK(std::equal(picture.view().row(7), picture.view().row(7) + 36,
                   pixels.view().row(13) + 12));
  CHECK(pixels.view().row(5)[12] == 0);
  CHECK(pixels.view().row(6)[11] == 0);
  const std::string beyond =
      MakeWebpAnimation(MakeWebp(picture.view()), {12, 8}, {14, 18}, 4, 6);
  CHECK(FailureOf(beyond).code() == Code::kCorrupt);
}

TEST_CASE("An image of a library that is cut anywhere is no good image",
          "[library][corruption]") {
  for (const std::string& image : OfEachKind()) {
    for (std::size_t size = 12; size < image.size(); ++size) {
      const std::string cut = image.substr(0, size);
      const ImageVerdict verdict =
          CheckImage(AsBytes(cut), ImageCheck::kDecode);
      // The last byte of a GIF only ends its list of frames, and a TIFF may
      // have its header last.
      const bool tail =
          verdict.facts.kind == ImageKind::kGif && size + 1 == image.size();
      CAPTURE(size, image.size(), verdict.reason);
      CHECK(verdict.good() == tail);
      CHECK(FailureOf(cut).ok() == tail);
    }
  }
}

TEST_CASE("An image of a library with a changed byte never fails badly",
          "[library][corruption]") {
  for (const std::string& image : OfEachKind()) {
    for (std::size_t at = 0; at < std::min<std::size_t>(image.size(), 900);
         ++at) {
      for (const char change : {'\x01', '\x80', '\xFF'}) {
        std::string changed = image;
        changed[at] = static_cast<char>(changed[at] ^ change);
        const ImageVerdict verdict =
            CheckImage(AsBytes(changed), ImageCheck::kDecode);
        if (verdict.good()) CHECK(FailureOf(changed).ok());
      }
    }
  }
}

TEST_CASE("Limits are checked before an image of a library is decoded",
          "[library][limits]") {
  for (const std::string& image : OfEachKind()) {
    const auto failure = [&](const DecodeLimits& limits) {
      return FailureOf(image, {.limits = limits}).code();
    };
    CHECK(failure({}) == Code::kOk);
    CHECK(failure({.max_pixels = 61 * 47}) == Code::kOk);
    CHECK(failure({.max_pixels = 61 * 47 - 1}) == Code::kUnsupported);
    CHECK(failure({.max_memory = 1000}) == Code::kUnsupported);
    CHECK(failure({.png_bytes = 100, .png_bytes_per_byte = 0}) ==
          Code::kUnsupported);
  }
}

TEST_CASE("A small file of a huge image is refused at once",
          "[library][limits]") {
  std::string gif = MakeGif();
  gif[6] = gif[7] = gif[8] = gif[9] = '\xFF';
  CHECK(FailureOf(gif).code() == Code::kUnsupported);
  TiffSpec spec;
  std::string tiff = MakeTiff(spec);
  // The width's tag, little-endian, SHORT or LONG.
  for (const std::string& tag :
       {"\0\x01\x03\0\x01\0\0\0"s, "\0\x01\x04\0\x01\0\0\0"s}) {
    const std::size_t at = tiff.find(tag);
    if (at == std::string::npos) continue;
    tiff[at + 8] = tiff[at + 9] = '\xFF';
    CHECK_FALSE(FailureOf(tiff).ok());
  }
}

}  // namespace
}  // namespace shardine::library_image_test
