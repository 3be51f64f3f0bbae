#include "pixels/resample_axis.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

namespace shardine::resample_axis_test {
namespace {

constexpr std::int32_t kOne = 1 << kWeightBits;

constexpr Filter kFilters[] = {Filter::kNearest,  Filter::kBox,
                               Filter::kBilinear, Filter::kHamming,
                               Filter::kBicubic,  Filter::kLanczos};

TEST_CASE("ResampleAxis keeps each pixel where the size stays", "[image]") {
  for (const Filter filter : kFilters) {
    const ResampleAxis axis = MakeResampleAxis(5, 5, filter);
    REQUIRE(axis.taps == 1);
    for (std::uint32_t i = 0; i < 5; ++i) {
      CHECK(axis.windows[i].first == i);
      CHECK(axis.windows[i].count == 1);
      CHECK(axis.weights_of(i)[0] == kOne);
    }
  }
}

TEST_CASE("ResampleAxis halves by the weights of a triangle", "[image]") {
  const ResampleAxis axis = MakeResampleAxis(8, 4, Filter::kBilinear);
  REQUIRE(axis.taps == 4);
  // 1/8, 3/8, 3/8, 1/8; at the edge the remaining ones of them.
  const std::int32_t* inner = axis.weights_of(1);
  CHECK(axis.windows[1].first == 1);
  CHECK(inner[0] == kOne / 8);
  CHECK(inner[1] == 3 * kOne / 8);
  CHECK(inner[2] == 3 * kOne / 8);
  CHECK(inner[3] == kOne / 8);
  CHECK(axis.windows[0].first == 0);
  CHECK(axis.windows[0].count == 3);
  CHECK(axis.weights_of(0)[0] == (3 * kOne + 3) / 7);
}

TEST_CASE("ResampleAxis takes the mean of a box", "[image]") {
  const ResampleAxis axis = MakeResampleAxis(9, 3, Filter::kBox);
  REQUIRE(axis.taps == 3);
  CHECK(axis.windows[2].first == 6);
  CHECK(axis.weights_of(2)[1] == (kOne + 1) / 3);
}

TEST_CASE(
    "ResampleAxis has Pillow's hamming weights, whose constants are floats",
    "[image]") {
  // Weights that differ by one with 0.54 and 0.46 as doubles.
  const auto weight = [](std::uint32_t in, std::uint32_t out,
                         std::uint32_t pixel, std::size_t tap) {
    return MakeResampleAxis(in, out, Filter::kHamming).weights_of(pixel)[tap];
  };
  CHECK(weight(23, 5, 2, 4) == 1079672);
  CHECK(weight(37, 15, 7, 2) == 2013670);
  CHECK(weight(30, 14, 10, 2) == 2316488);
  CHECK(weight(39, 7, 3, 5) == 891472);
}

TEST_CASE("ResampleAxis stays within the input and sums up to one", "[image]") {
  for (const Filter filter : kFilters) {
    for (std::uint32_t in = 1; in < 40; in += 3) {
      for (std::uint32_t out = 1; out < 40; ++out) {
        const ResampleAxis axis = MakeResampleAxis(in, out, filter);
        for (std::uint32_t i = 0; i < out; ++i) {
          const ResampleAxis::Window window = axis.windows[i];
          REQUIRE(window.count >= 1);
          REQUIRE(window.count <= axis.taps);
          REQUIRE(window.first + axis.taps <= in);
          const std::int32_t* weights = axis.weights_of(i);
          const auto sum = std::accumulate(weights, weights + window.count, 0);
          REQUIRE(std::abs(sum - kOne) <= static_cast<int>(window.count));
          // The kernels read up to the largest window.
          for (std::uint32_t k = window.count; k < axis.taps; ++k) {
            REQUIRE(weights[k] == 0);
          }
        }
      }
    }
  }
}

// The weight of each pixel of the input in one of the output.
std::vector<std::int32_t> WeightsOf(const ResampleAxis& axis,
                                    std::uint32_t pixel, PixelRun input,
                                    std::uint32_t in) {
  std::vector<std::int32_t> weights(in);
  const ResampleAxis::Window window = axis.windows[pixel];
  for (std::uint32_t k = 0; k < window.count; ++k) {
    weights.at(input.first + window.first + k) = axis.weights_of(pixel)[k];
  }
  return weights;
}

TEST_CASE("A part of a ResampleAxis has the weights of the whole", "[image]") {
  for (const Filter filter : kFilters) {
    for (std::uint32_t in = 1; in < 60; in += 7) {
      for (std::uint32_t out = 1; out < 60; out += 5) {
        for (const bool flip : {false, true}) {
          const ResampleAxis whole = MakeResampleAxis(in, out, filter, flip);
          CHECK(InputOf(in, out, filter, flip, {0, out}) == PixelRun{0, in});
          const PixelRun part{out / 3, (out - out / 3 + 1) / 2};
          const PixelRun input = InputOf(in, out, filter, flip, part);
          const ResampleAxis axis =
              MakeResampleAxis(in, out, filter, flip, part);
          INFO(in << " to " << out << ", filter " << static_cast<int>(filter));
          REQUIRE(axis.in == input.count);
          REQUIRE(axis.out == part.count);
          REQUIRE(input.first + input.count <= in);
          for (std::uint32_t i = 0; i < part.count; ++i) {
            REQUIRE(axis.windows[i].first + axis.taps <= axis.in);
            REQUIRE(WeightsOf(axis, i, input, in) ==
                    WeightsOf(whole, part.first + i, {0, in}, in));
          }
        }
      }
    }
  }
}

TEST_CASE("A part of a ResampleAxis takes no more input than it weighs",
          "[image]") {
  // 1000 to 100: a triangle of 10 on each side of the centers 105 to 195.
  CHECK(InputOf(1000, 100, Filter::kBilinear, false, {10, 10}) ==
        PixelRun{95, 110});
  CHECK(InputOf(1000, 100, Filter::kBilinear, true, {80, 10}) ==
        PixelRun{95, 110});
  CHECK(InputOf(1000, 100, Filter::kNearest, false, {10, 10}) ==
        PixelRun{105, 91});
  CHECK(InputOf(100, 100, Filter::kLanczos, false, {10, 10}) ==
        PixelRun{10, 10});
  CHECK(InputOf(10, 1000, Filter::kBicubic, false, {500, 1}) == PixelRun{3, 4});
}

TEST_CASE("ResampleAxis mirrors by reading windows from the far end",
          "[image]") {
  const ResampleAxis plain = MakeResampleAxis(50, 21, Filter::kLanczos);
  const ResampleAxis flipped = MakeResampleAxis(50, 21, Filter::kLanczos, true);
  for (std::uint32_t i = 0; i < 21; ++i) {
    CHECK(flipped.windows[i].first == plain.windows[20 - i].first);
    for (std::uint32_t k = 0; k < plain.taps; ++k) {
      CHECK(flipped.weights_of(i)[k] == plain.weights_of(20 - i)[k]);
    }
  }
}

}  // namespace
}  // namespace shardine::resample_axis_test
