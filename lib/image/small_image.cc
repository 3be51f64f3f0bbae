#include "image/small_image.h"

#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "image/image_kind.h"
#include "image/jpeg_session.h"
#include "pixels/color_convert.h"

namespace shardine {
namespace {

constexpr int kMostMoved = 2;  // pixels

struct Sums {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t aa = 0;
  std::uint32_t bb = 0;
  std::uint32_t ab = 0;
};

// 4096 squares of 8 bits have room in 32.
void AddRow(const std::uint8_t* a, const std::uint8_t* b, std::size_t count,
            Sums& sums) {
  Sums row;
  for (std::size_t x = 0; x < count; ++x) {
    const std::uint32_t p = a[x];
    const std::uint32_t q = b[x];
    row.a += p;
    row.b += q;
    row.aa += p * p;
    row.bb += q * q;
    row.ab += p * q;
  }
  sums.a += row.a;
  sums.b += row.b;
  sums.aa += row.aa;
  sums.bb += row.bb;
  sums.ab += row.ab;
}

// b moved right by x and down by y.
double MovedLikeness(const SmallImage& a, const SmallImage& b, int x, int y) {
  const auto behind = [](int by) {
    return static_cast<std::size_t>(std::max(by, 0));
  };
  const std::size_t width = kPdqSide - behind(std::abs(x));
  const std::size_t height = kPdqSide - behind(std::abs(y));
  Sums sums;
  for (std::size_t row = 0; row < height; ++row) {
    AddRow(a.data() + (row + behind(y)) * kPdqSide + behind(x),
           b.data() + (row + behind(-y)) * kPdqSide + behind(-x), width, sums);
  }
  const auto count = static_cast<double>(width * height);
  const double mean_a = sums.a / count;
  const double mean_b = sums.b / count;
  const double own = sums.aa / count - mean_a * mean_a;
  const double other = sums.bb / count - mean_b * mean_b;
  const double both = sums.ab / count - mean_a * mean_b;
  return own <= 0 || other <= 0 ? 0 : both / std::sqrt(own * other);
}

double BestMoved(const SmallImage& a, const SmallImage& b, int most) {
  double best = -1;
  for (int y = -most; y <= most; ++y) {
    for (int x = -most; x <= most; ++x) {
      best = std::max(best, MovedLikeness(a, b, x, y));
    }
  }
  return best;
}

// Without `cut` pixels at each side, as large as before.
SmallImage InnerOf(const SmallImage& image, float cut) {
  constexpr auto kSide = static_cast<float>(kPdqSide);
  std::array<std::size_t, kPdqSide> first;
  std::array<float, kPdqSide> share;  // of the next pixel
  for (std::size_t i = 0; i < kPdqSide; ++i) {
    const float at =
        cut - 0.5F + (static_cast<float>(i) + 0.5F) * (kSide - 2 * cut) / kSide;
    first[i] = static_cast<std::size_t>(at);
    share[i] = at - static_cast<float>(first[i]);
  }
  SmallImage inner;
  for (std::size_t y = 0; y < kPdqSide; ++y) {
    const std::uint8_t* const row = image.data() + first[y] * kPdqSide;
    for (std::size_t x = 0; x < kPdqSide; ++x) {
      const std::uint8_t* const at = row + first[x];
      const float upper = at[0] + share[x] * (at[1] - at[0]);
      const float lower =
          at[kPdqSide] + share[x] * (at[kPdqSide + 1] - at[kPdqSide]);
      inner[y * kPdqSide + x] = static_cast<std::uint8_t>(
          std::lround(upper + share[y] * (lower - upper)));
    }
  }
  return inner;
}

}  // namespace

double LikenessOf(const SmallImage& a, const SmallImage& b) {
  return BestMoved(a, b, kMostMoved);
}

double CutLikenessOf(const SmallImage& a, const SmallImage& b) {
  double best = -1;
  for (const float cut : {1.3F, 2.2F, 3.2F}) {
    for (const bool is_first : {true, false}) {
      const SmallImage inner = InnerOf(is_first ? a : b, cut);
      best = std::max(best, BestMoved(inner, is_first ? b : a, 1));
    }
  }
  return best;
}

Status SmallImages::Make(ByteView image, SmallImage& small) {
  if (DetectImageKind(image) == ImageKind::kJpeg) {
    bool is_made = false;
    SHARDINE_RETURN_IF_ERROR(MakeOfJpeg(image, small, is_made));
    if (is_made) return Status();
  }
  ImageDecodeOptions options;
  options.color = ColorMode::kGray;
  SHARDINE_RETURN_IF_ERROR(decoder_.Open(image, options));
  const PixelSize size = decoder_.size();
  return decoder_
      .Resample({.x = 0, .y = 0, .width = size.width, .height = size.height},
                {.size = {kPdqSide, kPdqSide}}, small.data(), kPdqSide)
      .status();
}

// The luma at the least of eight sizes that is not below the small one's, which
// libjpeg makes of fewer coefficients.
Status SmallImages::MakeOfJpeg(ByteView image, SmallImage& small,
                               bool& is_made) {
  JpegSession session(image, {});
  SHARDINE_RETURN_IF_ERROR(session.ReadHeader());
  session.KeepLuma();
  is_made = session.components() == 1;
  if (!is_made) return Status();
  SHARDINE_RETURN_IF_ERROR(session.ShrinkTo(kPdqSide));
  SHARDINE_RETURN_IF_ERROR(session.Start());
  const PixelSize size = session.size();
  pixels_.Reset(size, 1);
  SHARDINE_RETURN_IF_ERROR(
      session.ReadRows(pixels_.data(), pixels_.stride(), size.height));
  SHARDINE_RETURN_IF_ERROR(session.Finish());
  Shrink(pixels_.view(), small);
  return Status();
}

void SmallImages::Shrink(const PixelView& pixels, SmallImage& small) {
  const bool is_gray = pixels.channels == 1;
  std::array<std::uint8_t, 3 * kPdqPixels> rgb;
  resampler_.Begin({.in = pixels.size,
                    .out = {kPdqSide, kPdqSide},
                    .channels = pixels.channels},
                   is_gray ? small.data() : rgb.data(),
                   std::size_t{kPdqSide} * pixels.channels);
  resampler_.Push(pixels.data, pixels.stride, pixels.size.height);
  if (!is_gray) RgbToGray(rgb.data(), small.data(), kPdqPixels);
}

}  // namespace shardine
