// Buckets: shapes of batches, each for the images of about its aspect ratio.
#ifndef SHARDINE_BUCKETS_H_
#define SHARDINE_BUCKETS_H_

#include <cstdint>

namespace shardine {

// A shape of batches, in pixels; each side 1 to 65,535.
//
// An image belongs to the bucket whose width / height is nearest to its own:
// the one with the least |log(image ratio / bucket ratio)|, computed without
// rounding; of two equally near ones the bucket that is listed first.
struct Bucket {
  std::uint32_t height = 0;
  std::uint32_t width = 0;

  friend bool operator==(const Bucket&, const Bucket&) = default;
};

// A bucket and the number of samples in it, of the loader's.
struct BucketSamples {
  Bucket bucket = {};
  std::uint64_t samples = 0;

  friend bool operator==(const BucketSamples&, const BucketSamples&) = default;
};

}  // namespace shardine

#endif  // SHARDINE_BUCKETS_H_
