#include "image/jpeg_scans.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// clang-format off: jpeglib.h needs size_t and FILE declared before it
#include <jpeglib.h>
// clang-format on

#include "image/check_image.h"
#include "image/image_decoder.h"
#include "image/probe.h"
#include "pixels/buffer_sink.h"
#include "support/cut_scans.h"
#include "support/jpeg_maker.h"

namespace shardine::jpeg_scans_test {
namespace {

constexpr char kMissing[] = "missing-scans";

// Sequential, each of the three components in a scan of its own.
std::string MakeSeparateScans() {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = info.image_height = 40;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  const jpeg_scan_info scans[] = {
      {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
  info.scan_info = scans;
  info.num_scans = 3;
  jpeg_start_compress(&info, TRUE);
  std::vector<unsigned char> row(3 * 40);
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = static_cast<unsigned char>(i * 37);
  }
  JSAMPROW pointer = row.data();
  while (info.next_scanline < 40) jpeg_write_scanlines(&info, &pointer, 1);
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string jpeg(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return jpeg;
}

std::size_t WarningsOf(const std::string& jpeg) {
  ImageDecoder decoder;
  REQUIRE(decoder.Open(AsBytes(jpeg), {}).ok());
  PixelBuffer pixels;
  BufferSink sink(pixels);
  const auto warnings = decoder.Decode(sink);
  REQUIRE(warnings.status().ToString() == "OK");
  // A region of the first rows has less than the image, and knows it.
  PixelBuffer part;
  BufferSink part_sink(part);
  const auto of_part = decoder.DecodeRegion({0, 0, 8, 8}, part_sink);
  REQUIRE(of_part.status().ToString() == "OK");
  CHECK(*of_part == *warnings);
  return warnings->size();
}

void CheckWhole(const std::string& jpeg) {
  CHECK(HasAllScans(AsBytes(jpeg)));
  CHECK(ProbeImage(AsBytes(jpeg)).problem == ImageProblem::kNone);
  CHECK(CheckImage(AsBytes(jpeg), ImageCheck::kDecode).good());
  CHECK(WarningsOf(jpeg) == 0);
}

void CheckMissing(const std::string& jpeg) {
  CHECK_FALSE(HasAllScans(AsBytes(jpeg)));
  const ProbeResult probe = ProbeImage(AsBytes(jpeg + "behind"));
  CHECK(probe.problem == ImageProblem::kMissingScans);
  CHECK(probe.offset == jpeg.size() - 2);
  CHECK(probe.end_marker);
  CHECK(CheckImage(AsBytes(jpeg), ImageCheck::kNone).good());
  for (const auto level : {ImageCheck::kHeader, ImageCheck::kDecode}) {
    CHECK(CheckImage(AsBytes(jpeg), level).reason == kMissing);
  }
  CHECK(WarningsOf(jpeg) == 1);
}

// All kinds of JPEGs that libjpeg makes in several scans.
std::vector<std::string> MakeAll() {
  std::vector<std::string> all = {MakeSeparateScans()};
  for (const auto color :
       {JpegColor::kGray, JpegColor::kYcc, JpegColor::kRgb, JpegColor::kCmyk}) {
    for (const bool arithmetic : {false, true}) {
      all.push_back(MakeJpeg(
          {.color = color, .progressive = true, .arithmetic = arithmetic}));
    }
  }
  JpegSpec restarts{.progressive = true};
  restarts.restart_mcus = 2;
  all.push_back(MakeJpeg(restarts));
  return all;
}

TEST_CASE("A JPEG with all of its scans is a whole one", "[image]") {
  for (const std::string& jpeg : MakeAll()) CheckWhole(jpeg);
  CheckWhole(MakeJpeg());
  CHECK(HasAllScans(AsBytes(MakeManyScans(40))));
}

TEST_CASE("A JPEG without its last scans is missing them at every level",
          "[image][corruption]") {
  int cuts = 0;
  for (const std::string& jpeg : MakeAll()) {
    const std::size_t scans = ScanEnds(jpeg).size();
    REQUIRE(scans > 2);
    for (std::size_t keep = 1; keep < scans; ++keep) {
      CAPTURE(cuts, keep, scans);
      CheckMissing(KeepScans(jpeg, keep));
      ++cuts;
    }
    CHECK(KeepScans(jpeg, scans) == jpeg);
  }
  CHECK(cuts > 50);
}

TEST_CASE("Scans are walked in JPEGs cut anywhere", "[image][corruption]") {
  const std::string jpeg = MakeJpeg({.progressive = true});
  for (std::size_t size = 3; size < jpeg.size(); ++size) {
    // A buffer of exactly that size, so that a sanitizer sees a read past it.
    const std::vector<char> cut(jpeg.data(), jpeg.data() + size);
    const ByteView bytes = AsBytes({cut.data(), cut.size()});
    static_cast<void>(HasAllScans(bytes));
    CHECK(FindJpegEnd(bytes) == size);
  }
  CHECK(FindJpegEnd(AsBytes(jpeg + "behind")) == jpeg.size());
}

}  // namespace
}  // namespace shardine::jpeg_scans_test
