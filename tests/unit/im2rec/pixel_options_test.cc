#include "im2rec/pixel_options.h"

#include <array>
#include <catch2/catch.hpp>

namespace shardine::pixel_options_test {
namespace {

Filter Choose(InterMethod method, PixelSize to) {
  return PillowFilterOf(ChooseMethod(method, {100, 80}, to, 0));
}

TEST_CASE("Each inter_method has a filter", "[im2rec]") {
  const PixelSize to = {50, 40};
  CHECK(Choose(InterMethod::kNearest, to) == Filter::kNearest);
  CHECK(Choose(InterMethod::kBilinear, to) == Filter::kBilinear);
  CHECK(Choose(InterMethod::kBicubic, to) == Filter::kBicubic);
  CHECK(Choose(InterMethod::kArea, to) == Filter::kBox);
  CHECK(Choose(InterMethod::kLanczos, to) == Filter::kLanczos);
}

TEST_CASE("Each inter_method has a filter of OpenCV's", "[im2rec]") {
  CHECK(OpenCvFilterOf(InterMethod::kNearest) == OpenCvFilter::kNearest);
  CHECK(OpenCvFilterOf(InterMethod::kBilinear) == OpenCvFilter::kLinear);
  CHECK(OpenCvFilterOf(InterMethod::kBicubic) == OpenCvFilter::kCubic);
  CHECK(OpenCvFilterOf(InterMethod::kArea) == OpenCvFilter::kArea);
  CHECK(OpenCvFilterOf(InterMethod::kLanczos) == OpenCvFilter::kLanczos4);
}

TEST_CASE("inter_method 9 goes by the sides that grow and shrink", "[im2rec]") {
  CHECK(Choose(InterMethod::kAuto, {101, 81}) == Filter::kBicubic);
  CHECK(Choose(InterMethod::kAuto, {99, 79}) == Filter::kBox);
  CHECK(Choose(InterMethod::kAuto, {100, 80}) == Filter::kBilinear);
  CHECK(Choose(InterMethod::kAuto, {101, 80}) == Filter::kBilinear);
  CHECK(Choose(InterMethod::kAuto, {99, 81}) == Filter::kBilinear);
}

TEST_CASE("inter_method 10 draws all five evenly, the same for an id",
          "[im2rec]") {
  std::array<int, 6> counts = {};
  const PixelSize size = {10, 10};
  for (std::uint64_t id = 0; id < 5000; ++id) {
    const auto method = ChooseMethod(InterMethod::kRandom, size, size, id);
    CHECK(method == ChooseMethod(InterMethod::kRandom, size, {9, 99}, id));
    ++counts[static_cast<std::size_t>(method)];
  }
  for (std::size_t method = 0; method < 5; ++method) {
    CHECK(counts[method] > 900);
  }
  CHECK(counts[5] == 0);
}

}  // namespace
}  // namespace shardine::pixel_options_test
