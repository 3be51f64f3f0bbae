#include "load/nearest_bucket.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "load/sample_draws.h"

namespace shardine::nearest_bucket_test {
namespace {

using Buckets = std::vector<Bucket>;

std::uint32_t NearestOf(const Buckets& buckets, PixelSize image) {
  return NearestBucket(buckets)(image);
}

// The same by logarithms, one bucket after another.
std::uint32_t ByLogarithms(const Buckets& buckets, PixelSize image) {
  std::uint32_t nearest = 0;
  long double least = INFINITY;
  for (std::uint32_t i = 0; i < buckets.size(); ++i) {
    const long double ratio = static_cast<long double>(image.width) *
                              buckets[i].height / image.height /
                              buckets[i].width;
    const long double distance = std::fabs(std::log(ratio));
    if (distance >= least - 1e-15L) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

TEST_CASE("NearestBucket finds the least distance of logarithms",
          "[nearest_bucket][one_thread]") {
  for (std::uint32_t round = 0; round < 200; ++round) {
    const SampleDraws draws(3, round, 0);
    Buckets buckets;
    const std::uint32_t count = draws(0).Below(0, 12) + 1;
    for (std::uint32_t i = 1; i <= count; ++i) {
      buckets.push_back({draws(i).Below(0, 40) + 1, draws(i).Below(1, 40) + 1});
      if (!NearestBucket::Check(buckets).ok()) buckets.pop_back();
    }
    for (std::uint32_t i = 0; i < 200; ++i) {
      const PixelSize image{draws(100 + i).Below(0, 60) + 1,
                            draws(100 + i).Below(1, 60) + 1};
      CAPTURE(round, image.width, image.height);
      REQUIRE(NearestOf(buckets, image) == ByLogarithms(buckets, image));
    }
  }
}

TEST_CASE("NearestBucket gives ties to the bucket that is listed first",
          "[nearest_bucket][one_thread]") {
  // 6 / 6 is as far from 1 / 2 as from 2 / 1.
  CHECK(NearestOf({{200, 100}, {100, 200}}, {6, 6}) == 0);
  CHECK(NearestOf({{100, 200}, {200, 100}}, {6, 6}) == 0);
  CHECK(NearestOf({{100, 200}, {200, 100}}, {6, 7}) == 1);
  CHECK(NearestOf({{100, 200}, {200, 100}}, {7, 6}) == 0);
}

TEST_CASE("NearestBucket takes sides of any length",
          "[nearest_bucket][one_thread]") {
  const Buckets buckets = {{65'535, 1}, {1, 1}, {1, 65'535}};
  CHECK(NearestOf(buckets, {1, UINT32_MAX}) == 0);
  CHECK(NearestOf(buckets, {UINT32_MAX, UINT32_MAX}) == 1);
  CHECK(NearestOf(buckets, {UINT32_MAX, 1}) == 2);
  CHECK(NearestOf({{7, 9}}, {UINT32_MAX, 1}) == 0);
}

TEST_CASE("NearestBucket refuses buckets without images and without shape",
          "[nearest_bucket][one_thread]") {
  const auto fault = [](const Buckets& buckets) {
    const Status status = NearestBucket::Check(buckets);
    CHECK(status.code() == Code::kInvalidArgument);
    return status.message();
  };
  CHECK(fault({}) == "buckets: 0, of 1 to 255");
  CHECK(fault({{0, 5}}) == "buckets: the sides of 0x5 must be 1 to 65535");
  CHECK(fault({{5, 65'536}}) ==
        "buckets: the sides of 5x65536 must be 1 to 65535");
  CHECK(fault({{32, 16}, {8, 8}, {64, 32}}) ==
        "buckets: 64x32 has the aspect ratio of 32x16, and no image would come "
        "to it");
  Buckets many;
  for (std::uint32_t i = 1; i <= 256; ++i) many.push_back({1, i});
  CHECK(fault(many) == "buckets: 256, of 1 to 255");
  many.pop_back();
  CHECK(NearestBucket::Check(many).ok());
  CHECK(NearestOf(many, {1000, 1}) == 254);
}

}  // namespace
}  // namespace shardine::nearest_bucket_test
