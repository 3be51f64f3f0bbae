// NearestBucket: the bucket of an image, by the rule of shardine/buckets.h.
#ifndef SHARDINE_LOAD_NEAREST_BUCKET_H_
#define SHARDINE_LOAD_NEAREST_BUCKET_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pixels/pixels.h"
#include "shardine/buckets.h"
#include "shardine/status.h"

namespace shardine {

// "256x192": height x width, for messages.
std::string BucketName(const Bucket& bucket);

// Immutable, so thread-safe.
class NearestBucket {
 public:
  // A bucket's number takes one byte.
  static constexpr std::size_t kMost = 255;

  // kInvalidArgument: no bucket, more than kMost, a side outside 1 to 65,535,
  // or two buckets of one ratio: images would never come to the second one.
  static Status Check(std::span<const Bucket> buckets);

  // REQUIRES: Check is ok.
  explicit NearestBucket(std::span<const Bucket> buckets);

  // The number of the image's bucket, as listed. REQUIRES: no side is 0.
  std::uint8_t operator()(PixelSize image) const;

 private:
  struct Ranked {
    Bucket bucket;
    std::uint8_t number;
  };
  std::vector<Ranked> ranked_;  // by ascending ratio
};

}  // namespace shardine

#endif  // SHARDINE_LOAD_NEAREST_BUCKET_H_
