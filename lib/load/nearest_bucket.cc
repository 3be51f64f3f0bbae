#include "load/nearest_bucket.h"

#include <algorithm>
#include <string>

#include "base/wide_integer.h"

namespace shardine {
namespace {

constexpr std::uint32_t kMostSide = 65'535;

bool IsNarrower(const Bucket& a, const Bucket& b) {
  return std::uint64_t{a.width} * b.height < std::uint64_t{b.width} * a.height;
}

Status BadBuckets(const std::string& why) {
  return Status(Code::kInvalidArgument, "buckets: " + why);
}

}  // namespace

std::string BucketName(const Bucket& bucket) {
  return std::to_string(bucket.height) + "x" + std::to_string(bucket.width);
}

Status NearestBucket::Check(std::span<const Bucket> buckets) {
  if (buckets.empty() || buckets.size() > kMost) {
    return BadBuckets(std::to_string(buckets.size()) + ", of 1 to " +
                      std::to_string(kMost));
  }
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const auto [height, width] = buckets[i];
    if (std::min(height, width) == 0 || std::max(height, width) > kMostSide) {
      return BadBuckets("the sides of " + BucketName(buckets[i]) +
                        " must be 1 to 65535");
    }
    for (const Bucket& other : buckets.first(i)) {
      if (IsNarrower(other, buckets[i]) || IsNarrower(buckets[i], other)) {
        continue;
      }
      return BadBuckets(BucketName(buckets[i]) + " has the aspect ratio of " +
                        BucketName(other) + ", and no image would come to it");
    }
  }
  return {};
}

NearestBucket::NearestBucket(std::span<const Bucket> buckets) {
  for (const Bucket& bucket : buckets) {
    ranked_.push_back({bucket, static_cast<std::uint8_t>(ranked_.size())});
  }
  std::ranges::sort(ranked_, IsNarrower, &Ranked::bucket);
}

std::uint8_t NearestBucket::operator()(PixelSize image) const {
  const Wide width = Wide{image.width} * image.width;
  const Wide height = Wide{image.height} * image.height;
  // Between two neighbours lies the geometric mean of their ratios. Its square
  // is a fraction, and so is the image's.
  const auto is_beyond = [&](const Ranked& lower) {
    const Ranked& upper = *(&lower + 1);
    const Wide image_side =
        width * lower.bucket.height * Wide{upper.bucket.height};
    const Wide mean_side =
        height * lower.bucket.width * Wide{upper.bucket.width};
    if (image_side != mean_side) return image_side > mean_side;
    return upper.number < lower.number;
  };
  return std::partition_point(ranked_.begin(), ranked_.end() - 1, is_beyond)
      ->number;
}

}  // namespace shardine
