// PngSamples: the numbers of PNGs of each kind, and how far they are read.
#include "image/png_samples.h"

#include <catch2/catch.hpp>
#include <iterator>
#include <string>

#include "image/image_decode.h"
#include "support/draws.h"
#include "support/png_maker.h"

namespace shardine::png_samples_test {
namespace {

struct Kind {
  std::uint8_t bits;
  std::uint8_t color_type;
};
constexpr Kind kKinds[] = {{1, 0}, {2, 0}, {4, 0},  {8, 0}, {16, 0},
                           {1, 3}, {4, 3}, {8, 3},  {8, 2}, {16, 2},
                           {8, 4}, {8, 6}, {16, 4}, {16, 6}};

std::size_t RowBytes(const PngSamples& samples) {
  const PngSampleType& type = samples.type();
  return std::size_t{type.size.width} * type.channels * type.bytes;
}

std::string Row(const PngSamples& samples, std::uint32_t y) {
  return std::string(AsText({samples.row(y), RowBytes(samples)}));
}

// One number of a row as it is stored, of any number of bits.
unsigned NumberAt(std::string_view row, std::size_t i, unsigned bits) {
  unsigned number = 0;
  for (std::size_t bit = i * bits; bit < (i + 1) * bits; ++bit) {
    const auto byte = static_cast<std::uint8_t>(row[bit / 8]);
    number = number << 1 | (byte >> (7 - bit % 8) & 1U);
  }
  return number;
}

TEST_CASE("Samples of a PNG are the numbers that it stores", "[png_samples]") {
  PngSamples samples;
  for (const auto& [bits, color_type] : kKinds) {
    CAPTURE(int(bits), int(color_type));
    const PngSpec spec{.bits = bits, .color_type = color_type, .idat_size = 31};
    const std::string png = MakePng(spec);
    REQUIRE(samples.Decode(AsBytes(png), {}, spec.height).ToString() == "OK");
    const auto type = ReadPngSampleType(AsBytes(png));
    REQUIRE(type.ok());
    CHECK(type->size == samples.type().size);
    const std::string stored = PngPixelData(spec);
    const std::size_t stored_row = stored.size() / spec.height;
    const unsigned scale = color_type == 0 && bits == 2   ? 85
                           : color_type == 0 && bits == 4 ? 17
                                                          : 1;
    for (std::uint32_t y = 0; y < spec.height; ++y) {
      const std::string row = Row(samples, y);
      const auto from = std::string_view(stored).substr(stored_row * y + 1);
      for (std::size_t i = 0; i * type->bytes < row.size(); ++i) {
        const unsigned number = NumberAt(from, i, bits) * scale;
        REQUIRE(static_cast<std::uint8_t>(row[i * type->bytes]) ==
                (number & 255));
        if (type->bytes == 1) continue;
        REQUIRE(static_cast<std::uint8_t>(row[2 * i + 1]) == number >> 8);
      }
    }
  }
}

TEST_CASE("Rows behind those that are wanted need not be there",
          "[png_samples]") {
  PngSamples whole;
  PngSamples part;
  const PngSpec spec{
      .width = 70, .height = 90, .color_type = 3, .idat_size = 64};
  const std::string png = MakePng(spec);
  REQUIRE(whole.Decode(AsBytes(png), {}, spec.height).ok());
  for (std::uint32_t end = 1; end < spec.height; end += 13) {
    CAPTURE(end);
    const std::string cut =
        png.substr(0, png.size() / spec.height * (end + 14));
    CHECK(part.Decode(AsBytes(cut), {}, end).ok());
    for (std::uint32_t y = 0; y < end; ++y) {
      REQUIRE(Row(part, y) == Row(whole, y));
    }
    const std::string early = png.substr(0, png.size() * end / 2 / spec.height);
    CHECK_FALSE(part.Decode(AsBytes(early), {}, end).ok());
  }
  std::string damaged = png;
  damaged[png.size() / 2] ^= 1;
  CHECK(part.Decode(AsBytes(damaged), {}, 3).ok());
  CHECK(part.Decode(AsBytes(damaged), {}, spec.height).code() ==
        Code::kCorrupt);
}

TEST_CASE("Interlaced PNGs are read whole", "[png_samples]") {
  PngSamples samples;
  for (const auto& [bits, color_type] : kKinds) {
    const PngSpec spec{
        .bits = bits, .color_type = color_type, .interlaced = true};
    const std::string png = MakePng(spec);
    REQUIRE(samples.Decode(AsBytes(png), {}, 2).ToString() == "OK");
    // The last pass has the odd rows, the first of them first.
    const std::string stored = PngPixelData(spec);
    const std::size_t row =
        1 + (spec.width * bits * samples.type().channels + 7) / 8;
    const auto last = std::string_view(stored).substr(
        stored.size() - row * (spec.height / 2) + 1);
    const auto first = static_cast<std::uint8_t>(Row(samples, 1)[0]);
    const unsigned number = NumberAt(last, 0, bits);
    CHECK(first % 256 == (bits == 16                     ? number & 255
                          : color_type == 0 && bits == 2 ? number * 85
                          : color_type == 0 && bits == 4 ? number * 17
                                                         : number));
  }
}

TEST_CASE("Damage is found as where the image becomes pixels",
          "[png_samples]") {
  PngSamples samples;
  PixelBuffer pixels;
  Draws draws(1);
  int good = 0;
  int bad = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    const auto& [bits, color_type] = kKinds[i % std::size(kKinds)];
    const PngSpec spec{.bits = bits,
                       .color_type = color_type,
                       .interlaced = i % 3 == 0,
                       .idat_size = 100};
    std::string png = PngSignature() + PngHeaderChunk(spec);
    if (color_type == 3) png += MakePngChunk("PLTE", std::string(768, '1'));
    std::string data = ZlibStored(PngPixelData(spec));
    for (std::uint64_t changes = draws.Below(3); changes > 0; --changes) {
      data[draws.Below(data.size())] ^= static_cast<char>(1 << draws.Below(8));
    }
    // Its CRC is right: the damage is behind it.
    png += MakePngChunk("IDAT", data.substr(0, data.size() - draws.Below(3)));
    if (draws.Below(4) > 0) png += MakePngChunk("IEND", "");
    const Status status = samples.Decode(AsBytes(png), {}, spec.height);
    const auto decoded = DecodeImage(AsBytes(png), {}, pixels);
    // With two faults either may be the first.
    CHECK(status.code() == decoded.status().code());
    ++(status.ok() ? good : bad);
    for (std::uint32_t end = 1; end < spec.height; end += 5) {
      if (samples.Decode(AsBytes(png), {}, end).ok()) Row(samples, end - 1);
    }
  }
  CHECK(good > 300);
  CHECK(bad > 300);
}

TEST_CASE("Samples beyond the memory that there may be are refused",
          "[png_samples]") {
  PngSamples samples;
  const std::string png = MakePng({.width = 100, .height = 100});
  DecodeLimits limits;
  limits.max_memory = 100'000;
  CHECK(samples.Decode(AsBytes(png), limits, 100).code() == Code::kUnsupported);
  CHECK(samples.Decode(AsBytes(png), limits, 10).ok());
}

}  // namespace
}  // namespace shardine::png_samples_test
