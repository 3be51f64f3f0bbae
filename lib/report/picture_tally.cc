#include "report/picture_tally.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "dataset/index_walk.h"
#include "dataset/undecoded_images.h"
#include "image/image_kind.h"
#include "image/jpeg_segments.h"
#include "image/probe.h"
#include "shard/payload.h"

namespace shardine {
namespace {

constexpr std::uint8_t kDefineTables = 0xDB;

// ITU-T T.81, table K.1.
constexpr std::array<std::uint32_t, 64> kLumaTable = {
    16, 11, 12,  14,  12,  10, 16, 14,  13,  14,  18,  17,  16, 19,  24,  40,
    26, 24, 22,  22,  24,  49, 35, 37,  29,  40,  58,  51,  61, 60,  57,  51,
    56, 55, 64,  72,  92,  78, 64, 68,  87,  69,  55,  56,  80, 109, 81,  87,
    95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99};

// The sum of that table at a quality, as libjpeg scales it.
std::uint32_t TableSum(int quality) {
  const int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  std::uint32_t sum = 0;
  for (const std::uint32_t value : kLumaTable) {
    sum += std::clamp<std::uint32_t>(
        (value * static_cast<std::uint32_t>(scale) + 50) / 100, 1, 255);
  }
  return sum;
}

// The sum of table 0 in a segment of tables; 0: there is none.
std::uint32_t FirstTableSum(ByteView segment) {
  ByteCursor cursor(segment);
  std::uint8_t head = 0;
  while (cursor.Read(head)) {
    const std::size_t width = head >> 4 == 0 ? 1 : 2;
    ByteView values;
    if (!cursor.ReadBytes(64 * width, values)) return 0;
    if ((head & 15) != 0) continue;
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = std::to_integer<std::uint32_t>(values[i]);
      sum += width == 2 && i % 2 == 0 ? value << 8 : value;
    }
    return sum;
  }
  return 0;
}

std::string ChannelsText(const ImageFacts& facts) {
  std::string text = facts.components == 1            ? "gray"
                     : facts.components == 2          ? "gray and alpha"
                     : facts.components == 3          ? "color"
                     : facts.kind == ImageKind::kJpeg ? "CMYK"
                                                      : "color and alpha";
  return facts.bits > 8 ? text + ", 16 bits" : text;
}

}  // namespace

int JpegQualityOf(ByteView jpeg) {
  if (DetectImageKind(jpeg) != ImageKind::kJpeg) return 0;
  JpegSegmentReader reader(jpeg);
  JpegMarkerSegment segment;
  std::uint32_t sum = 0;
  while (sum == 0 && reader.Next(segment)) {
    if (segment.marker == kDefineTables) sum = FirstTableSum(segment.payload);
  }
  if (sum == 0) return 0;
  int best = 1;
  std::uint32_t least = 0xFFFFFFFF;
  for (int quality = 1; quality <= 100; ++quality) {
    const std::uint32_t there = TableSum(quality);
    const std::uint32_t off = std::max(there, sum) - std::min(there, sum);
    if (off < least) {
      least = off;
      best = quality;
    }
  }
  return best;
}

PictureTally::PictureTally()
    : short_side_{.name = "Short side, pixels",
                  .limits = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
                             1536, 2048, 4096},
                  .labels = {"below 32", "32", "64", "96", "128", "192", "256",
                             "384", "512", "768", "1024", "1536", "2048",
                             "4096 and more"}},
      aspect_{.name = "Width by height",
              .limits = {0.25, 0.5, 0.66, 0.75, 0.99, 1.01, 1.34, 1.51, 2, 4},
              .labels = {"below 1:4", "1:4", "1:2", "2:3", "3:4", "square",
                         "over 1:1", "over 4:3", "over 3:2", "over 2:1",
                         "over 4:1"}},
      bytes_{
          .name = "Size of the file, KiB",
          .limits = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384},
          .labels = {"below 1", "1", "2", "4", "8", "16", "32", "64", "128",
                     "256", "512", "1024", "4096", "16384 and more"}},
      bits_per_pixel_{.name = "Bits per pixel",
                      .limits = {0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 24},
                      .labels = {"below 0.25", "0.25", "0.5", "1", "1.5", "2",
                                 "3", "4", "6", "8", "12", "24 and more"}},
      quality_{.name = "Quality of JPEGs",
               .limits = {10, 20, 30, 40, 50, 60, 70, 80, 85, 90, 95, 98},
               .labels = {"below 10", "10", "20", "30", "40", "50", "60", "70",
                          "80", "85", "90", "95", "98 and more"}} {}

void PictureTally::Bins::Add(double value) {
  counts.resize(labels.size());
  ++counts[static_cast<std::size_t>(std::ranges::upper_bound(limits, value) -
                                    limits.begin())];
}

void PictureTally::Add(const IndexEntry& entry) {
  const IndexField* const image = ImageFieldOf(entry);
  if (image == nullptr) return;
  ++images_;
  const ImageFacts& facts = entry.facts;
  const std::string_view undecoded = UndecodedKindOf(entry);
  std::string kind(undecoded.empty() ? ToString(facts.kind) : undecoded);
  if (facts.coding == ImageCoding::kProgressive) kind += ", progressive";
  ++kinds_.counts[kind];
  bytes_.Add(static_cast<double>(FieldBytes(*image)) / 1024);
  AddSides(facts, FieldBytes(*image));
  AddTraits(facts);
}

void PictureTally::AddSides(const ImageFacts& facts, std::uint64_t bytes) {
  if (facts.width == 0 || facts.height == 0) return;
  const double width = facts.width;
  const double height = facts.height;
  short_side_.Add(std::min(width, height));
  aspect_.Add(width / height);
  bits_per_pixel_.Add(static_cast<double>(bytes) * 8 / (width * height));
  if (std::max(width, height) > 4 * std::min(width, height)) {
    ++traits_.counts["extreme aspect (over 4:1)"];
  }
  if (std::min(width, height) < 32) ++traits_.counts["tiny (below 32)"];
}

void PictureTally::AddTraits(const ImageFacts& facts) {
  if (facts.components > 0) ++channels_.counts[ChannelsText(facts)];
  if (facts.orientation > 1) ++traits_.counts["turned by EXIF"];
}

void PictureTally::AddBytes(ByteView image) {
  const int quality = JpegQualityOf(image);
  if (quality == 0) return;
  quality_.Add(quality);
  const ProbeResult probe = ProbeImage(image);
  const std::string chroma = ToString(probe.chroma);
  ++chroma_.counts[chroma.empty() ? "gray" : chroma];
  if (probe.icc) ++traits_.counts["color profile (of the shown images)"];
}

std::vector<Histogram> PictureTally::histograms() const {
  std::vector<Histogram> all;
  const auto take_words = [&](const Words& words) {
    Histogram histogram{.name = words.name, .bars = {}};
    for (const auto& [word, count] : words.counts) {
      histogram.bars.push_back({word, count});
    }
    if (!histogram.bars.empty()) all.push_back(std::move(histogram));
  };
  const auto take_bins = [&](const Bins& bins) {
    Histogram histogram{.name = bins.name, .bars = {}};
    for (std::size_t i = 0; i < bins.counts.size(); ++i) {
      histogram.bars.push_back({bins.labels[i], bins.counts[i]});
    }
    if (!histogram.bars.empty()) all.push_back(std::move(histogram));
  };
  take_words(kinds_);
  take_words(channels_);
  take_bins(short_side_);
  take_bins(aspect_);
  take_bins(bytes_);
  take_bins(bits_per_pixel_);
  take_words(traits_);
  take_bins(quality_);
  take_words(chroma_);
  return all;
}

}  // namespace shardine
