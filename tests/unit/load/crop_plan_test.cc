#include "load/crop_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace shardine::crop_plan_test {
namespace {

constexpr PixelSize kNoTarget{};

CropPlan Planned(const Geometry& geometry, PixelSize image,
                 const SampleDraws& draws = SampleDraws(0, 0, 0),
                 PixelSize target = kNoTarget) {
  REQUIRE(CheckGeometry(geometry).ok());
  if (target == kNoTarget) target = TargetSize(geometry);
  Result<CropPlan> plan = CropPlanner(geometry)(image, draws, target);
  INFO(plan.status().ToString());
  REQUIRE(plan.ok());
  return *plan;
}

bool IsInside(const Region& box, PixelSize image) {
  return box.width > 0 && box.height > 0 &&
         std::uint64_t{box.x} + box.width <= image.width &&
         std::uint64_t{box.y} + box.height <= image.height;
}

const PixelSize kHostile[] = {{1, 1},           {1, 2},
                              {2, 1},           {1, 65'500},
                              {65'500, 1},      {3, 65'500},
                              {65'500, 65'500}, {0x7fffffff, 1},
                              {1, 0xffffffff},  {0xffffffff, 0xffffffff}};

TEST_CASE("RandomResizedCrop keeps its boxes for ever", "[crop_plan]") {
  struct Pin {
    PixelSize image;
    std::uint64_t seed;
    std::uint64_t id;
    std::uint64_t epoch;
    Region box;
    bool flip;
  };
  const Pin pins[] = {
      {{500, 375}, 0, 0, 0, {130, 70, 323, 260}, false},
      {{500, 375}, 0, 0, 1, {7, 47, 366, 284}, true},
      {{500, 375}, 0, 1, 0, {196, 2, 300, 352}, true},
      {{500, 375}, 42, 14'197'086, 89, {218, 117, 183, 195}, true},
      {{375, 500}, 42, 5'000'000'000, 3, {48, 33, 305, 287}, false},
      {{160, 213}, 7, 8, 9, {25, 72, 90, 83}, false},
      {{4288, 2848}, 7, 8, 9, {351, 219, 3039, 2452}, false},
      {{1000, 40}, 3, 1, 2, {473, 0, 53, 40}, false},
      {{40, 1000}, 3, 1, 2, {0, 473, 40, 53}, false},
      {{7, 5}, 3, 1, 2, {3, 2, 4, 3}, false},
  };
  for (const Pin& pin : pins) {
    const CropPlan plan = Planned(RandomResizedCrop{}, pin.image,
                                  SampleDraws(pin.seed, pin.id, pin.epoch));
    const Region& box = plan.box;
    CAPTURE(box.x, box.y, box.width, box.height);
    CHECK(box == pin.box);
    CHECK(plan.flip == pin.flip);
    CHECK(plan.size == PixelSize{224, 224});
    CHECK(plan.kept() == Region{0, 0, 224, 224});
    CHECK_FALSE(plan.has_border());
  }
  const RandomResizedCrop other{128, 96, 0.35, 0.9, 0.5, 3.0, 0.25};
  std::uint64_t sum = 0;
  for (std::uint64_t id = 0; id < 5000; ++id) {
    const CropPlan plan = Planned(other, {800, 600}, SampleDraws(1, id, 2));
    for (const std::uint32_t part : {plan.box.x, plan.box.y, plan.box.width,
                                     plan.box.height, plan.flip ? 1u : 0u}) {
      sum = sum * 1'000'003 + part;
    }
  }
  CHECK(sum == 0xe647f695f6e53661);
}

TEST_CASE(
    "RandomResizedCrop of a sample is the same in each call and another "
    "in each epoch",
    "[crop_plan]") {
  const PixelSize image{640, 480};
  int same = 0;
  for (std::uint64_t id = 0; id < 1000; ++id) {
    const CropPlan plan =
        Planned(RandomResizedCrop{}, image, SampleDraws(5, id, 6));
    CHECK(plan == Planned(RandomResizedCrop{}, image, SampleDraws(5, id, 6)));
    same += plan.box ==
            Planned(RandomResizedCrop{}, image, SampleDraws(5, id, 7)).box;
    same += plan.box ==
            Planned(RandomResizedCrop{}, image, SampleDraws(6, id, 6)).box;
  }
  CHECK(same == 0);
}

// Random numbers that have nothing to do with ours: xorshift64*.
class OtherRandom {
 public:
  double operator()() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<double>((state_ * 0x2545f4914f6cdd1d) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

enum class RatioLaw { kLogarithm, kLinear };

// torchvision's RandomResizedCrop.make_params, written down once more.
Region ReferenceBox(const RandomResizedCrop& crop, PixelSize image,
                    OtherRandom& random, RatioLaw law) {
  const double width = image.width;
  const double height = image.height;
  const auto between = [&](double low, double high) {
    return low + random() * (high - low);
  };
  for (int i = 0; i < 10; ++i) {
    const double area =
        width * height * between(crop.min_scale, crop.max_scale);
    const double ratio = law == RatioLaw::kLogarithm
                             ? std::exp(between(std::log(crop.min_ratio),
                                                std::log(crop.max_ratio)))
                             : between(crop.min_ratio, crop.max_ratio);
    const double w = std::nearbyint(std::sqrt(area * ratio));
    const double h = std::nearbyint(std::sqrt(area / ratio));
    if (w <= 0 || w > width || h <= 0 || h > height) continue;
    return {static_cast<std::uint32_t>(random() * (width - w + 1)),
            static_cast<std::uint32_t>(random() * (height - h + 1)),
            static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(h)};
  }
  double w = width;
  double h = height;
  if (w / h < crop.min_ratio) h = std::nearbyint(w / crop.min_ratio);
  if (w / height > crop.max_ratio) w = std::nearbyint(height * crop.max_ratio);
  return {static_cast<std::uint32_t>(width - w) / 2,
          static_cast<std::uint32_t>(height - h) / 2,
          static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(h)};
}

// Traits of a box that have a distribution: area, aspect ratio, place; each 0
// to 1.
std::vector<double> Traits(const RandomResizedCrop& crop, const Region& box,
                           PixelSize image) {
  const double w = box.width;
  const double h = box.height;
  const double low = std::log(crop.min_ratio);
  const auto place = [](double begin, double side, double whole) {
    return whole > side ? begin / (whole - side) : 0;
  };
  return {w * h / image.width / image.height,
          (std::log(w / h) - low) / (std::log(crop.max_ratio) - low),
          place(box.x, w, image.width), place(box.y, h, image.height)};
}

// Chi-square of two histograms of equally many values, less its degrees of
// freedom, in standard deviations.
double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr std::size_t kBins = 25;
  const auto histogram = [](const std::vector<double>& values) {
    std::vector<double> counts(kBins);
    for (const double value : values) {
      const double bin = std::clamp(value * kBins, 0.0, kBins - 1.0);
      ++counts[static_cast<std::size_t>(bin)];
    }
    return counts;
  };
  const std::vector<double> ours = histogram(a);
  const std::vector<double> theirs = histogram(b);
  double sum = 0;
  double freedom = -1;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double both = ours[bin] + theirs[bin];
    if (both == 0) continue;
    const double difference = ours[bin] - theirs[bin];
    sum += difference * difference / both;
    ++freedom;
  }
  return freedom > 0 ? (sum - freedom) / std::sqrt(2 * freedom) : sum;
}

// The largest distance of all traits between our boxes and the reference's.
double DistanceFromReference(const RandomResizedCrop& crop, PixelSize image,
                             RatioLaw law) {
  constexpr std::uint64_t kBoxes = 40'000;
  std::vector<std::vector<double>> ours(4);
  std::vector<std::vector<double>> theirs(4);
  OtherRandom random;
  for (std::uint64_t id = 0; id < kBoxes; ++id) {
    const SampleDraws draws(99, id, 1);
    const Result<CropPlan> plan = CropPlanner(crop)(image, draws, kNoTarget);
    const auto our = Traits(crop, plan->box, image);
    const auto their =
        Traits(crop, ReferenceBox(crop, image, random, law), image);
    for (std::size_t i = 0; i < 4; ++i) {
      ours[i].push_back(our[i]);
      theirs[i].push_back(their[i]);
    }
  }
  double worst = -1e9;
  for (std::size_t i = 0; i < 4; ++i) {
    worst = std::max(worst, Distance(ours[i], theirs[i]));
  }
  return worst;
}

TEST_CASE("RandomResizedCrop has torchvision's distribution",
          "[crop_plan][one_thread]") {
  const RandomResizedCrop usual{};
  const RandomResizedCrop other{96, 96, 0.35, 1.0, 0.5, 2.0, 0.5};
  for (const PixelSize image :
       {PixelSize{500, 375}, PixelSize{160, 213}, PixelSize{1000, 300},
        PixelSize{64, 640}, PixelSize{33, 33}}) {
    for (const RandomResizedCrop& crop : {usual, other}) {
      INFO(image.width << "x" << image.height << ", " << crop.min_scale);
      CHECK(DistanceFromReference(crop, image, RatioLaw::kLogarithm) < 4);
    }
  }
  // The check can fail: a uniform ratio has other boxes.
  CHECK(DistanceFromReference(usual, {500, 375}, RatioLaw::kLinear) > 10);
}

TEST_CASE("RandomResizedCrop flips with the probability asked for",
          "[crop_plan]") {
  for (const double flip : {0.0, 0.25, 0.5, 1.0}) {
    RandomResizedCrop crop;
    crop.flip = flip;
    int flips = 0;
    for (std::uint64_t id = 0; id < 10'000; ++id) {
      const Result<CropPlan> plan =
          CropPlanner(crop)({50, 40}, SampleDraws(1, id, 1), kNoTarget);
      flips += plan->flip;
    }
    // Standard deviation: 50 at most.
    CHECK(std::abs(flips - flip * 10'000) <= (flip * (1 - flip) > 0 ? 200 : 0));
  }
}

TEST_CASE("RandomResizedCrop stays inside of images of any size",
          "[crop_plan]") {
  RandomResizedCrop wide;
  wide.min_ratio = 100;
  wide.max_ratio = 1e6;
  RandomResizedCrop tiny;
  tiny.min_scale = 0;
  tiny.max_scale = 1e-6;
  RandomResizedCrop vast;
  vast.min_scale = 2;
  vast.max_scale = 1e6;
  for (const PixelSize image : kHostile) {
    for (const RandomResizedCrop& crop :
         {RandomResizedCrop{}, wide, tiny, vast}) {
      for (std::uint64_t id = 0; id < 300; ++id) {
        const CropPlan plan = Planned(crop, image, SampleDraws(2, id, 0));
        INFO(image.width << "x" << image.height << ", id " << id);
        REQUIRE(IsInside(plan.box, image));
      }
    }
  }
}

TEST_CASE("RandomResizedCrop takes the middle where no box fits",
          "[crop_plan]") {
  RandomResizedCrop crop;
  crop.min_scale = 2;
  crop.max_scale = 2;
  const auto box = [&](std::uint32_t width, std::uint32_t height) {
    return Planned(crop, {width, height}).box;
  };
  CHECK(box(400, 300) == Region{0, 0, 400, 300});  // as wide as is allowed
  CHECK(box(401, 300) == Region{0, 0, 400, 300});
  CHECK(box(300, 400) == Region{0, 0, 300, 400});
  CHECK(box(1000, 99) == Region{434, 0, 132, 99});
  CHECK(box(30, 1000) == Region{0, 480, 30, 40});
  CHECK(box(1000, 1) == Region{499, 0, 1, 1});
  CHECK(box(1, 1000) == Region{0, 499, 1, 1});
  // round(1 * 1.5) and round(3 * 1.5): halves to even.
  crop.min_ratio = 1.5;
  crop.max_ratio = 1.5;
  CHECK(box(100, 1) == Region{49, 0, 2, 1});
  CHECK(box(100, 3) == Region{48, 0, 4, 3});
  // round(1 / 3) is no side.
  crop.min_ratio = 3;
  crop.max_ratio = 3;
  CHECK(box(1, 1) == Region{0, 0, 1, 1});
}

TEST_CASE("CenterCrop rounds as torchvision does", "[crop_plan]") {
  const auto plan = [](std::uint32_t width, std::uint32_t height) {
    return Planned(CenterCrop{}, {width, height});
  };
  // int(256 * 500 / 375) = 341; (341 - 224) / 2 = 58.5: to 58.
  CHECK(plan(500, 375) ==
        CropPlan{{0, 0, 500, 375}, {341, 256}, 58, 16, {224, 224}, false});
  CHECK(plan(375, 500) ==
        CropPlan{{0, 0, 375, 500}, {256, 341}, 16, 58, {224, 224}, false});
  // int(256 * 501 / 375) = 342: 59. int(256 * 503 / 375) = 343: 59.5, to 60.
  CHECK(plan(501, 375).x == 59);
  CHECK(plan(503, 375).resized == PixelSize{343, 256});
  CHECK(plan(503, 375).x == 60);
  CHECK(plan(1, 1).resized == PixelSize{256, 256});
  CHECK(plan(500, 375).kept() == Region{58, 16, 224, 224});
}

TEST_CASE("CenterCrop's corner is that of Python's round for any size",
          "[crop_plan]") {
  for (std::uint32_t width = 1; width < 700; ++width) {
    const CropPlan plan = Planned(CenterCrop{80, 100, 120}, {width, 300});
    const std::uint32_t short_side = std::min(width, 300u);
    if (short_side == 120) continue;  // nothing is resampled
    const double resized_width = width < 300 ? 120 : width * 120 / short_side;
    const double resized_height = width < 300 ? 300 * 120 / width : 120;
    REQUIRE(plan.resized.width == resized_width);
    REQUIRE(plan.resized.height == resized_height);
    REQUIRE(static_cast<double>(plan.x) ==
            std::nearbyint((resized_width - 80) / 2.0));
    REQUIRE(static_cast<double>(plan.y) ==
            std::nearbyint((resized_height - 100) / 2.0));
  }
}

TEST_CASE("CenterCrop puts what is too small in the middle of black",
          "[crop_plan]") {
  const CenterCrop crop{224, 224, 100};
  // 100 x 151: (224 - 100) // 2 before it, (224 - 151) // 2 above.
  const CropPlan plan = Planned(crop, {200, 303});
  CHECK(plan ==
        CropPlan{{0, 0, 200, 303}, {100, 151}, -62, -36, {224, 224}, false});
  CHECK(plan.has_border());
  CHECK(plan.kept() == Region{0, 0, 100, 151});
  CHECK((plan.left() == 62 && plan.top() == 36));
  // Too small on one side only.
  CHECK(Planned(crop, {1000, 300}).kept() == Region{54, 0, 224, 100});
  CHECK(Planned(crop, {1000, 300}).left() == 0);
  CHECK(Planned(crop, {1000, 300}) ==
        CropPlan{{0, 0, 1000, 300}, {333, 100}, 54, -62, {224, 224}, false});
}

TEST_CASE("CenterCrop decodes no more than it keeps where nothing is resampled",
          "[crop_plan]") {
  const CenterCrop as_is{224, 200, 0};
  CHECK(Planned(as_is, {501, 300}) ==
        CropPlan{{138, 50, 224, 200}, {224, 200}, 0, 0, {224, 200}, false});
  CHECK(Planned(as_is, {500, 99}) ==
        CropPlan{{138, 0, 224, 99}, {224, 99}, 0, -50, {224, 200}, false});
  CHECK(Planned(as_is, {5, 7}) ==
        CropPlan{{0, 0, 5, 7}, {5, 7}, -109, -96, {224, 200}, false});
  CHECK(Planned(as_is, {5, 7}).kept() == Region{0, 0, 5, 7});
  CHECK(Planned(as_is, {5, 7}).has_border());
  CHECK_FALSE(Planned(as_is, {500, 300}).has_border());
  // The short side is 256 as it is.
  CHECK(Planned(CenterCrop{}, {341, 256}) ==
        CropPlan{{58, 16, 224, 224}, {224, 224}, 0, 0, {224, 224}, false});
}

TEST_CASE("CenterCrop refuses images that its resize would blow up",
          "[crop_plan]") {
  const auto status = [](const CenterCrop& crop, PixelSize image) {
    return CropPlanner(crop)(image, SampleDraws(0, 0, 0), kNoTarget).status();
  };
  // A part is all that is made of it, however large it were.
  CHECK(Planned(CenterCrop{}, {65'500, 1}).resized ==
        PixelSize{256 * 65'500, 256});
  CHECK(Planned(CenterCrop{224, 224, 256}, {1, 1 << 18}).resized ==
        PixelSize{256, 1 << 26});
  CHECK(status(CenterCrop{224, 224, 256}, {1, (1 << 18) + 1}).code() ==
        Code::kUnsupported);
  CHECK(status(CenterCrop{1, 1, 65'535}, {1, 0xffffffff}).code() ==
        Code::kUnsupported);
}

TEST_CASE("Resize takes the whole image", "[crop_plan]") {
  const Resize resize{320, 200};
  for (const PixelSize image : kHostile) {
    CHECK(Planned(resize, image) == CropPlan{{0, 0, image.width, image.height},
                                             {320, 200},
                                             0,
                                             0,
                                             {320, 200},
                                             false});
  }
}

TEST_CASE("FixedCrop takes its box, or says that there is none",
          "[crop_plan]") {
  const FixedCrop crop{10, 20, 30, 40, 64, 48};
  CHECK(Planned(crop, {40, 60}) ==
        CropPlan{{10, 20, 30, 40}, {64, 48}, 0, 0, {64, 48}, false});
  for (const PixelSize image : {PixelSize{39, 60}, PixelSize{40, 59}}) {
    const Result<CropPlan> plan =
        CropPlanner(crop)(image, SampleDraws(0, 0, 0), kNoTarget);
    REQUIRE_FALSE(plan.ok());
    CHECK(plan.status().code() == Code::kUnsupported);
    const std::string size =
        std::to_string(image.width) + "x" + std::to_string(image.height);
    CHECK(plan.status().message().find(size) != std::string::npos);
  }
  const FixedCrop far{0xfffffff0, 0, 0x20, 1, 8, 8};
  CHECK_FALSE(
      CropPlanner(far)({0x10, 1}, SampleDraws(0, 0, 0), kNoTarget).ok());
}

TEST_CASE("RandomCrop is in each place of the padded image equally often",
          "[crop_plan]") {
  RandomCrop crop{.width = 8, .height = 6, .padding = {3, 2, 1, 0}};
  std::map<std::pair<std::int64_t, std::int64_t>, int> corners;
  for (std::uint64_t id = 0; id < 8000; ++id) {
    const CropPlan plan = Planned(crop, {9, 7}, SampleDraws(1, id, 0));
    REQUIRE(plan.size == PixelSize{8, 6});
    REQUIRE(plan.resized == PixelSize{plan.box.width, plan.box.height});
    const Region& box = plan.box;
    REQUIRE(box.x + box.width <= 9);
    REQUIRE(box.y + box.height <= 7);
    // In the image where the crop is in it, else at its border.
    const std::int64_t x = std::int64_t{box.x} + plan.x;
    const std::int64_t y = std::int64_t{box.y} + plan.y;
    REQUIRE(box.x == std::max<std::int64_t>(x, 0));
    REQUIRE(box.width == std::min<std::int64_t>(x + 8, 9) - box.x);
    REQUIRE(box.y == std::max<std::int64_t>(y, 0));
    REQUIRE(box.height == std::min<std::int64_t>(y + 6, 7) - box.y);
    ++corners[{x, y}];
  }
  // 9 + 3 + 1 - 8 + 1 across, 7 + 2 - 6 + 1 down.
  REQUIRE(corners.size() == 6 * 4);
  CHECK(corners.begin()->first ==
        std::pair<std::int64_t, std::int64_t>{-3, -2});
  CHECK(corners.rbegin()->first == std::pair<std::int64_t, std::int64_t>{2, 1});
  for (const auto& [corner, count] : corners) {
    CHECK(std::abs(count - 8000.0 / 24) < 5 * std::sqrt(8000.0 / 24));
  }
}

TEST_CASE("RandomCrop pads what is too small on both sides, or refuses it",
          "[crop_plan]") {
  RandomCrop crop{.width = 20, .height = 6, .padding = {1, 0, 1, 0}};
  const SampleDraws draws(1, 2, 3);
  const auto refused = CropPlanner(crop)({17, 6}, draws, kNoTarget);
  CHECK(refused.status().code() == Code::kUnsupported);
  CHECK(refused.status().message().find("17x6") != std::string::npos);
  CHECK(CropPlanner(crop)({18, 6}, draws, kNoTarget).ok());
  crop.pad_if_needed = true;
  std::set<std::int64_t> corners;
  for (std::uint64_t id = 0; id < 200; ++id) {
    const CropPlan plan = Planned(crop, {15, 6}, SampleDraws(1, id, 0));
    CHECK(plan.box == Region{0, 0, 15, 6});
    CHECK(plan.has_border());
    corners.insert(plan.x);
  }
  // 15 + 2 lack 3, which go to the left of the padding and to the right of it.
  CHECK(corners == std::set<std::int64_t>{-4, -3, -2, -1});
}

TEST_CASE("RandomCrop takes no padding as large as the crop", "[crop_plan]") {
  RandomCrop crop{.width = 20, .height = 6, .padding = {19, 5, 19, 5}};
  CHECK(CheckGeometry(crop).ok());
  crop.padding[3] = 6;
  CHECK(CheckGeometry(crop).message() ==
        "transform: padding must be less than the crop's side");
}

TEST_CASE("RectangularCrop crops to its target from int(1.14 size)",
          "[crop_plan]") {
  const SampleDraws draws(0, 0, 0);
  // int(288 * 1.14) = 328; int(328 * 500 / 375) = 437.
  CHECK(Planned(RectangularCrop(288), {500, 375}, draws, {376, 288}) ==
        CropPlan{{0, 0, 500, 375}, {437, 328}, 30, 20, {376, 288}, false});
  // 100 * 1.14 is 113.99999999999999 in double.
  CHECK(Planned(RectangularCrop(100), {50, 50}, draws, {96, 100}) ==
        CropPlan{{0, 0, 50, 50}, {113, 113}, 8, 6, {96, 100}, false});
  // Narrower than the batch.
  CHECK(Planned(RectangularCrop(224), {300, 300}, draws, {296, 224}) ==
        CropPlan{{0, 0, 300, 300}, {255, 255}, -20, 16, {296, 224}, false});
}

TEST_CASE("CropPlanner of an image without pixels is a failure",
          "[crop_plan]") {
  for (const PixelSize image :
       {PixelSize{0, 0}, PixelSize{0, 5}, PixelSize{5, 0}}) {
    for (const Geometry& geometry :
         {Geometry(RandomResizedCrop{}), Geometry(CenterCrop{}),
          Geometry(Resize{}), Geometry(FixedCrop{})}) {
      const Result<CropPlan> plan =
          CropPlanner(geometry)(image, SampleDraws(0, 0, 0), {224, 224});
      REQUIRE_FALSE(plan.ok());
      CHECK(plan.status().code() == Code::kCorrupt);
    }
  }
}

TEST_CASE("TargetSize is that of the geometry", "[crop_plan]") {
  CHECK(TargetSize(RandomResizedCrop{12, 34}) == PixelSize{12, 34});
  CHECK(TargetSize(CenterCrop{12, 34}) == PixelSize{12, 34});
  CHECK(TargetSize(Resize{12, 34}) == PixelSize{12, 34});
  CHECK(TargetSize(FixedCrop{0, 0, 5, 6, 12, 34}) == PixelSize{12, 34});
  CHECK(TargetSize(RectangularCrop(224)) == PixelSize{224, 224});
}

void CheckFault(const Geometry& geometry, const std::string& option) {
  const Status status = CheckGeometry(geometry);
  INFO(option);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find(option) != std::string::npos);
}

TEST_CASE("CheckGeometry names the option that is wrong", "[crop_plan]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CheckFault(RandomResizedCrop{0, 224}, "width");
  CheckFault(RandomResizedCrop{224, 65'536}, "height");
  for (const double scale : {-0.1, 1.5, nan, infinity}) {
    CheckFault(RandomResizedCrop{224, 224, scale}, "min_scale");
  }
  CheckFault(RandomResizedCrop{224, 224, 0, 0}, "max_scale");
  CheckFault(RandomResizedCrop{224, 224, 0.5, nan}, "max_scale");
  for (const double ratio : {0.0, -1.0, 1e-310, 2.0, nan}) {
    CheckFault(RandomResizedCrop{224, 224, 0.08, 1, ratio}, "min_ratio");
  }
  CheckFault(RandomResizedCrop{224, 224, 0.08, 1, 1, infinity}, "max_ratio");
  for (const double flip : {-0.1, 1.1, nan}) {
    CheckFault(RandomResizedCrop{224, 224, 0.08, 1, 1, 1, flip}, "flip");
  }
  CheckFault(CenterCrop{224, 224, 65'536}, "resize");
  CheckFault(CenterCrop{0, 224, 256}, "width");
  CheckFault(Resize{224, 0}, "height");
  CheckFault(FixedCrop{0, 0, 0, 5, 8, 8}, "box_width");
  CheckFault(FixedCrop{0, 0, 5, 0, 8, 8}, "box_height");
  CheckFault(FixedCrop{0, 0, 5, 5, 0, 8}, "width");
  CheckFault(RectangularCrop(0), "width");
  CheckFault(RectangularCrop(60'000), "resize");
  CheckFault(RectangularCrop(4'000'000'000), "width");
  CHECK(CheckGeometry(RandomResizedCrop{224, 224, 0, 1, 1, 1, 0}).ok());
}

}  // namespace
}  // namespace shardine::crop_plan_test
