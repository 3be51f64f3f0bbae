#include "image/jpeg_decode.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "support/jpeg_maker.h"
#include "support/row_collector.h"

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

namespace shardine::jpeg_decode_test {
namespace {

struct Decoded {
  PixelSize size;
  std::uint8_t channels = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<DecodeWarning> warnings;
};

Result<Decoded> Decode(std::string_view jpeg, const DecodeLimits& limits = {},
                       ColorMode color = ColorMode::kKeep) {
  RowCollector rows;
  auto warnings = DecodeJpeg(AsBytes(jpeg), limits, {.mode = color}, rows);
  if (!warnings.ok()) return warnings.status();
  if (rows.rows != rows.size.height) FAIL("rows are missing");
  return Decoded{rows.size, rows.channels, rows.pixels, *warnings};
}

// Where the entropy-coded data of the first scan begin.
std::size_t DataStart(std::string_view jpeg) {
  const auto scan = FindJpegMarker(jpeg, 0xDA);
  return scan.offset + scan.size;
}

bool Warned(const Decoded& report, std::string_view text) {
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

TEST_CASE("DecodeJpeg gives gray as one channel and all else as RGB",
          "[jpeg][decode]") {
  const std::vector<std::pair<JpegColor, std::size_t>> cases = {
      {JpegColor::kGray, 1},
      {JpegColor::kYcc, 3},
      {JpegColor::kRgb, 3},
      {JpegColor::kCmyk, 3},
      {JpegColor::kYcck, 3}};
  for (const auto& [color, channels] : cases) {
    JpegSpec spec;
    spec.color = color;
    auto image = Decode(MakeJpeg(spec));
    REQUIRE(image.ok());
    CHECK(image->size == PixelSize{33, 21});
    CHECK(image->channels == channels);
    CHECK(image->warnings.empty());
    CHECK(image->pixels.size() == 33 * 21 * channels);
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

// Converts as Pillow does: inverted, then to RGB.
std::vector<std::uint8_t> RgbOfCmyk(const std::vector<std::uint8_t>& cmyk) {
  std::vector<std::uint8_t> rgb;
  for (std::size_t i = 0; i < cmyk.size(); i += 4) {
    const int key = cmyk[i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const int product = (255 - cmyk[i + c]) * key + 128;
      const int value = key - (((product >> 8) + product) >> 8);
      rgb.push_back(static_cast<std::uint8_t>(std::clamp(value, 0, 255)));
    }
  }
  return rgb;
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
        const auto expected = DecodeWithDefaults(jpeg);
        CHECK(
            image->pixels ==
            (spec.color >= JpegColor::kCmyk ? RgbOfCmyk(expected) : expected));
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

TEST_CASE("DecodeJpeg makes gray of colors and colors of gray as it is told",
          "[jpeg][decode]") {
  for (const JpegColor color : {JpegColor::kYcc, JpegColor::kYcck}) {
    JpegSpec spec;
    spec.color = color;
    const std::string jpeg = MakeJpeg(spec);
    auto rgb = Decode(jpeg, {}, ColorMode::kColor);
    auto gray = Decode(jpeg, {}, ColorMode::kGray);
    REQUIRE(rgb.ok());
    REQUIRE(gray.ok());
    CHECK(rgb->pixels == Decode(jpeg)->pixels);
    CHECK(gray->channels == 1);
    REQUIRE(gray->pixels.size() == 33 * 21);
    for (std::size_t i = 0; i < gray->pixels.size(); ++i) {
      const std::uint8_t* from = rgb->pixels.data() + 3 * i;
      const unsigned luma =
          (from[0] * 19595U + from[1] * 38470U + from[2] * 7471U + 0x8000U) >>
          16;
      if (gray->pixels[i] != luma) FAIL("pixel " << i);
    }
  }
  JpegSpec spec;
  spec.color = JpegColor::kGray;
  const std::string jpeg = MakeJpeg(spec);
  const auto gray = Decode(jpeg, {}, ColorMode::kGray)->pixels;
  CHECK(gray == Decode(jpeg)->pixels);
  std::vector<std::uint8_t> tripled;
  for (const std::uint8_t value : gray) tripled.insert(tripled.end(), 3, value);
  CHECK(Decode(jpeg, {}, ColorMode::kColor)->pixels == tripled);
}

TEST_CASE("DecodeJpeg gives the rows of a row of MCUs at once",
          "[jpeg][decode]") {
  for (const int down : {1, 2, 4}) {
    JpegSpec spec;
    spec.height = 100;
    spec.down = down;
    const std::string jpeg = MakeJpeg(spec);
    RowCollector rows;
    REQUIRE(DecodeJpeg(AsBytes(jpeg), {}, {}, rows).ok());
    CHECK(rows.most_at_once == static_cast<unsigned>(8 * down));
    CHECK(rows.rows == 100);
  }
}

TEST_CASE("DecodeJpeg hands on why a sink refused to begin", "[jpeg][decode]") {
  struct Refusal final : RowSink {
    Status Begin(PixelSize, std::uint8_t) override {
      return Status(Code::kCancelled, "not now");
    }
    void TakeRows(const std::uint8_t*, std::size_t, std::uint32_t) override {
      FAIL("rows after all");
    }
  } refusal;
  const std::string jpeg = MakeJpeg();
  const auto result = DecodeJpeg(AsBytes(jpeg), {}, {}, refusal);
  CHECK(result.status().code() == Code::kCancelled);
}

TEST_CASE("DecodeJpeg refuses two components", "[jpeg][decode]") {
  std::string jpeg = MakeJpeg();
  const auto frame = FindJpegFrame(jpeg);
  jpeg[frame.offset + 3] = 14;
  jpeg[frame.offset + 9] = 2;
  jpeg.erase(frame.offset + 16, 3);
  const auto scan = FindJpegMarker(jpeg, 0xDA);
  jpeg[scan.offset + 3] = 10;
  jpeg[scan.offset + 4] = 2;
  jpeg.erase(scan.offset + 9, 2);
  CHECK(Decode(jpeg).status().code() == Code::kUnsupported);
  CHECK(Decode(jpeg).status().message() == "JPEG of 2 components");
}

TEST_CASE("DecodeJpeg gives a cut in the pixel data as a warning",
          "[jpeg][decode][corruption]") {
  const std::string jpeg = MakeJpeg();
  for (std::size_t size = DataStart(jpeg); size < jpeg.size(); ++size) {
    auto report = Decode(jpeg.substr(0, size));
    if (!report.ok() || !Warned(*report, "Premature end of JPEG file")) {
      FAIL("cut at " << size);
    }
  }
}

TEST_CASE("DecodeJpeg never calls a cut progressive image clean",
          "[jpeg][decode][corruption]") {
  JpegSpec spec;
  spec.progressive = true;
  const std::string jpeg = MakeJpeg(spec);
  for (std::size_t size = DataStart(jpeg); size < jpeg.size(); ++size) {
    // Cut inside a table between two scans, it is an error.
    auto report = Decode(jpeg.substr(0, size));
    if (report.ok() ? report->warnings.empty()
                    : report.status().code() != Code::kCorrupt) {
      FAIL("cut at " << size);
    }
  }
  auto whole = Decode(jpeg);
  REQUIRE(whole.ok());
  CHECK(whole->warnings.empty());
}

TEST_CASE("DecodeJpeg refuses a cut in the header",
          "[jpeg][decode][corruption]") {
  const std::string jpeg = MakeJpeg();
  for (std::size_t size = 0; size < FindJpegMarker(jpeg, 0xDA).offset; ++size) {
    auto report = Decode(jpeg.substr(0, size));
    if (report.ok() || report.status().code() != Code::kCorrupt ||
        report.status().message().empty()) {
      FAIL("cut at " << size);
    }
  }
}

TEST_CASE("DecodeJpeg counts the warnings of one kind",
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
  auto report = Decode(jpeg);
  REQUIRE(report.ok());
  REQUIRE(report->warnings.size() == 1);
  CHECK(report->warnings[0].text ==
        "Corrupt JPEG data: 4 extraneous bytes before marker 0xd0");
  CHECK(report->warnings[0].count == 3);
}

TEST_CASE("DecodeJpeg warns of Huffman codes that do not exist",
          "[jpeg][decode][corruption]") {
  std::string jpeg = MakeJpeg();
  const std::size_t start = DataStart(jpeg);
  for (std::size_t at = start; at < jpeg.size() - 2; at += 2) {
    jpeg[at] = '\xFF';
    jpeg[at + 1] = '\0';
  }
  auto report = Decode(jpeg);
  REQUIRE(report.ok());
  CHECK(Warned(*report, "bad Huffman code"));
}

TEST_CASE(
    "DecodeJpeg refuses Huffman and quantisation tables that "
    "cannot be",
    "[jpeg][decode][corruption]") {
  const std::string jpeg = MakeJpeg();
  std::string counts = jpeg;
  counts[FindJpegMarker(jpeg, 0xC4).offset + 5] = '\x7F';
  CHECK(Decode(counts).status().code() == Code::kCorrupt);
  std::string missing = jpeg;
  const auto table = FindJpegMarker(jpeg, 0xDB);
  missing.erase(table.offset, table.size);
  CHECK(Decode(missing).status().message() ==
        "Quantization table 0x00 was not defined");
}

TEST_CASE("DecodeJpeg refuses a bomb of ten thousand scans",
          "[jpeg][decode][limits]") {
  const std::string bomb = MakeManyScans(10000);
  const Status status = Decode(bomb).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() == "more than 500 scans");
}

TEST_CASE("DecodeJpeg accepts exactly as many scans as the limit says",
          "[jpeg][decode][limits]") {
  DecodeLimits limits;
  limits.max_scans = 20;
  CHECK(Decode(MakeManyScans(20), limits).ok());
  CHECK(Decode(MakeManyScans(21), limits).status().message() ==
        "more than 20 scans");
}

TEST_CASE(
    "DecodeJpeg refuses 65500 x 65500 pixels before it takes "
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
  const Status status = Decode(jpeg, limits).status();
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message() ==
        "65500 x 65500 pixels are more than the limit of 268435456");
  CHECK(Decode(jpeg, limits).status().message() == status.message());
}

TEST_CASE("DecodeJpeg accepts exactly as many pixels as the limit says",
          "[jpeg][decode][limits]") {
  DecodeLimits limits;
  limits.max_pixels = 33 * 21;
  CHECK(Decode(MakeJpeg(), limits).ok());
  limits.max_pixels -= 1;
  CHECK(Decode(MakeJpeg(), limits).status().code() == Code::kUnsupported);
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
      const Decoded got = image.ok() ? *image : Decoded();
      const std::size_t expected =
          std::size_t{got.size.width} * got.size.height * got.channels;
      if (image.ok() ? got.pixels.size() != expected
                     : image.status().message().empty()) {
        FAIL("round " << round);
      }
    }
  }
}

}  // namespace
}  // namespace shardine::jpeg_decode_test
