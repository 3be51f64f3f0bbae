// Limits that grow with the bytes of an image: blocks and scans of a JPEG,
// pixel data of a PNG.

#include <catch2/catch.hpp>
#include <string>

#include "image/check_image.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"

namespace shardine::jpeg_work_test {
namespace {

// 5 x 3 blocks, 128 steps for each.
constexpr std::uint64_t kFrameSteps = 15 * 128;

JpegSpec Gray() {
  JpegSpec spec;
  spec.width = 33;
  spec.height = 21;
  spec.color = JpegColor::kGray;
  return spec;
}

std::string DetailOf(const std::string& image, const DecodeLimits& limits) {
  return CheckImage(AsBytes(image), ImageCheck::kDecode, limits).detail;
}

const std::string kTooMuchWork =
    "more blocks and scans than an image of so few bytes may have";

TEST_CASE("CheckImage refuses a JPEG of more blocks than its bytes account for",
          "[jpeg][limits]") {
  const std::string jpeg = MakeJpeg(Gray());
  DecodeLimits limits{.jpeg_steps = kFrameSteps, .jpeg_steps_per_byte = 0};
  CHECK(DetailOf(jpeg, limits).empty());
  limits.jpeg_steps -= 1;
  CHECK(DetailOf(jpeg, limits) == kTooMuchWork);
  limits = {.jpeg_steps = 0, .jpeg_steps_per_byte = kFrameSteps / jpeg.size()};
  CHECK(DetailOf(jpeg, limits) == kTooMuchWork);
  limits.jpeg_steps_per_byte += 1;
  CHECK(DetailOf(jpeg, limits).empty());
}

TEST_CASE("CheckImage refuses a JPEG of more scans than its bytes account for",
          "[jpeg][limits]") {
  // One block: each scan takes 8 steps and, where it refines the coefficients
  // from 1 to 63, 63 more.
  const std::string jpeg = MakeManyScans(100);
  DecodeLimits limits{.jpeg_steps = 100 * (8 + 63), .jpeg_steps_per_byte = 0};
  CHECK(DetailOf(jpeg, limits) != kTooMuchWork);
  limits.jpeg_steps = 90 * (8 + 63);
  CHECK(DetailOf(jpeg, limits) == kTooMuchWork);
}

TEST_CASE("A blank page of any size is within the work its bytes account for",
          "[jpeg][limits]") {
  JpegSpec spec;
  spec.width = 800;
  spec.height = 600;
  spec.noise = 0;
  for (const bool progressive : {false, true}) {
    spec.progressive = progressive;
    CHECK(DetailOf(MakeJpeg(spec), {.jpeg_steps = 0}).empty());
  }
}

TEST_CASE("CheckImage refuses a PNG of more pixels than its bytes account for",
          "[png][limits]") {
  const std::string png = MakePng();
  // Bytes of 19 x 13 RGB pixels, with a filter type for each row.
  constexpr std::uint64_t kPixelBytes = (3 * 19 + 1) * 13;
  DecodeLimits limits{.png_bytes = kPixelBytes, .png_bytes_per_byte = 0};
  CHECK(DetailOf(png, limits).empty());
  limits.png_bytes -= 1;
  CHECK(DetailOf(png, limits) ==
        "19 x 13 pixels are more than an image of so few bytes may have");
}

}  // namespace
}  // namespace shardine::jpeg_work_test
