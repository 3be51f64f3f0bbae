#include "image/png_check.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "image/png_header.h"
#include "support/png_maker.h"

namespace shardine::png_check_test {
namespace {

constexpr std::uint64_t kMaxPixels = 1 << 20;
constexpr std::size_t kFirst = 8 + 25;  // the chunk behind IHDR

Status Check(std::string_view png) {
  return CheckPng(AsBytes(png), {.max_pixels = kMaxPixels});
}

// Signature, IHDR, these chunks, IEND.
std::string Png(const std::string& chunks, const PngSpec& spec = {}) {
  return PngSignature() + PngHeaderChunk(spec) + chunks +
         MakePngChunk("IEND", "");
}

std::string Idat(std::string_view pixels) {
  return MakePngChunk("IDAT", ZlibStored(pixels));
}

TEST_CASE("CheckPng accepts every color type, depth and interlacing",
          "[png][check]") {
  const std::vector<std::pair<int, std::vector<int>>> allowed = {
      {0, {1, 2, 4, 8, 16}},
      {2, {8, 16}},
      {3, {1, 2, 4, 8}},
      {4, {8, 16}},
      {6, {8, 16}}};
  for (const auto& [color, depths] : allowed) {
    for (const int bits : depths) {
      for (const bool interlaced : {false, true}) {
        PngSpec spec;
        spec.color_type = static_cast<std::uint8_t>(color);
        spec.bits = static_cast<std::uint8_t>(bits);
        spec.interlaced = interlaced;
        CAPTURE(color, bits, interlaced);
        CHECK(Check(MakePng(spec)).ToString() == "OK");
      }
    }
  }
}

TEST_CASE("CheckPng accepts interlaced images with empty passes",
          "[png][check]") {
  for (std::uint32_t width = 1; width <= 9; ++width) {
    for (std::uint32_t height = 1; height <= 9; ++height) {
      PngSpec spec;
      spec.width = width;
      spec.height = height;
      spec.bits = 1;
      spec.color_type = 0;
      spec.interlaced = true;
      CAPTURE(width, height);
      CHECK(Check(MakePng(spec)).ok());
    }
  }
}

TEST_CASE("CheckPng accepts pixel data in IDAT chunks of any size",
          "[png][check]") {
  PngSpec spec;
  spec.width = 200;
  spec.height = 200;  // more than the scratch memory holds
  for (const std::size_t size : {1u, 1000u, 65536u, 0u}) {
    if (size == 1) spec.width = spec.height = 9;
    spec.idat_size = size;
    CHECK(Check(MakePng(spec)).ok());
    spec.width = spec.height = 200;
  }
}

TEST_CASE("CheckPng finds a changed bit anywhere before the end",
          "[png][check][corruption]") {
  PngSpec spec;
  spec.width = 5;
  spec.height = 4;
  const std::string png = MakePng(spec);
  for (std::size_t bit = 8 * 8; bit < png.size() * 8; ++bit) {
    std::string damaged = png;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    if (ProbePng(AsBytes(damaged)).problem != ImageProblem::kNone) continue;
    const Status status = Check(damaged);
    if (status.ok() || status.code() == Code::kFailed) FAIL("bit " << bit);
  }
}

TEST_CASE("CheckPng names the chunk whose CRC-32 is wrong",
          "[png][check][corruption]") {
  std::string png = MakePng();
  png[kFirst + 12] = static_cast<char>(png[kFirst + 12] ^ 1);
  const Status status = Check(png);
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.message() == "IDAT fails its CRC-32");
  CHECK(status.where().offset == kFirst);
  std::string header = MakePng();
  header[19] = static_cast<char>(header[19] ^ 1);
  CHECK(Check(header).message() == "IHDR fails its CRC-32");
}

TEST_CASE("CheckPng finds too little pixel data", "[png][check][corruption]") {
  const std::string pixels = PngPixelData({});
  REQUIRE(Check(Png(Idat(pixels))).ok());
  CHECK(Check(Png(Idat(pixels.substr(0, pixels.size() - 1)))).message() ==
        "the pixel data end early");
  const std::string stream = ZlibStored(pixels);
  CHECK(Check(Png(MakePngChunk("IDAT", stream.substr(0, stream.size() - 5))))
            .message() == "the pixel data end early");
  CHECK(Check(Png("")).message() == "the pixel data end early");
}

// Parsers review 11: Pillow loads all of these without a word.
TEST_CASE("CheckPng accepts what says nothing about the pixels",
          "[png][check]") {
  const std::string pixels = PngPixelData({});
  const std::string stream = ZlibStored(pixels);
  const std::string image = MakePngChunk("IDAT", stream);
  const std::string palette = MakePngChunk("PLTE", "abc");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a row too many", Idat(pixels + std::string(58, '\0'))},
      {"a byte too many", Idat(pixels + '\0')},
      {"no Adler-32",
       MakePngChunk("IDAT", stream.substr(0, stream.size() - 4))},
      {"half an Adler-32",
       MakePngChunk("IDAT", stream.substr(0, stream.size() - 2))},
      {"bytes after the stream", MakePngChunk("IDAT", stream + "x")},
      {"an IDAT after the stream", image + MakePngChunk("IDAT", "xyz")},
      {"PLTE after IDAT", image + palette},
      {"PLTE twice", palette + palette + image},
      {"PLTE of no whole colours", MakePngChunk("PLTE", "ab") + image},
      {"IEND with bytes", image + MakePngChunk("IEND", "x")},
      {"a critical chunk of no known type", MakePngChunk("ABCD", "") + image},
      {"the header twice", PngHeaderChunk({}) + image}};
  for (const auto& [what, chunks] : cases) {
    INFO(what);
    CHECK(Check(Png(chunks)).ToString() == "OK");
  }
  const std::string no_end = PngSignature() + PngHeaderChunk({}) + image;
  CHECK(Check(no_end).ToString() == "OK");
  CHECK(ProbePng(AsBytes(no_end)).problem == ImageProblem::kNone);
  PngSpec gray;
  gray.color_type = 0;
  CHECK(Check(Png(palette + Idat(PngPixelData(gray)), gray)).ToString() ==
        "OK");
}

TEST_CASE("CheckPng finds a damaged zlib stream behind a right CRC-32",
          "[png][check][corruption]") {
  std::string stream = ZlibStored(PngPixelData({}));
  stream.back() = static_cast<char>(stream.back() ^ 1);
  const Status status = Check(Png(MakePngChunk("IDAT", stream)));
  CHECK(status.code() == Code::kCorrupt);
  CHECK(status.message() == "zlib: incorrect data check");
  CHECK(status.where().offset == kFirst);
}

TEST_CASE("CheckPng finds filter types that do not exist",
          "[png][check][corruption]") {
  PngSpec spec;
  const std::size_t row = 1 + spec.width * 3;
  for (std::uint32_t y = 0; y < spec.height; ++y) {
    std::string pixels = PngPixelData(spec);
    pixels[y * row] = 4;
    CHECK(Check(Png(Idat(pixels))).ok());
    pixels[y * row] = 5;
    CHECK(Check(Png(Idat(pixels))).message() ==
          "a row has no known filter type");
  }
}

TEST_CASE("CheckPng wants the chunks in their order",
          "[png][check][corruption]") {
  const std::string stream = ZlibStored(PngPixelData({}));
  const std::string first = MakePngChunk("IDAT", stream.substr(0, 9));
  const std::string rest = MakePngChunk("IDAT", stream.substr(9));
  const std::string text = MakePngChunk("tEXt", "a");
  const std::string palette = MakePngChunk("PLTE", "abc");
  CHECK(Check(Png(text + palette + text + first + rest + text)).ok());
  const std::vector<std::pair<std::string, std::string>> cases = {
      {first + text + rest, "the IDAT chunks are not together"},
      {PngHeaderChunk({.width = 5}) + first + rest, "IHDR must not be here"},
  };
  for (const auto& [chunks, message] : cases) {
    CHECK(Check(Png(chunks)).message() == message);
  }
}

TEST_CASE("CheckPng names the place where IEND is missing",
          "[png][check][corruption]") {
  const std::string whole = MakePng();
  const std::size_t end = whole.size() - 12;
  for (std::size_t size = end + 1; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const Status status = Check(cut);
    CAPTURE(size, status.message());
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().offset == end);
  }
}

TEST_CASE("CheckPng wants a palette for palette images",
          "[png][check][corruption]") {
  PngSpec spec;
  spec.color_type = 3;
  const std::string pixels = Idat(PngPixelData(spec));
  CHECK(Check(Png(pixels, spec)).message() == "no PLTE before the pixel data");
  for (const std::size_t size : {0u, 2u, 771u}) {
    const std::string palette = MakePngChunk("PLTE", std::string(size, 'a'));
    CHECK(Check(Png(palette + pixels, spec)).message() ==
          "PLTE of " + std::to_string(size) + " bytes");
  }
}

TEST_CASE("CheckPng refuses more pixels than the limit before inflating",
          "[png][check][limits]") {
  PngSpec spec;
  spec.width = 0x7FFFFFFF;
  spec.height = 0x7FFFFFFF;
  spec.color_type = 6;
  spec.bits = 16;
  const std::string png = Png(MakePngChunk("IDAT", "not zlib"), spec);
  CHECK(Check(png).code() == Code::kUnsupported);
  const std::string small = MakePng();
  CHECK(CheckPng(AsBytes(small), {.max_pixels = 19 * 13}).ok());
  CHECK(CheckPng(AsBytes(small), {.max_pixels = 19 * 13 - 1}).code() ==
        Code::kUnsupported);
}

}  // namespace
}  // namespace shardine::png_check_test
