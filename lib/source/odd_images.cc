#include "source/odd_images.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/status_macros.h"
#include "source/image_pass.h"

namespace shardine {
namespace {

// The thresholds of CleanVision 0.3.7.
constexpr double kDark = 0.32;         // brightness of all but 1 %, below
constexpr double kLight = 0.95;        // brightness of all but 5 %, above
constexpr double kAspect = 0.35;       // short side by long side, below
constexpr double kInformation = 3.0;   // bits of entropy, below
constexpr double kBlurry = 0.29;       // score, below
constexpr double kBlurryTones = 0.18;  // part of the score, from
constexpr double kQuartiles = 3.0;     // distances of them

double SizeOf(PixelSize size) {
  return std::sqrt(static_cast<double>(size.width)) *
         std::sqrt(static_cast<double>(size.height));
}

// By linear interpolation, as NumPy does. REQUIRES: sorted, not empty.
double QuantileOf(std::span<const double> sorted, double share) {
  const double at = static_cast<double>(sorted.size() - 1) * share;
  const auto low = static_cast<std::size_t>(at);
  const double next = sorted[std::min(low + 1, sorted.size() - 1)];
  return sorted[low] + (next - sorted[low]) * (at - static_cast<double>(low));
}

bool IsBlurry(const ImageLook& look) {
  const double edges = 1 - std::exp(-0.01 * look.edges);
  const double tones = 1 - std::exp(-0.01 * look.tones);
  return edges + (tones > kBlurryTones ? tones : 0) < kBlurry;
}

bool IsOddAspect(PixelSize size) {
  const auto [least, most] = std::minmax(size.width, size.height);
  return static_cast<double>(least) / static_cast<double>(most) < kAspect;
}

// The facts of each image; a bit for each finding.
struct FoundLooks {
  std::vector<PixelSize> sizes;  // empty: unread
  std::vector<std::uint16_t> findings;
};

std::uint16_t BitOf(AuditFinding finding) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(finding));
}

}  // namespace

std::vector<AuditFinding> OddFindingsOf(const ImageLook& look) {
  std::vector<AuditFinding> findings;
  const auto add = [&](AuditFinding finding, bool is_odd) {
    if (is_odd) findings.push_back(finding);
  };
  add(AuditFinding::kDark, look.light_percentile < kDark);
  add(AuditFinding::kLight, look.dark_percentile > kLight);
  add(AuditFinding::kOddAspectRatio, IsOddAspect(look.size));
  add(AuditFinding::kLowInformation, look.entropy < kInformation);
  add(AuditFinding::kBlurry, IsBlurry(look));
  add(AuditFinding::kGrayscale, look.is_gray);
  return findings;
}

OddSizes::OddSizes(std::span<const PixelSize> sizes) {
  std::vector<double> sorted;
  for (const PixelSize size : sizes) {
    if (size.width > 0) sorted.push_back(SizeOf(size));
  }
  if (sorted.empty()) return;
  std::ranges::sort(sorted);
  const double low = QuantileOf(sorted, 0.25);
  const double high = QuantileOf(sorted, 0.75);
  least_ = low - kQuartiles * (high - low);
  most_ = high + kQuartiles * (high - low);
}

bool OddSizes::IsOdd(PixelSize size) const {
  const double own = SizeOf(size);
  return own < least_ || own > most_;
}

Result<std::vector<OddPosition>> FindOddImages(
    const ComparedImages& images, unsigned threads, UnreadImages& unread,
    const ProgressFunction& progress) {
  const auto count = static_cast<std::size_t>(images.size());
  std::vector<std::uint64_t> all(count);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  FoundLooks found{std::vector<PixelSize>(count),
                   std::vector<std::uint16_t>(count)};
  const auto make_look = [&] {
    return [&, looks = ImageLooks()](std::size_t i,
                                     const FieldView& image) mutable {
      ImageLook look;
      SHARDINE_RETURN_IF_ERROR(LookAtImage(
          image, [&](ByteView file) { return looks.Measure(file, look); },
          [&](const PixelView& pixels) { looks.MeasurePixels(pixels, look); }));
      found.sizes[i] = look.size;
      for (const AuditFinding finding : OddFindingsOf(look)) {
        found.findings[i] |= BitOf(finding);
      }
      return Status();
    };
  };
  ImagePass pass(images, threads, unread, progress);
  SHARDINE_RETURN_IF_ERROR(pass.ForEach(all, ImageUse::kWhole, make_look));
  const OddSizes sizes(found.sizes);
  std::vector<OddPosition> odd;
  for (std::size_t i = 0; i < count; ++i) {
    if (found.sizes[i].width == 0) continue;
    if (sizes.IsOdd(found.sizes[i])) {
      found.findings[i] |= BitOf(AuditFinding::kOddSize);
    }
    if (found.findings[i] == 0) continue;
    OddPosition& position = odd.emplace_back(OddPosition{i, {}});
    for (const AuditFinding finding : kOddFindings) {
      if ((found.findings[i] & BitOf(finding)) != 0) {
        position.findings.push_back(finding);
      }
    }
  }
  return odd;
}

}  // namespace shardine
