#include "load/record_plan.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "load/record_draws.h"

namespace shardine::record_plan_test {
namespace {

constexpr PixelSize kImage{500, 375};
constexpr std::uint64_t kSamples = 80'000;

RecordPlan Plan(const ImageRecordCrop& crop, std::uint64_t id = 1,
                PixelSize image = kImage) {
  REQUIRE(CheckRecordCrop(crop).ok());
  Result<RecordPlan> plan = PlanRecordCrop(crop, image, SampleDraws(7, id, 3));
  REQUIRE(plan.ok());
  return *std::move(plan);
}

Status Failure(const ImageRecordCrop& crop, PixelSize image = kImage) {
  REQUIRE(CheckRecordCrop(crop).ok());
  return PlanRecordCrop(crop, image, SampleDraws(7, 1, 3)).status();
}

ImageRecordCrop Sized(std::uint32_t width, std::uint32_t height) {
  ImageRecordCrop crop;
  crop.width = width;
  crop.height = height;
  return crop;
}

// Off by more than this a share is once in 10,000 times.
double Tolerance(double probability) {
  return 4 * std::sqrt(probability * (1 - probability) / kSamples);
}

TEST_CASE("By default ImageRecordCrop takes the middle and decodes no more",
          "[record_plan]") {
  const RecordPlan plan = Plan(ImageRecordCrop());
  CHECK(plan.decoded == Region{138, 75, 224, 224});
  CHECK(plan.part == plan.decoded);
  CHECK(plan.kept == Region{0, 0, 224, 224});
  CHECK_FALSE(plan.first);
  CHECK_FALSE(plan.warp);
  CHECK(plan.resizings.empty());
}

TEST_CASE("resize makes the short side so long, the other one rounded down",
          "[record_plan]") {
  ImageRecordCrop crop;
  crop.resize = 256;
  CHECK(Plan(crop).first->size == PixelSize{341, 256});
  CHECK(Plan(crop, 1, {375, 500}).first->size == PixelSize{256, 341});
  CHECK(Plan(crop).decoded == Region{0, 0, 500, 375});
  CHECK(Plan(crop).part == Region{58, 16, 224, 224});
}

TEST_CASE("A border is part of what is cut, and is not decoded",
          "[record_plan]") {
  ImageRecordCrop crop = Sized(60, 40);
  crop.pad = 10;
  const RecordPlan plan = Plan(crop, 1, {48, 30});
  CHECK(plan.part == Region{4, 5, 60, 40});
  CHECK(plan.decoded == Region{0, 0, 48, 30});
  // All of it is border: something has to be decoded nevertheless.
  crop = Sized(4, 4);
  crop.pad = 100;
  crop.random_place = true;
  for (std::uint64_t id = 0; id < 200; ++id) {
    const RecordPlan drawn = Plan(crop, id, {3, 3});
    CHECK(drawn.decoded.width >= 1);
    CHECK(drawn.decoded.x + drawn.decoded.width <= 3);
    CHECK(drawn.decoded.y + drawn.decoded.height <= 3);
  }
}

TEST_CASE("An image with less than the crop grows, higher first, then wider",
          "[record_plan]") {
  const RecordPlan plan = Plan(Sized(100, 90), 1, {40, 30});
  REQUIRE(plan.resizings.size() == 1);
  CHECK(plan.resizings[0].size == PixelSize{120, 90});
  CHECK(plan.kept == Region{10, 0, 100, 90});
  const RecordPlan twice = Plan(Sized(100, 50), 1, {20, 40});
  REQUIRE(twice.resizings.size() == 2);
  CHECK(twice.resizings[0].size == PixelSize{25, 50});
  CHECK(twice.resizings[1].size == PixelSize{100, 200});
  CHECK(twice.kept == Region{0, 75, 100, 50});
}

TEST_CASE("The matrix of the affine part turns around the middle",
          "[record_plan]") {
  ImageRecordCrop crop = Sized(100, 100);
  crop.angle = {90, 90};
  const RecordPlan plan = Plan(crop, 1, {200, 200});
  REQUIRE(plan.warp);
  const OpenCvMatrix& m = plan.warp->matrix;
  CHECK(m[0] == Approx(0).margin(1e-6));
  CHECK(m[1] == 1);
  CHECK(m[3] == -1);
  CHECK(m[2] == Approx(0).margin(1e-4));
  CHECK(m[5] == Approx(200).margin(1e-4));
  crop.angle = {0, 0};
  crop.scale = {1.5, 1.5};
  crop.aspect = {2, 2};
  const RecordPlan wide = Plan(crop, 1, {200, 100});
  CHECK(wide.warp->size == PixelSize{300, 150});
  CHECK(wide.warp->matrix[0] == 1);  // 2 * 1.5 / 3
  CHECK(wide.warp->matrix[4] == 2);
  crop.side = {0, 120};
  CHECK(Plan(crop, 1, {200, 100}).warp->size == PixelSize{120, 120});
}

TEST_CASE("Interpolations are chosen by what becomes of the sides",
          "[record_plan]") {
  ImageRecordCrop crop = Sized(100, 100);
  crop.interpolation = OpenCvInterpolation::kAuto;
  const auto filter = [&](std::uint32_t side, PixelSize image) {
    crop.crop_size = {side, side};
    return Plan(crop, 1, image).resizings[0].filter;
  };
  CHECK(filter(50, {120, 130}) == OpenCvFilter::kCubic);
  CHECK(filter(110, {120, 130}) == OpenCvFilter::kArea);
  CHECK(filter(100, {120, 130}) == OpenCvFilter::kLinear);
  crop.interpolation = OpenCvInterpolation::kRandom;
  std::map<OpenCvFilter, double> counts;
  crop.crop_size = {50, 50};
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    counts[Plan(crop, id).resizings[0].filter] += 1.0 / kSamples;
  }
  REQUIRE(counts.size() == 5);
  for (const auto& [each, share] : counts) {
    CHECK(std::abs(share - 0.2) < Tolerance(0.2));
  }
}

TEST_CASE("Angles are whole degrees, each as often", "[record_plan]") {
  ImageRecordCrop crop;
  crop.angle = {-2, 2};
  std::map<std::int64_t, double> counts;
  const auto draw_all = [&] {
    counts.clear();
    for (std::uint64_t id = 0; id < kSamples; ++id) {
      const OpenCvMatrix m = Plan(crop, id).warp->matrix;
      counts[std::lround(std::atan2(m[1], m[0]) * 57.29578)] += 1.0 / kSamples;
    }
  };
  draw_all();
  REQUIRE(counts.size() == 5);
  for (const auto& [angle, share] : counts) {
    CHECK(std::abs(share - 0.2) < Tolerance(0.2));
  }
  crop.angles = {10, 20, 20, 30};
  draw_all();
  REQUIRE(counts.size() == 3);
  CHECK(std::abs(counts[20] - 0.5) < Tolerance(0.5));
  CHECK(std::abs(counts[10] - 0.25) < Tolerance(0.25));
}

TEST_CASE("Shears, scales and aspects are uniform", "[record_plan]") {
  ImageRecordCrop crop = Sized(8, 8);
  crop.shear = {-0.2, 0.6};
  crop.scale = {0.5, 1.5};
  crop.aspect = {0.8, 1.6};
  const DrawnRange ranges[] = {crop.shear, crop.scale, crop.aspect};
  // For each range, how many draws are in each of its tenths.
  std::array<std::array<double, 10>, 3> shares{};
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    const OpenCvMatrix m = Plan(crop, id).warp->matrix;
    const double aspect = m[4] / m[0];
    const double drawn[] = {m[1] / m[4], m[0] * (1 + aspect) / 2, aspect};
    for (std::size_t i = 0; i < 3; ++i) {
      const double share =
          (drawn[i] - ranges[i][0]) / (ranges[i][1] - ranges[i][0]);
      REQUIRE(share > -1e-5);
      REQUIRE(share < 1 + 1e-5);
      const double tenth = std::clamp(share * 10, 0.0, 9.0);
      shares[i][static_cast<std::size_t>(tenth)] += 1.0 / kSamples;
    }
  }
  for (const auto& each : shares) {
    for (const double share : each) {
      CHECK(std::abs(share - 0.1) < Tolerance(0.1));
    }
  }
}

TEST_CASE("Squares of random size lie at random places", "[record_plan]") {
  ImageRecordCrop crop = Sized(64, 64);
  crop.crop_size = {100, 103};
  crop.random_place = true;
  std::map<std::uint32_t, double> sides;
  double left = 0;
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    const Region part = Plan(crop, id).part;
    REQUIRE(part.x + part.width <= kImage.width);
    REQUIRE(part.y + part.height <= kImage.height);
    sides[part.width] += 1.0 / kSamples;
    left += part.x < 200 ? 1.0 / kSamples : 0;
  }
  REQUIRE(sides.size() == 4);
  for (const auto& [side, share] : sides) {
    CHECK(std::abs(share - 0.25) < Tolerance(0.25));
  }
  CHECK(std::abs(left - 200.0 / 400) < 0.01);
}

TEST_CASE("resized_crop draws areas and aspects, and half of them turned",
          "[record_plan]") {
  ImageRecordCrop crop;
  crop.resized_crop = true;
  crop.area = {0.1, 0.3};
  crop.aspect = {1.5, 2};
  double turned = 0;
  double small = 0;
  for (std::uint64_t id = 0; id < kSamples; ++id) {
    const Region part = Plan(crop, id, {1000, 1000}).part;
    const double area = part.width * part.height / 1e6;
    REQUIRE(area > 0.099);
    REQUIRE(area < 0.301);
    const double longer = std::max(part.width, part.height);
    const double ratio = longer / std::min(part.width, part.height);
    REQUIRE(ratio > 1.49);
    REQUIRE(ratio < 2.01);
    turned += part.width < part.height ? 1.0 / kSamples : 0;
    small += area < 0.2 ? 1.0 / kSamples : 0;
  }
  CHECK(std::abs(turned - 0.5) < Tolerance(0.5));
  CHECK(std::abs(small - 0.5) < 2 * Tolerance(0.5));
}

TEST_CASE("Where no try of resized_crop fits the middle is taken",
          "[record_plan]") {
  ImageRecordCrop crop;
  crop.resized_crop = true;
  crop.area = {4, 4};
  CHECK(Plan(crop).part == Region{138, 75, 224, 224});
  crop.area = {0, 0};  // of no pixels
  CHECK(Plan(crop).part == Region{138, 75, 224, 224});
}

TEST_CASE("A plan of ImageRecordCrop never changes", "[record_plan]") {
  ImageRecordCrop crop;
  crop.resize = 300;
  crop.shear = {-0.2, 0.2};
  crop.angle = {-30, 30};
  crop.scale = {0.9, 1.2};
  crop.aspect = {0.8, 1.2};
  crop.pad = 7;
  crop.random_place = true;
  const RecordPlan plan = Plan(crop, 12345);
  CHECK(plan.first->size == PixelSize{400, 300});
  CHECK(plan.warp->size == PixelSize{383, 287});
  CHECK(plan.part == Region{63, 52, 224, 224});
  CHECK(plan.warp->matrix == OpenCvMatrix{0x1.d5e2ecp-1f, 0x1.7b87dap-2f,
                                          -0x1.793a3p+5f, -0x1.27171cp-2f,
                                          0x1.c618e6p-1f, 0x1.125e2ep+6f});
}

TEST_CASE("What an image cannot become is said with its size",
          "[record_plan]") {
  ImageRecordCrop crop;
  CHECK(Failure(crop, {0, 5}).code() == Code::kCorrupt);
  crop.crop_size = {100, 400};
  CHECK(Failure(crop).message() ==
        "an image of 500x375 pixels is smaller than the crop_size of "
        "ImageRecordCrop, 400");
  crop = {};
  crop.scale = {100, 100};
  CHECK(Failure(crop).message() ==
        "ImageRecordCrop would make an image of 500x375 pixels one of "
        "50000x37500");
  crop = {};
  crop.side = {0, 0.5};
  CHECK(Failure(crop).code() == Code::kUnsupported);
  crop = {};
  crop.resize = 65'535;
  CHECK(Failure(crop, {1, 65'535}).code() == Code::kUnsupported);
  crop.resize = 0;
  CHECK(Failure(crop, {1, 65'535}).code() == Code::kUnsupported);
  // The size that a header claims, which is small once its short side is 20.
  crop.resize = 20;
  CHECK(Failure(crop, {1u << 31, 1u << 31}).message() ==
        "an image of 2147483648x2147483648 pixels is larger than "
        "ImageRecordCrop takes, 2^28 pixels");
}

TEST_CASE("CheckRecordCrop names what makes no sense", "[record_plan]") {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change) {
    ImageRecordCrop crop;
    change(crop);
    return CheckRecordCrop(crop).message();
  };
  using Crop = ImageRecordCrop;
  const std::map<std::string, std::string> messages = {
      {"width", refused([](Crop& c) { c.width = 0; })},
      {"height", refused([](Crop& c) { c.height = 65'536; })},
      {"resize", refused([](Crop& c) { c.resize = 70'000; })},
      {"pad", refused([](Crop& c) { c.pad = 70'000; })},
      {"shear", refused([](Crop& c) {
         c.shear = {kNaN, 1};
       })},
      {"angle", refused([](Crop& c) {
         c.angle = {5, 4};
       })},
      {"angles", refused([](Crop& c) {
         c.angles = {1, 36'001};
       })},
      {"scale", refused([](Crop& c) {
         c.scale = {0, 1};
       })},
      {"aspect", refused([](Crop& c) {
         c.aspect = {1, kNaN};
       })},
      {"side", refused([](Crop& c) {
         c.side = {-1, 1};
       })},
      {"area", refused([](Crop& c) {
         c.area = {1, 1e7};
       })},
      {"crop_size", refused([](Crop& c) {
         c.crop_size = {0, 7};
       })},
      {"resized_crop", refused([](Crop& c) {
         c.resized_crop = true;
         c.random_place = true;
       })}};
  for (const auto& [name, message] : messages) {
    CHECK_THAT(message, Catch::StartsWith("transform: " + name +
                                          " of ImageRecordCrop "));
  }
  CHECK(CheckRecordCrop({}).ok());
}

}  // namespace
}  // namespace shardine::record_plan_test
