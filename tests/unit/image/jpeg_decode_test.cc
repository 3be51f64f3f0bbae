#include "image/jpeg_decode.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "support/jpeg_maker.h"

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

namespace shardine {
namespace {

Result<DecodedImage> Decode(std::string_view jpeg,
                            const DecodeLimits& limits = {}) {
  return DecodeJpeg(AsBytes(jpeg), limits);
}

Result<DecodeReport> Check(std::string_view jpeg,
                           const DecodeLimits& limits = {}) {
  return CheckJpegDecode(AsBytes(jpeg), limits);
}

// Where the entropy-coded data of the first scan begin.
std::size_t DataStart(std::string_view jpeg) {
  const auto scan = FindJpegMarker(jpeg, 0xDA);
  return scan.offset + scan.size;
}

bool Warned(const DecodeReport& report, std::string_view text) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const DecodeWarning& warning) {
                       return warning.text.find(text) != std::string::npos;
                     });
}

// A flat picture: one color everywhere, whatever the process.
JpegSpec Flat(JpegColor color) {
  JpegSpec spec;
  spec.width = 1;
  spec.height = 1;
  spec.noise = 0;
  spec.quality = 100;
  spec.color = color;
  return spec;
}

TEST_CASE("DecodeJpeg gives rows without padding in the stored colors",
          "[jpeg][decode]") {
  const std::vector<std::pair<JpegColor, std::size_t>> cases = {
      {JpegColor::kGray, 1},
      {JpegColor::kYcc, 3},
      {JpegColor::kRgb, 3},
      {JpegColor::kCmyk, 4},
      {JpegColor::kYcck, 4}};
  for (const auto& [color, components] : cases) {
    JpegSpec spec;
    spec.color = color;
    auto image = Decode(MakeJpeg(spec));
    REQUIRE(image.ok());
    CHECK(image->report.width == 33);
    CHECK(image->report.height == 21);
    CHECK(image->report.components == components);
    CHECK(image->report.warnings.empty());
    CHECK(image->pixels.size() == 33 * 21 * components);
  }
}

TEST_CASE("DecodeJpeg gives back what was encoded, up to rounding",
          "[jpeg][decode]") {
  // The first pixel of a gradient without noise is the phase of each channel,
  // the same for RGB stored as such and through YCbCr.
  auto rgb = Decode(MakeJpeg(Flat(JpegColor::kRgb)));
  auto ycc = Decode(MakeJpeg(Flat(JpegColor::kYcc)));
  REQUIRE(rgb.ok());
  REQUIRE(ycc.ok());
  REQUIRE(rgb->pixels.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::abs(rgb->pixels[i] - ycc->pixels[i]) <= 3);
  }
  CHECK((rgb->pixels[0] != rgb->pixels[1] || rgb->pixels[1] != rgb->pixels[2]));
}

// The pixels by libjpeg with nothing set but the input.
std::vector<std::uint8_t> DecodeWithDefaults(const std::string& jpeg) {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(jpeg.data()),
               jpeg.size());
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  const std::size_t stride = std::size_t{info.output_width} *
                             static_cast<unsigned>(info.output_components);
  std::vector<std::uint8_t> pixels(stride * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels.data() + stride * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return pixels;
}

TEST_CASE("DecodeJpeg gives the pixels that libjpeg gives by default",
          "[jpeg][decode]") {
  for (const JpegColor color :
       {JpegColor::kGray, JpegColor::kYcc, JpegColor::kRgb, JpegColor::kCmyk,
        JpegColor::kYcck}) {
    for (const int across : {1, 2}) {
      for (const int down : {1, 2}) {
        JpegSpec spec;
        spec.color = color;
        spec.across = across;
        spec.down = down;
        spec.quality = 95;
        spec.noise = 255;
        const std::string jpeg = MakeJpeg(spec);
        auto image = Decode(jpeg);
        REQUIRE(image.ok());
        CHECK(image->pixels == DecodeWithDefaults(jpeg));
      }
    }
  }
}

TEST_CASE(
    "DecodeJpeg gives equal pixels for baseline, progressive and "
    "arithmetic coding of one picture",
    "[jpeg][decode]") {
  JpegSpec spec;
  auto baseline = Decode(MakeJpeg(spec));
  spec.restart_rows = 1;
  auto restarts = Decode(MakeJpeg(spec));
  spec.progressive = true;
  auto progressive = Decode(MakeJpeg(spec));
  spec.arithmetic = true;
  auto arithmetic = Decode(MakeJpeg(spec));
  REQUIRE(baseline.ok());
  REQUIRE(restarts.ok());
  REQUIRE(progressive.ok());
  REQUIRE(arithmetic.ok());
  CHECK(restarts->pixels == baseline->pixels);
  CHECK(progressive->pixels == baseline->pixels);
  CHECK(arithmetic->pixels == baseline->pixels);
}

TEST_CASE("CheckJpegDecode reports what DecodeJpeg reports", "[jpeg][decode]") {
  std::string jpeg = MakeJpeg();
  jpeg.resize(DataStart(jpeg) + 40);
  auto checked = Check(jpeg);
  auto decoded = Decode(jpeg);
  REQUIRE(checked.ok());
  REQUIRE(decoded.ok());
  CHECK(checked->width == decoded->report.width);
  CHECK(checked->height == decoded->report.height);
  CHECK(checked->components == decoded->report.components);
  CHECK(checked->warnings == decoded->report.warnings);
  CHECK_FALSE(checked->warnings.empty());
}

TEST_CASE("CheckJpegDecode gives a cut in the pixel data as a warning",
          "[jpeg][decode][corruption]") {
  const std::string jpeg = MakeJpeg();
  for (std::size_t size = DataStart(jpeg); size < jpeg.size(); ++size) {
    auto report = Check(jpeg.substr(0, size));
    if (!report.ok() || !Warned(*report, "Premature end of JPEG file")) {
      FAIL("cut at " << size);
    }
  }
}

TEST_CASE("CheckJpegDecode never calls a cut progressive image clean",
          "[jpeg][decode][corruption]") {
  JpegSpec spec;
  spec.progressive = true;
  const std::string jpeg = MakeJpeg(spec);
  for (std::size_t size = DataStart(jpeg); size < jpeg.size(); ++size) {
    // Cut inside a table between two scans, it is an error.
    auto report = Check(jpeg.substr(0, size));
    if (report.ok() ? report->warnings.empty()
                    : report.status().code() != Code::kCorrupt) {
      FAIL("cut at " << size);
    }
  }
  auto whole = Check(jpeg);
  REQUIRE(whole.ok());
  CHECK(whole->warnings.empty());
}

TEST_CASE("CheckJpegDecode refuses a cut in the header",
          "[jpeg][decode][corruption]") {
  const std::string jpeg = MakeJpeg();
  for (std::size_t size = 0; size < FindJpegMarker(jpeg, 0xDA).offset; ++size) {
    auto report = Check(jpeg.substr(0, size));
    if (report.ok() || report.status().code() != Code::kCorrupt ||
        report.status().message().empty()) {
      FAIL("cut at " << size);
    }
  }
}

TEST_CASE("CheckJpegDecode counts the warnings of one kind",
          "[jpeg][decode][corruption]") {
  JpegSpec spec;
  spec.width = 64;
  spec.height = 64;
  spec.restart_rows = 1;
  std::string jpeg = MakeJpeg(spec);
  // Extraneous bytes before each restart marker.
  std::size_t inserted = 0;
  for (std::size_t at = DataStart(jpeg); at + 1 < jpeg.size(); ++at) {
    const auto next = static_cast<std::uint8_t>(jpeg[at + 1]);
    if (jpeg[at] != '\xFF' || next < 0xD0 || next > 0xD7) continue;
    jpeg.insert(at, "abcd");
    at += 5;
    ++inserted;
  }
  REQUIRE(inserted == 3);
  auto report = Check(jpeg);
  REQUIRE(report.ok());
  REQUIRE(report->warnings.size() == 1);
  CHECK(report->warnings[0].text ==
        "Corrupt JPEG data: 4 extraneous bytes before marker 0xd0");
  CHECK(report->warnings[0].count == 3);
}

TEST_CASE("CheckJpegDecode warns of Huffman codes that do not exist",
          "[jpeg][decode][corruption]") {
  std::string jpeg = MakeJpeg();
  const std::size_t start = DataStart(jpeg);
  for (std::size_t at = start; at < jpeg.size() - 2; at += 2) {
    jpeg[at] = '\xFF';
    jpeg[at + 1] = '\0';
  }
  auto report = Check(jpeg);
  REQUIRE(report.ok());
  CHECK(Warned(*report, "bad Huffman code"));
}

TEST_CASE(
    "CheckJpegDecode refuses Huffman and quantisation tables that "
    "cannot be",
    "[jpeg][decode][corruption]") {
  const std::string jpeg = MakeJpeg();
  std::string counts = jpeg;
  counts[FindJpegMarker(jpeg, 0xC4).offset + 5] = '\x7F';
  CHECK(Check(counts).status().code() == Code::kCorrupt);
  std::string missing = jpeg;
  const auto table = FindJpegMarker(jpeg, 0xDB);
  missing.erase(table.offset, table.size);
  CHECK(Check(missing).status().message() ==
        "Quantization table 0x00 was not defined");
}

TEST_CASE("CheckJpegDecode refuses a bomb of ten thousand scans",
          "[jpeg][decode][limits]") {
  const std::string bomb = MakeManyScans(10000);
  const Status status = Check(bomb).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() == "more than 500 scans");
}

TEST_CASE("CheckJpegDecode accepts exactly as many scans as the limit says",
          "[jpeg][decode][limits]") {
  DecodeLimits limits;
  limits.max_scans = 20;
  CHECK(Check(MakeManyScans(20), limits).ok());
  CHECK(Check(MakeManyScans(21), limits).status().message() ==
        "more than 20 scans");
}

TEST_CASE(
    "CheckJpegDecode refuses 65500 x 65500 pixels before it takes "
    "memory for them",
    "[jpeg][decode][limits]") {
  std::string jpeg = MakeJpeg();
  const std::size_t frame = FindJpegFrame(jpeg).offset;
  for (const std::size_t at : {frame + 5, frame + 7}) {
    jpeg[at] = '\xFF';
    jpeg[at + 1] = '\xDC';
  }
  DecodeLimits limits;
  limits.max_memory = 1 << 20;
  const Status status = Check(jpeg, limits).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() ==
        "65500 x 65500 pixels are more than the limit of 268435456");
  CHECK(Decode(jpeg, limits).status().message() == status.message());
}

TEST_CASE("CheckJpegDecode accepts exactly as many pixels as the limit says",
          "[jpeg][decode][limits]") {
  DecodeLimits limits;
  limits.max_pixels = 33 * 21;
  CHECK(Check(MakeJpeg(), limits).ok());
  limits.max_pixels -= 1;
  CHECK(Check(MakeJpeg(), limits).status().code() == Code::kUnsupported);
}

TEST_CASE("DecodeJpeg refuses a progressive image beyond the memory limit",
          "[jpeg][decode][limits]") {
  JpegSpec spec;
  spec.width = 1024;
  spec.height = 1024;
  spec.noise = 0;
  spec.progressive = true;
  const std::string jpeg = MakeJpeg(spec);
  DecodeLimits limits;
  limits.max_memory = 1 << 20;  // the coefficients need 3 MiB
  const Status status = Decode(jpeg, limits).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() == "decoding needs more than 1048576 bytes");
  limits.max_memory = 8 << 20;
  CHECK(Decode(jpeg, limits).ok());
}

TEST_CASE("DecodeJpeg refuses what is no JPEG", "[jpeg][decode]") {
  CHECK(Decode("").status().code() == Code::kCorrupt);
  CHECK(Decode("<html>").status().code() == Code::kCorrupt);
  CHECK(Decode("\xFF\xD8\xFF\xD9").status().code() == Code::kCorrupt);
}

TEST_CASE("DecodeJpeg survives random flips all over a small image",
          "[jpeg][decode][corruption]") {
  for (const bool progressive : {false, true}) {
    JpegSpec spec;
    spec.progressive = progressive;
    const std::string jpeg = MakeJpeg(spec);
    DecodeLimits limits;
    limits.max_pixels = 1 << 16;
    limits.max_memory = 16 << 20;
    std::uint32_t state = 12345;
    const auto next = [&state] {
      state = state * 1664525U + 1013904223U;
      return state >> 8;
    };
    for (int round = 0; round < 1500; ++round) {
      std::string damaged = jpeg;
      for (std::uint32_t flips = 1 + next() % 4; flips > 0; --flips) {
        char& byte = damaged[next() % damaged.size()];
        byte = static_cast<char>(byte ^ 1 << next() % 8);
      }
      auto image = Decode(damaged, limits);
      const DecodeReport report = image.ok() ? image->report : DecodeReport();
      const std::size_t expected =
          std::size_t{report.width} * report.height * report.components;
      if (image.ok() ? image->pixels.size() != expected
                     : image.status().message().empty()) {
        FAIL("round " << round);
      }
    }
  }
}

}  // namespace
}  // namespace shardine
