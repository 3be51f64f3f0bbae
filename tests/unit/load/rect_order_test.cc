#include "load/rect_order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "load/sample_draws.h"

namespace shardine::rect_order_test {
namespace {

// printf rounds the double's exact value, as Python's round() does.
std::uint64_t PrintedRatio(PixelSize size) {
  char text[64];
  const double ratio = static_cast<double>(size.width) / size.height;
  std::snprintf(text, sizeof(text), "%.5f", ratio);
  const std::string digits(text);
  const std::size_t point = digits.find('.');
  return std::stoull(digits.substr(0, point) + digits.substr(point + 1));
}

TEST_CASE("RectRatio rounds to five digits as Python does", "[rect_order]") {
  for (std::uint32_t width = 1; width <= 1300; ++width) {
    for (const std::uint32_t height : {1u, 3u, 64u, 160u, 320u, 375u, 500u,
                                       640u, 960u, 1280u, 3200u, 65'500u}) {
      const PixelSize size{width, height};
      INFO(width << "x" << height);
      REQUIRE(RectRatio(size) == PrintedRatio(size));
      const PixelSize turned{height, width};
      REQUIRE(RectRatio(turned) == PrintedRatio(turned));
    }
  }
  const SampleDraws draws(1, 2, 3);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const PixelSize size{draws(i).Below(0, 65'500) + 1,
                         draws(i).Below(1, 65'500) + 1};
    REQUIRE(RectRatio(size) == PrintedRatio(size));
  }
}

TEST_CASE("RectRatio decides halves by the double quotient", "[rect_order]") {
  // Python 3.11's round(w / h, 5) gives these.
  CHECK(RectRatio({231, 320}) == 72'188);
  CHECK(RectRatio({233, 320}) == 72'813);
  CHECK(RectRatio({321, 320}) == 100'313);
  CHECK(RectRatio({323, 320}) == 100'937);
  CHECK(RectRatio({1, 64}) == 1562);
  CHECK(RectRatio({3, 64}) == 4688);
}

TEST_CASE("RectRatio of unknown or hostile sizes is a number", "[rect_order]") {
  CHECK(RectRatio({0, 0}) == 100'000);
  CHECK(RectRatio({0, 7}) == 100'000);
  CHECK(RectRatio({7, 0}) == 100'000);
  CHECK(RectRatio({1, 0xffffffff}) == 0);
  CHECK(RectRatio({0xffffffff, 1}) == 6'553'500'000);
  CHECK(RectRatio({0xffffffff, 0xffffffff}) == 100'000);
}

TEST_CASE("RectOrder sorts by ratio, equal ones as they are stored",
          "[rect_order]") {
  const std::vector<PixelSize> sizes = {{500, 375},  {375, 500}, {500, 500},
                                        {1000, 750}, {100, 100}, {333, 500},
                                        {750, 1000}, {0, 0},     {3, 1}};
  const RectOrder order(sizes);
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    positions.push_back(order(i));
  }
  CHECK(positions == std::vector<std::uint64_t>{5, 1, 6, 2, 4, 7, 0, 3, 8});
}

TEST_CASE("RectOrder is a bijection by ascending ratio", "[rect_order]") {
  std::vector<PixelSize> sizes;
  const SampleDraws draws(4, 5, 6);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    sizes.push_back({draws(i).Below(0, 40) + 1, draws(i).Below(1, 40) + 1});
  }
  const RectOrder order(sizes);
  std::vector<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    seen.push_back(order(i));
    if (i == 0) continue;
    const std::uint64_t before = RectRatio(sizes[seen[i - 1]]);
    const std::uint64_t ratio = RectRatio(sizes[seen[i]]);
    REQUIRE((before < ratio || (before == ratio && seen[i - 1] < seen[i])));
  }
  std::sort(seen.begin(), seen.end());
  for (std::uint64_t i = 0; i < seen.size(); ++i) REQUIRE(seen[i] == i);
}

TEST_CASE("RectOrder rounds the mean of a batch to five digits",
          "[rect_order]") {
  // 0.66667, 0.75, 1, 1.33333, 1.5
  const std::vector<PixelSize> sizes = {{3, 2}, {1, 1}, {2, 3}, {4, 3}, {3, 4}};
  const RectOrder order(sizes);
  CHECK(order.MeanRatio(0, 1) == 0.66667);
  CHECK(order.MeanRatio(0, 2) == 0.70834);  // .708335, halves to even
  CHECK(order.MeanRatio(0, 3) == 0.80556);
  CHECK(order.MeanRatio(0, 5) == 1.05);
  CHECK(order.MeanRatio(3, 2) == 1.41666);  // 1.416665
  CHECK(order.MeanRatio(4, 2) == 1.08334);  // wraps: 1.083335
  CHECK(order.MeanRatio(9, 2) == 1.08334);
  CHECK(order.MeanRatio(5, 10) == 1.05);
}

bool IsSize(PixelSize size, std::uint32_t width, std::uint32_t height) {
  return size == PixelSize{width, height};
}

TEST_CASE("RectTarget cuts to multiples of eight as imagenet18 does",
          "[rect_order]") {
  CHECK(IsSize(RectTarget(288, 1), 288, 288));
  CHECK(IsSize(RectTarget(288, 1.33333), 376, 288));  // int(383.999)
  CHECK(IsSize(RectTarget(288, 1.33334), 384, 288));
  CHECK(IsSize(RectTarget(288, 0.75), 288, 384));
  CHECK(IsSize(RectTarget(288, 0.75001), 288, 376));
  CHECK(IsSize(RectTarget(224, 1.5), 336, 224));
  CHECK(IsSize(RectTarget(224, 0.99999), 224, 224));
  CHECK(IsSize(RectTarget(225, 1), 224, 225));  // `size` itself stays
  CHECK(IsSize(RectTarget(128, 0.66667), 128, 184));
}

TEST_CASE("RectTarget has no empty sides and no endless ones", "[rect_order]") {
  CHECK(IsSize(RectTarget(4, 1), 8, 4));
  CHECK(IsSize(RectTarget(1, 0.9), 1, 8));
  CHECK(IsSize(RectTarget(224, 65'535), 1792, 224));
  CHECK(IsSize(RectTarget(224, 0.00001), 224, 1792));
  CHECK(IsSize(RectTarget(224, 0), 224, 1792));
}

}  // namespace
}  // namespace shardine::rect_order_test
