#include "jpeg/baseline_decoder.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/jpeg_variety.h"
#include "support/simd_levels.h"
#include "unit/jpeg/scan_fixture.h"

namespace shardine::baseline_decoder_test {
namespace {

using namespace std::string_literals;

constexpr std::uint8_t kUntouched = 0xA5;

class Image {
 public:
  explicit Image(const std::string& jpeg)
      : fixture_(jpeg),
        points_(PackEntryPoints(fixture_.frame, fixture_.grid,
                                fixture_.FindPoints())),
        expected_(DecodeByLibjpeg(jpeg)) {}

  const JpegFrame& frame() const { return fixture_.frame; }

  // Decodes with and without entry points, `at_once` rows at a time.
  bool HasRegion(const Region& region, std::uint32_t at_once) {
    return Equal(region, at_once, "") && Equal(region, at_once, points_);
  }

 private:
  bool Equal(const Region& region, std::uint32_t at_once,
             const std::string& points) {
    if (!decoder_.Begin(fixture_.bytes(), fixture_.frame, region,
                        AsBytes(points)) ||
        decoder_.channels() != expected_.channels) {
      return false;
    }
    const std::size_t stride =
        std::size_t{region.width} * decoder_.channels() + 5;
    std::vector<std::uint8_t> rows(stride * region.height, kUntouched);
    for (std::uint32_t y = 0; y < region.height; y += at_once) {
      if (!decoder_.ReadRows(rows.data() + y * stride, stride,
                             std::min(at_once, region.height - y))) {
        return false;
      }
    }
    const bool whole = region == Region{0, 0, frame().width, frame().height};
    return rows == Expected(region, stride) && (!whole || decoder_.Finish());
  }

  std::vector<std::uint8_t> Expected(const Region& region,
                                     std::size_t stride) const {
    std::vector<std::uint8_t> rows(stride * region.height, kUntouched);
    const std::size_t channels = expected_.channels;
    for (std::size_t y = 0; y < region.height; ++y) {
      const std::size_t from =
          ((region.y + y) * expected_.width + region.x) * channels;
      std::copy_n(expected_.pixels.begin() + static_cast<std::ptrdiff_t>(from),
                  region.width * channels,
                  rows.begin() + static_cast<std::ptrdiff_t>(y * stride));
    }
    return rows;
  }

  ScanFixture fixture_;
  std::string points_;
  DecodedJpeg expected_;
  BaselineDecoder decoder_;
};

JpegSpec SpecOf(std::uint32_t sampling, std::uint32_t width,
                std::uint32_t height) {
  JpegSpec spec{.width = width, .height = height, .noise = 120};
  spec.color = sampling == 4 ? JpegColor::kGray : JpegColor::kYcc;
  spec.across = 1 + static_cast<int>(sampling % 2);
  spec.down = 1 + static_cast<int>(sampling / 2 % 2);
  spec.seed = width * 7 + height;
  return spec;
}
constexpr std::uint32_t kSamplings = 5;

void CheckAtAllLevels(Image& image, const Region& region,
                      std::uint32_t at_once) {
  for (const SimdLevel level : SimdLevels()) {
    const SimdLimit limit(level);
    CAPTURE(ToString(level), region.x, region.y, region.width, region.height);
    REQUIRE(image.HasRegion(region, at_once));
  }
}

}  // namespace

TEST_CASE("narrow images are decoded", "[jpeg]") {
  for (std::uint32_t sampling = 0; sampling < kSamplings; ++sampling) {
    for (std::uint32_t width = 1; width <= 18; ++width) {
      for (const std::uint32_t height : {1u, 2u, 7u, 33u}) {
        CAPTURE(sampling, width, height);
        Image image(MakeJpeg(SpecOf(sampling, width, height)));
        CheckAtAllLevels(image, {0, 0, width, height}, 3);
        CheckAtAllLevels(image, {width / 2, height / 2, 1, 1}, 1);
      }
    }
  }
}

TEST_CASE("regions that begin and end at odd and even places are decoded",
          "[jpeg]") {
  for (std::uint32_t sampling = 0; sampling < kSamplings; ++sampling) {
    CAPTURE(sampling);
    Image image(MakeJpeg(SpecOf(sampling, 70, 41)));
    for (std::uint32_t x = 13; x < 19; ++x) {
      for (std::uint32_t y = 13; y < 19; ++y) {
        for (std::uint32_t more = 0; more < 4; ++more) {
          CheckAtAllLevels(image, {x, y, 1 + more, 4 - more}, 1 + more);
          CheckAtAllLevels(image, {x, y, 50 - more, 20 + more}, 8);
        }
      }
    }
  }
}

TEST_CASE("bands of one row of MCUs meet without a seam", "[jpeg]") {
  for (std::uint32_t sampling = 0; sampling < kSamplings; ++sampling) {
    CAPTURE(sampling);
    Image image(MakeJpeg(SpecOf(sampling, 33000, 50)));
    for (const Region& region :
         {Region{0, 0, 33000, 50}, Region{1, 15, 32999, 3}}) {
      const SimdLimit limit(SimdLevel::kAvx512Vnni);
      REQUIRE(image.HasRegion(region, 16));
      LimitSimd(SimdLevel::kPortable);
      REQUIRE(image.HasRegion(region, 7));
    }
  }
}

TEST_CASE("rows come in any number at a time", "[jpeg]") {
  Image image(MakeJpeg(SpecOf(3, 90, 75)));
  for (std::uint32_t at_once = 1; at_once < 80; ++at_once) {
    REQUIRE(image.HasRegion({5, 3, 80, 70}, at_once));
    REQUIRE(image.HasRegion({0, 0, 90, 75}, at_once));
  }
}

TEST_CASE("only damage that a region touches keeps its rows back",
          "[jpeg][corruption]") {
  const std::string whole = MakeJpeg(SpecOf(3, 200, 200));
  const std::string cut = whole.substr(0, whole.size() * 2 / 3);
  JpegFrame frame;
  REQUIRE(ReadJpegFrame(AsBytes(cut), frame));
  BaselineDecoder decoder;
  const auto reads = [&](const Region& region) {
    std::vector<std::uint8_t> rows(std::size_t{region.width} * 3 *
                                   region.height);
    return decoder.Begin(AsBytes(cut), frame, region, {}) &&
           decoder.ReadRows(rows.data(), region.width * 3u, region.height);
  };
  CHECK(reads({10, 10, 150, 90}));
  CHECK_FALSE(reads({0, 0, 200, 200}));
  CHECK_FALSE(reads({0, 190, 5, 5}));
  CHECK(reads({10, 10, 150, 90}));
}

TEST_CASE("what is odd behind the last MCU is found at the end",
          "[jpeg][corruption]") {
  const std::string jpeg = MakeJpeg(SpecOf(0, 60, 20));
  const std::string end = jpeg.substr(jpeg.size() - 2);
  const std::string front = jpeg.substr(0, jpeg.size() - 2);
  const auto finishes = [](const std::string& file) {
    JpegFrame frame;
    REQUIRE(ReadJpegFrame(AsBytes(file), frame));
    BaselineDecoder decoder;
    std::vector<std::uint8_t> rows(60 * 20 * 3);
    REQUIRE(decoder.Begin(AsBytes(file), frame, {0, 0, 60, 20}, {}));
    REQUIRE(decoder.ReadRows(rows.data(), 180, 20));
    return decoder.Finish();
  };
  CHECK(finishes(jpeg));
  CHECK(finishes(jpeg + "more"));
  CHECK_FALSE(finishes(front));
  CHECK_FALSE(finishes(front + "\x55"s + end));
  CHECK_FALSE(finishes(front + "\xFF\xD0"s + end));
}

}  // namespace shardine::baseline_decoder_test
