#include "pack/scan_tally.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/ascii.h"

namespace shardine {
namespace {

using std::string_view_literals::operator""sv;

const char* WordOf(ImageCoding coding) {
  switch (coding) {
    case ImageCoding::kBaseline:
      return "baseline";
    case ImageCoding::kExtended:
      return "extended";
    case ImageCoding::kProgressive:
      return "progressive";
    case ImageCoding::kArithmetic:
      return "arithmetic";
    case ImageCoding::kLossless:
      return "lossless";
    case ImageCoding::kUnknown:
    case ImageCoding::kPng:
      break;
  }
  return "";
}

// A kind without suffixes of its own here, such as HEIC, counts as one
// of another suffix whatever its file is called.
std::span<const std::string_view> SuffixesOf(ImageKind kind) {
  static constexpr std::string_view kJpeg[] = {".jpg"sv, ".jpeg"sv};
  static constexpr std::string_view kPng[] = {".png"sv};
  static constexpr std::string_view kWebp[] = {".webp"sv};
  static constexpr std::string_view kGif[] = {".gif"sv};
  static constexpr std::string_view kBmp[] = {".bmp"sv};
  static constexpr std::string_view kTiff[] = {".tif"sv, ".tiff"sv};
  switch (kind) {
    case ImageKind::kJpeg:
      return kJpeg;
    case ImageKind::kPng:
      return kPng;
    case ImageKind::kWebp:
      return kWebp;
    case ImageKind::kGif:
      return kGif;
    case ImageKind::kBmp:
      return kBmp;
    case ImageKind::kTiff:
      return kTiff;
    default:
      return {};
  }
}

bool IsImage(ImageKind kind) {
  return (kind >= ImageKind::kJpeg && kind <= ImageKind::kHeic) ||
         kind == ImageKind::kAvif || kind == ImageKind::kJpegXl;
}

// The median is the smallest side that at least half of the images do not
// exceed, so that it is always a side that some image has.
ScanSpread SpreadOf(const std::map<std::uint32_t, std::uint64_t>& histogram,
                    std::uint64_t count) {
  if (histogram.empty()) return {};
  ScanSpread spread;
  spread.min = histogram.begin()->first;
  spread.max = histogram.rbegin()->first;
  std::uint64_t below = 0;
  for (const auto& [pixels, images] : histogram) {
    below += images;
    if (2 * below >= count) {
      spread.median = pixels;
      break;
    }
  }
  return spread;
}

std::vector<ScanTally> ListOf(
    const std::map<std::string, ScanTally, std::less<>>& tallies) {
  std::vector<ScanTally> list;
  for (const auto& [word, tally] : tallies) list.push_back(tally);
  return list;
}

}  // namespace

bool SuffixNames(std::string_view name, ImageKind kind) {
  if (!IsImage(kind)) return true;
  // Only ASCII letters are folded: the user's locale must not decide a count.
  const std::string lower =
      LowerAscii(name.substr(std::min(name.rfind('.'), name.size())));
  return std::ranges::find(SuffixesOf(kind), lower) != SuffixesOf(kind).end();
}

void ScanTallies::Count(Tallies& tallies, const std::string& word,
                        std::string_view key) {
  ScanTally& tally = tallies[word];
  if (tally.count++ == 0) tally.word = word;
  // The first keys in order are the examples. Their number is capped, since a
  // tree of millions of files may have the same fault in each of them.
  if (tally.keys.size() < ScanTally::kKeys) tally.keys.emplace_back(key);
}

void ScanTallies::Add(std::string_view key, std::uint64_t bytes,
                      const FileLook& look) {
  ++files_;
  bytes_ += bytes;
  // A bad file whose header was read is counted among its kind as well: the
  // problems are no part of the kinds' sum.
  if (!look.problem.empty()) {
    ++bad_;
    Count(problems_, look.problem, key);
  }
  if (!look.read) return;
  const ImageFacts& facts = look.facts;
  Count(kinds_, ToString(facts.kind), key);
  if (const char* coding = WordOf(facts.coding); *coding != '\0') {
    Count(codings_, coding, key);
  }
  if (look.chroma != ChromaSampling::kNone) {
    Count(chroma_, ToString(look.chroma), key);
  }
  CountTraits(key, look);
  // The spreads are over images whose header tells both sides. A zero would be
  // a smallest side that no image has.
  if (facts.width == 0 || facts.height == 0) return;
  ++sized_;
  ++widths_[facts.width];
  ++heights_[facts.height];
  ++short_sides_[std::min(facts.width, facts.height)];
}

void ScanTallies::CountTraits(std::string_view key, const FileLook& look) {
  const ImageFacts& facts = look.facts;
  const bool jpeg = facts.kind == ImageKind::kJpeg;
  const std::pair<const char*, bool> traits[] = {
      {"gray", jpeg && facts.components == 1},
      {"cmyk", jpeg && facts.components == 4},
      {"16-bit", facts.bits == 16},
      {"turned", facts.orientation > 1},
      {"icc", look.icc},
      {"restart-markers", look.restarts},
      {"trailing-bytes", look.trailing},
      {"other-suffix", !SuffixNames(key, facts.kind)},
  };
  for (const auto& [word, has] : traits) {
    if (has) Count(traits_, word, key);
  }
  deep_images_.Add(DeepImageOf(facts), key);
}

ScanResult ScanTallies::Finish() const {
  ScanResult result;
  result.files = files_;
  result.bytes = bytes_;
  result.bad = bad_;
  result.sized = sized_;
  result.kinds = ListOf(kinds_);
  result.problems = ListOf(problems_);
  result.codings = ListOf(codings_);
  result.chroma = ListOf(chroma_);
  result.traits = ListOf(traits_);
  result.ignored = ListOf(ignored_);
  result.others = ListOf(others_);
  result.neighbours = ListOf(neighbours_);
  result.warnings = deep_images_.Warnings();
  result.width = SpreadOf(widths_, sized_);
  result.height = SpreadOf(heights_, sized_);
  result.short_side = SpreadOf(short_sides_, sized_);
  return result;
}

}  // namespace shardine
