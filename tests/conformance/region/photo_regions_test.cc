// Regions of photos, and of the hostile set where SHARDINE_HOSTILE names its
// folder: as they are and resampled, at every level of vector instructions,
// with entry points and without.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "image/image_kind.h"
#include "image/probe.h"
#include "pixels/resampler.h"
#include "support/region_oracle.h"
#include "support/sanitized.h"

namespace shardine::photo_regions_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPhotoBoxes = kSanitized ? 13 : 40;
constexpr std::size_t kHostileBoxes = kSanitized ? 1 : 8;
constexpr std::size_t kResampled = kSanitized ? 3 : 14;

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Empty if it is no JPEG.
std::string JpegOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (DetectImageKind(AsBytes(content)) != ImageKind::kJpeg) content.clear();
  return content;
}

// Checks each box at all levels, with and without entry points.
void CheckBoxes(const RegionOracle& oracle, ByteView points,
                std::size_t boxes) {
  ImageDecoder decoder;
  for (const SimdLevel level : SimdLevels()) {
    const SimdLimit limit(level);
    for (const Region& box : BoxesOf(oracle.size(), boxes, 1)) {
      CHECK(oracle.FaultOfRegion(decoder, box, {}) == "");
      if (points.empty()) continue;
      CHECK(oracle.FaultOfRegion(decoder, box, points) == "");
    }
  }
}

PixelBuffer ResampledCrop(const PixelBuffer& whole, const Region& box,
                          const ResampleTarget& target) {
  PixelBuffer made;
  made.Reset(target.size, whole.channels());
  Resampler resampler;
  resampler.Begin({.in = {box.width, box.height},
                   .out = target.size,
                   .channels = whole.channels(),
                   .filter = target.filter,
                   .order = target.order,
                   .flip = target.flip},
                  made.data(), made.stride());
  resampler.Push(whole.view().row(box.y) + box.x * whole.channels(),
                 whole.stride(), box.height);
  return made;
}

// Resampled in the decoder is resampled behind it.
void CheckResampled(const RegionOracle& oracle, ByteView jpeg, ByteView points,
                    const Region& box, const ResampleTarget& target) {
  const PixelBuffer expected = ResampledCrop(oracle.pixels(), box, target);
  ImageDecoder decoder;
  for (const SimdLevel level : SimdLevels()) {
    const SimdLimit limit(level);
    for (const ByteView with : {ByteView(), points}) {
      INFO(ToString(level) << " " << ToText(box));
      PixelBuffer made;
      made.Reset(target.size, oracle.pixels().channels());
      REQUIRE(decoder.Open(jpeg, {}, with).ok());
      REQUIRE(decoder.Resample(box, target, made.data(), made.stride()).ok());
      CHECK((AsText(made.bytes()) == AsText(expected.bytes())));
    }
  }
}

TEST_CASE("Regions of photos are parts of libjpeg-turbo's decode",
          "[conformance][photos]") {
  int photos = 0;
  for (const fs::path& path : FilesIn(fs::path(SHARDINE_TESTDATA) / "photos")) {
    const std::string jpeg = JpegOf(path);
    if (jpeg.empty()) continue;
    INFO(path.filename());
    const RegionOracle oracle(AsBytes(jpeg));
    REQUIRE(oracle.clean());
    const std::string points = EntryPointsOf(AsBytes(jpeg));
    photos += points.empty() ? 0 : 1;
    CheckBoxes(oracle, AsBytes(points), kPhotoBoxes);
  }
  CHECK(photos >= 20);
}

TEST_CASE("Resampled regions of photos are the resampled crops",
          "[conformance][photos]") {
  std::uint32_t seed = 0;
  for (const fs::path& path : FilesIn(fs::path(SHARDINE_TESTDATA) / "photos")) {
    const std::string jpeg = JpegOf(path);
    if (jpeg.empty()) continue;
    INFO(path.filename());
    const RegionOracle oracle(AsBytes(jpeg));
    const std::string points = EntryPointsOf(AsBytes(jpeg));
    for (const Region& box : BoxesOf(oracle.size(), kResampled, ++seed)) {
      const ResampleTarget target{
          .size = {seed % 2 == 0 ? 224u : 100u, seed % 3 == 0 ? 224u : 130u},
          .filter = static_cast<Filter>(seed % 6),
          .order = static_cast<PassOrder>(seed / 2 % 2),
          .flip = seed % 2 == 0};
      CheckResampled(oracle, AsBytes(jpeg), AsBytes(points), box, target);
    }
  }
}

TEST_CASE("Regions of hostile files are parts of libjpeg-turbo's decode",
          "[.][hostile]") {
  const char* const folder = std::getenv("SHARDINE_HOSTILE");
  REQUIRE(folder != nullptr);
  int ours = 0;
  int pictures = 0;
  for (const fs::path& path : FilesIn(folder)) {
    const std::string jpeg = JpegOf(path);
    if (jpeg.empty()) continue;
    INFO(path.filename());
    const RegionOracle oracle(AsBytes(jpeg));
    ImageDecoder decoder;
    const std::string points = EntryPointsOf(AsBytes(jpeg));
    for (const SimdLevel level : SimdLevels()) {
      const SimdLimit limit(level);
      CHECK((EntryPointsOf(AsBytes(jpeg)) == points));
      CHECK(oracle.FaultOfWhole(decoder, {}) == "");
      CHECK(oracle.FaultOfWhole(decoder, AsBytes(points)) == "");
    }
    CHECK((points.empty() || oracle.clean()));
    ours += points.empty() ? 0 : 1;
    if (!oracle.decodes()) continue;
    ++pictures;
    CheckBoxes(oracle, AsBytes(points), kHostileBoxes);
  }
  CHECK(ours >= 20);
  CHECK(pictures >= 100);
}

}  // namespace
}  // namespace shardine::photo_regions_test
