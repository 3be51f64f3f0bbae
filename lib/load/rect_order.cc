#include "load/rect_order.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/checksum.h"

namespace shardine {
namespace {

constexpr std::uint64_t kUnits = 100'000;
constexpr std::uint64_t kMaxRatio = 65'535 * kUnits;
constexpr double kMaxMean = 8;

// Whether the double nearest to width / height is above (1) or below (-1) the
// true quotient. Exact below 2^26: the quotient's halves times the height fit.
int QuotientError(PixelSize size) {
  const double width = size.width;
  const double height = size.height;
  const double quotient = width / height;
  constexpr std::uint64_t kLowHalf = (std::uint64_t{1} << 27) - 1;
  const auto high =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(quotient) & ~kLowHalf);
  const double low = quotient - high;
  const double error = (high * height - width) + low * height;
  return (error > 0) - (error < 0);
}

std::uint64_t Floor8(double value) {
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(value) / 8 * 8, 8);
}

}  // namespace

std::uint64_t RectRatio(PixelSize size) {
  if (size.width == 0 || size.height == 0) return kUnits;
  const std::uint64_t scaled = size.width * kUnits;
  const std::uint64_t down = scaled / size.height;
  const std::uint64_t twice_rest = scaled % size.height * 2;
  int side = (twice_rest > size.height) - (twice_rest < size.height);
  if (side == 0) side = QuotientError(size);
  const bool up = side > 0 || (side == 0 && down % 2 != 0);
  return std::min(down + (up ? 1 : 0), kMaxRatio);
}

PixelSize RectTarget(std::uint32_t size, double mean_ratio) {
  const double ratio = std::clamp(mean_ratio, 1 / kMaxMean, kMaxMean);
  if (ratio < 1)
    return {size, static_cast<std::uint32_t>(Floor8(size / ratio))};
  return {static_cast<std::uint32_t>(Floor8(size * ratio)), size};
}

RectOrder::RectOrder(std::span<const PixelSize> sizes) {
  images_.reserve(sizes.size());
  for (const PixelSize& size : sizes) {
    images_.push_back({RectRatio(size), images_.size()});
  }
  std::sort(images_.begin(), images_.end(), [](const Image& a, const Image& b) {
    return a.ratio != b.ratio ? a.ratio < b.ratio : a.position < b.position;
  });
  Xxh3Stream stream;
  for (const Image& image : images_) stream.UpdateLe(image.position);
  digest_ = stream.Digest();
}

std::uint64_t RectOrder::operator()(std::uint64_t position) const {
  SHARDINE_CHECK(position < images_.size());
  return images_[position].position;
}

double RectOrder::MeanRatio(std::uint64_t first, std::uint32_t count) const {
  SHARDINE_CHECK(count > 0 && !images_.empty());
  std::uint64_t sum = 0;
  std::uint64_t position = first % images_.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    sum += images_[position].ratio;
    position = position + 1 < images_.size() ? position + 1 : 0;
  }
  const std::uint64_t down = sum / count;
  const std::uint64_t twice_rest = sum % count * 2;
  const bool up = twice_rest > count || (twice_rest == count && down % 2 != 0);
  return static_cast<double>(down + (up ? 1 : 0)) / double{kUnits};
}

}  // namespace shardine
