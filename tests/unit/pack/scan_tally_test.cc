// Counts of a scan, compared with a second count over drawn looks.
#include "pack/scan_tally.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "support/draws.h"

namespace shardine::scan_tally_test {
namespace {

const ScanTally* Find(const std::vector<ScanTally>& tallies,
                      const std::string& word) {
  const auto found = std::ranges::find(tallies, word, &ScanTally::word);
  return found == tallies.end() ? nullptr : &*found;
}

FileLook Jpeg(std::uint32_t width, std::uint32_t height) {
  FileLook look;
  look.read = true;
  look.facts = {.kind = ImageKind::kJpeg,
                .coding = ImageCoding::kBaseline,
                .width = width,
                .height = height,
                .components = 3,
                .bits = 8};
  return look;
}

TEST_CASE("A suffix names an image's kind in any case and no other",
          "[pack][scan]") {
  const std::map<ImageKind, std::vector<std::string>> names = {
      {ImageKind::kJpeg, {".jpg", ".jpeg"}},
      {ImageKind::kPng, {".png"}},
      {ImageKind::kWebp, {".webp"}},
      {ImageKind::kBmp, {".bmp"}},
      {ImageKind::kTiff, {".tif", ".tiff"}},
      {ImageKind::kGif, {}},
      {ImageKind::kHeic, {}}};
  for (const auto& [kind, own] : names) {
    for (const auto& [other, suffixes] : names) {
      for (const std::string& suffix : suffixes) {
        std::string upper = suffix;
        for (char& c : upper) {
          if (c != '.') c = static_cast<char>(c - 'a' + 'A');
        }
        CHECK(SuffixNames("n01/a" + suffix, kind) == (kind == other));
        CHECK(SuffixNames("n01/a.png.x" + upper, kind) == (kind == other));
      }
    }
    for (const char* name :
         {"a", "", ".", "a.", "jpg", "a.jpg.", "a.jp", "a.jpgx", "a. png"}) {
      CHECK_FALSE(SuffixNames(name, kind));
    }
  }
  // A file that is no image is no image of another suffix.
  CHECK(SuffixNames("a.jpg", ImageKind::kHtml));
  CHECK(SuffixNames("a", ImageKind::kUnknown));
}

TEST_CASE("Spreads are of sides that images have", "[pack][scan]") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    Draws draws(seed);
    ScanTallies tallies;
    std::vector<std::uint32_t> widths, heights, shorts;
    for (std::uint64_t n = 1 + draws.Below(30); n > 0; --n) {
      const auto width = static_cast<std::uint32_t>(draws.Below(9));
      const auto height = static_cast<std::uint32_t>(draws.Below(9));
      tallies.Add("a.jpg", 10, Jpeg(width, height));
      // A header without a side is of no size.
      if (width == 0 || height == 0) continue;
      widths.push_back(width);
      heights.push_back(height);
      shorts.push_back(std::min(width, height));
    }
    const ScanResult result = tallies.Finish();
    CHECK(result.sized == widths.size());
    const auto check = [](std::vector<std::uint32_t> sides,
                          const ScanSpread& spread) {
      std::ranges::sort(sides);
      if (sides.empty()) sides = {0};
      CHECK(spread.min == sides.front());
      CHECK(spread.max == sides.back());
      CHECK(spread.median == sides[(sides.size() - 1) / 2]);
    };
    check(widths, result.width);
    check(heights, result.height);
    check(shorts, result.short_side);
  }
}

TEST_CASE("Files add up whatever is wrong with them", "[pack][scan]") {
  ScanTallies tallies;
  FileLook unread;
  unread.problem = "unreadable";
  FileLook cut = Jpeg(4, 3);
  cut.problem = "truncated";
  tallies.Add("a.jpg", 100, Jpeg(4, 3));
  tallies.Add("b.jpg", 20, unread);
  tallies.Add("c.jpg", 3, cut);
  tallies.AddIgnored(".hidden", "hidden");
  const ScanResult result = tallies.Finish();
  CHECK(result.files == 3);
  CHECK(result.bytes == 123);
  CHECK(result.bad == 2);
  CHECK(result.sized == 2);
  // A bad file whose header was read is of a kind all the same.
  REQUIRE(Find(result.kinds, "jpeg") != nullptr);
  CHECK(Find(result.kinds, "jpeg")->count == 2);
  CHECK(Find(result.problems, "unreadable")->keys ==
        std::vector<std::string>{"b.jpg"});
  CHECK(Find(result.problems, "truncated")->count == 1);
  CHECK(Find(result.ignored, "hidden")->keys ==
        std::vector<std::string>{".hidden"});
  CHECK(result.traits.empty());
}

TEST_CASE("Of many files with a trait the first five are named",
          "[pack][scan]") {
  ScanTallies tallies;
  for (int i = 0; i < 40; ++i) {
    FileLook look = Jpeg(4, 3);
    look.facts.components = i % 2 == 0 ? 1 : 4;
    look.facts.orientation = static_cast<std::uint8_t>(i % 9);
    look.icc = i == 39;
    tallies.Add(std::to_string(i) + (i % 4 == 0 ? ".png" : ".jpg"), 1, look);
  }
  const ScanResult result = tallies.Finish();
  REQUIRE(Find(result.traits, "gray") != nullptr);
  CHECK(Find(result.traits, "gray")->count == 20);
  CHECK(Find(result.traits, "gray")->keys ==
        std::vector<std::string>{"0.png", "2.jpg", "4.png", "6.jpg", "8.png"});
  CHECK(Find(result.traits, "cmyk")->count == 20);
  // Orientations 0 and 1, five each, turn nothing.
  CHECK(Find(result.traits, "turned")->count == 30);
  CHECK(Find(result.traits, "icc")->keys == std::vector<std::string>{"39.jpg"});
  CHECK(Find(result.traits, "other-suffix")->count == 10);
  CHECK(Find(result.traits, "16-bit") == nullptr);
  CHECK(std::ranges::is_sorted(result.traits, {}, &ScanTally::word));
}

}  // namespace
}  // namespace shardine::scan_tally_test
