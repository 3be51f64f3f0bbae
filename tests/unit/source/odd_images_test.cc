// Images that are odd by CleanVision's definitions.

#include "source/odd_images.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_storage.h"
#include "shardine/source.h"
#include "source/file_images.h"
#include "source/source_set.h"
#include "support/jpeg_maker.h"

namespace shardine::odd_images_test {
namespace {

using Findings = std::vector<AuditFinding>;

// An image without a finding.
ImageLook Plain() {
  return {.size = {640, 480},
          .is_gray = false,
          .dark_percentile = 0.1,
          .light_percentile = 0.9,
          .entropy = 7,
          .edges = 40,
          .tones = 30};
}

Findings FindingsAfter(void (*change)(ImageLook&)) {
  ImageLook look = Plain();
  change(look);
  return OddFindingsOf(look);
}

}  // namespace

TEST_CASE("Each property makes its own finding at CleanVision's threshold",
          "[odd_images]") {
  CHECK(OddFindingsOf(Plain()).empty());
  CHECK(FindingsAfter([](ImageLook& look) { look.light_percentile = 0.31; }) ==
        Findings{AuditFinding::kDark});
  CHECK(FindingsAfter([](ImageLook& look) {
          look.light_percentile = 0.33;
        }).empty());
  CHECK(FindingsAfter([](ImageLook& look) { look.dark_percentile = 0.96; }) ==
        Findings{AuditFinding::kLight});
  CHECK(FindingsAfter([](ImageLook& look) {
          look.dark_percentile = 0.94;
        }).empty());
  CHECK(FindingsAfter([](ImageLook& look) {
          look.size = {100, 34};
        }) == Findings{AuditFinding::kOddAspectRatio});
  CHECK(FindingsAfter([](ImageLook& look) { look.size = {35, 100}; }).empty());
  CHECK(FindingsAfter([](ImageLook& look) { look.entropy = 2.9; }) ==
        Findings{AuditFinding::kLowInformation});
  CHECK(FindingsAfter([](ImageLook& look) { look.is_gray = true; }) ==
        Findings{AuditFinding::kGrayscale});
  // 1 - exp(-0.01 x) is 0.29 at 34.2, and 0.18 at 19.8.
  CHECK(FindingsAfter([](ImageLook& look) {
          look.edges = 34;
          look.tones = 19;
        }) == Findings{AuditFinding::kBlurry});
  CHECK(FindingsAfter([](ImageLook& look) {
          look.edges = 15;
          look.tones = 22;
        }).empty());
}

TEST_CASE("A size is odd beyond three distances of the quartiles",
          "[odd_images]") {
  // Roots of areas 10, 20, ..., 50: quartiles 20 and 40.
  const std::vector<PixelSize> sizes = {{10, 10}, {20, 20}, {0, 0},
                                        {30, 30}, {40, 40}, {50, 50}};
  const OddSizes some(sizes);
  CHECK_FALSE(some.IsOdd({100, 100}));
  CHECK(some.IsOdd({101, 101}));
  // Where most are of one size, each other one is odd.
  const std::vector<PixelSize> same(5, PixelSize{32, 32});
  CHECK_FALSE(OddSizes(same).IsOdd({32, 32}));
  CHECK(OddSizes(same).IsOdd({32, 33}));
  CHECK(OddSizes(same).IsOdd({1, 1}));
}

TEST_CASE("Odd images are found for any number of threads, damaged ones count",
          "[odd_images]") {
  MemoryStorage storage;
  for (std::uint32_t i = 0; i < 20; ++i) {
    storage.Put("tree/" + std::to_string(i) + ".jpg",
                MakeJpeg({.width = 160, .height = 120, .seed = i}));
  }
  storage.Put("tree/bad.jpg", "no image");
  storage.Put("tree/strip.jpg", MakeJpeg({.width = 160, .height = 40}));
  SourceOptions options;
  options.unlabelled = true;
  auto folders = ParseSourceArguments({"tree"});
  REQUIRE(folders.ok());
  options.folders = *std::move(folders);
  const auto files = LoadSource(storage, options);
  REQUIRE(files.status().ToString() == "OK");
  const FileImages images(storage, *files);
  std::vector<std::vector<OddPosition>> results;
  for (const unsigned threads : {1U, 7U}) {
    UnreadImages unread;
    auto odd = FindOddImages(images, threads, unread, {});
    REQUIRE(odd.status().ToString() == "OK");
    CHECK(unread.count() == 1);
    results.push_back(*std::move(odd));
  }
  REQUIRE(results[0].size() == results[1].size());
  REQUIRE_FALSE(results[0].empty());
  const OddPosition& strip = results[0].back();
  CHECK(files->samples.key(strip.position) == "strip.jpg");
  CHECK(strip.findings.front() == AuditFinding::kOddAspectRatio);
  CHECK(strip.findings.back() == AuditFinding::kOddSize);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    CHECK(results[0][i].position == results[1][i].position);
    CHECK(results[0][i].findings == results[1][i].findings);
  }
}

}  // namespace shardine::odd_images_test
