#include "load/pixel_pipeline.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "load/operation_draws.h"
#include "load/record_draws.h"
#include "unit/load/loader_fixture.h"

namespace shardine::pixel_pipeline_test {
namespace {

// One of each, most of them done to each image.
std::vector<PixelOperation> Everything() {
  return {RandomHorizontalFlip{},
          RandomVerticalFlip{},
          ColorJitter{.brightness = {0.6, 1.4},
                      .contrast = {0.6, 1.4},
                      .saturation = {0.6, 1.4},
                      .hue = {-0.1, 0.1}},
          RandomGrayscale{},
          RandomInvert{},
          RandomPosterize{.bits = 6},
          RandomSolarize{},
          RandomAutocontrast{},
          RandomEqualize{},
          RandomAdjustSharpness{},
          GaussianBlur{.kernel_width = 5, .kernel_height = 7},
          Lighting{},
          RandAugment{},
          TrivialAugmentWide{},
          AutoAugment{},
          Affine{.angle = 4, .translate = {1, -2}},
          RandomAffine{.degrees = {-9, 9},
                       .translate = {0.1, 0.2},
                       .scale = {0.8, 1.2},
                       .shear_x = {-3, 3},
                       .interpolation = Interpolation::kBilinear},
          RandomRotation{.degrees = {-5, 5}, .probability = 0.5},
          ImageRecordJitter{.brightness = {0.9, 1.1},
                            .contrast = {0.9, 1.1},
                            .saturation = {0.7, 1.3}},
          RandomHls{.h = {-20, 20}, .s = {-9, 9}, .l = {-9, 9}},
          PcaNoise{.deviation = 0.1},
          RandomErasing{.probability = 1},
          Cutout{.side = 6}};
}

// Each part of ImageRecordIter's geometry.
ImageRecordCrop AsRecords() {
  ImageRecordCrop crop;
  crop.width = 24;
  crop.height = 20;
  crop.resize = 30;
  crop.shear = {-0.1, 0.1};
  crop.angle = {-10, 10};
  crop.scale = {0.9, 1.1};
  crop.aspect = {0.9, 1.1};
  crop.pad = 3;
  crop.random_place = true;
  crop.interpolation = OpenCvInterpolation::kRandom;
  return crop;
}

LoaderOptions Options(std::vector<PixelOperation> operations) {
  LoaderOptions options;
  options.batch_size = 5;
  options.last_batch = LastBatch::kShort;
  options.seed = 11;
  options.transform =
      Transform(RandomCrop{.width = 24, .height = 20, .padding = {4, 4, 4, 4}},
                std::move(operations));
  return options;
}

std::string Fault(const Geometry& geometry,
                  const std::vector<PixelOperation>& operations) {
  return std::string(
      CheckOperations(Transform(geometry, operations)).message());
}

TEST_CASE("CheckOperations names the parameter and its operation",
          "[pixel_pipeline]") {
  const auto fault = [](const PixelOperation& operation) {
    return Fault(CenterCrop{}, {operation});
  };
  for (const PixelOperation& operation : Everything()) {
    CHECK(fault(operation).empty());
  }
  CHECK(fault(RandomInvert{1.5}) ==
        "transform: probability of RandomInvert must be 0 to 1");
  CHECK(fault(ColorJitter{.brightness = {-0.1, 1}}) ==
        "transform: brightness of ColorJitter must be 0 to 1e6, ascending");
  CHECK(fault(ColorJitter{.hue = {0.2, 0.1}}) ==
        "transform: hue of ColorJitter must be -0.5 to 0.5, ascending");
  CHECK(fault(RandomPosterize{.bits = 9}).find("bits") != std::string::npos);
  CHECK(fault(RandomSolarize{.threshold = 256}).find("threshold") !=
        std::string::npos);
  CHECK(fault(RandomAdjustSharpness{.factor = -1}).find("factor") !=
        std::string::npos);
  CHECK(fault(GaussianBlur{.kernel_height = 4}) ==
        "transform: kernel_height of GaussianBlur must be odd, 1 to 255");
  CHECK(fault(GaussianBlur{.sigma = {0, 1}}).find("sigma") !=
        std::string::npos);
  CHECK(fault(RandomErasing{.scale = {0.1, 1.1}}).find("scale") !=
        std::string::npos);
  CHECK(fault(RandomErasing{.ratio = {0, 1}}).find("ratio") !=
        std::string::npos);
  CHECK(fault(Cutout{.side = 65'536}).find("side") != std::string::npos);
  CHECK(fault(RandAugment{.magnitude = 31}) ==
        "transform: magnitude of RandAugment must be less than "
        "num_magnitude_bins");
  CHECK(fault(Affine{.scale = 0}) ==
        "transform: scale of Affine must be 0.001 to 1000, ascending");
  CHECK(fault(Affine{.shear = {0, 90}}).find("shear") != std::string::npos);
  CHECK(fault(RandomAffine{.translate = {0, 1.1}}).find("translate") !=
        std::string::npos);
  CHECK(fault(RandomRotation{.degrees = {3, 2}}).find("degrees") !=
        std::string::npos);
  CHECK(fault(Lighting{.deviation = NAN}).find("deviation") !=
        std::string::npos);
}

TEST_CASE("CheckOperations wants Normalize once and last, and one who flips",
          "[pixel_pipeline]") {
  CHECK(Fault(CenterCrop{}, {RandomInvert{}, Normalize{}}).empty());
  CHECK(Fault(CenterCrop{}, {Normalize{}, RandomInvert{}}) ==
        "transform: Normalize is the last operation");
  CHECK(Fault(CenterCrop{}, {Normalize{}, Normalize{}}) ==
        "transform: normalizes more than once");
  CHECK(Fault(CenterCrop{}, {ImageRecordNormalize{}, PcaNoise{}}) ==
        "transform: Normalize is the last operation");
  CHECK(Fault(CenterCrop{}, {Normalize{}, ImageRecordNormalize{}}) ==
        "transform: normalizes more than once");
  CHECK(Fault(RandomResizedCrop{}, {RandomHorizontalFlip{}})
            .find("flips by itself") != std::string::npos);
  CHECK(Fault(RandomResizedCrop{.flip = 0}, {RandomHorizontalFlip{}}).empty());
  CHECK(Fault(RandomResizedCrop{}, {RandomVerticalFlip{}}).empty());
}

TEST_CASE("A loader refuses operations that make no sense",
          "[pixel_pipeline][loader]") {
  const LoaderFixture fixture(3);
  const auto loader =
      Loader::Create(fixture.Open(), Options({RandomInvert{-1}}));
  CHECK(loader.status().message() ==
        "transform: probability of RandomInvert must be 0 to 1");
}

TEST_CASE("Operations with probability 0 change no pixel",
          "[pixel_pipeline][loader]") {
  const LoaderFixture fixture(13);
  std::vector<PixelOperation> never;
  for (const PixelOperation& operation : Everything()) {
    std::visit(
        [&](auto each) {
          if constexpr (requires { each.probability; }) {
            each.probability = 0;
            never.emplace_back(each);
          }
        },
        operation);
  }
  never.emplace_back(RandAugment{.num_ops = 0});
  CHECK(Drain(*fixture.Load(Options(never))) ==
        Drain(*fixture.Load(Options({}))));
}

TEST_CASE("Threads, ranks and a resume change no pixel of an augmented epoch",
          "[pixel_pipeline][loader][property]") {
  const LoaderFixture fixture(31);
  LoaderOptions options = Options(Everything());
  if (GENERATE(false, true)) options.transform->geometry = AsRecords();
  options.order.order = SampleOrder::kSequential;
  options.threads = 1;
  const Delivered whole = Drain(*fixture.Load(options));
  const std::size_t bytes = whole.pixels.size() / 31;
  for (const unsigned threads : {2U, 7U}) {
    options.threads = threads;
    CHECK(Drain(*fixture.Load(options)) == whole);
  }
  // Two ranks: each step's samples are dealt out in order.
  options.world = 2;
  options.batch_size = 4;
  std::vector<Delivered> ranks;
  for (options.rank = 0; options.rank < 2; ++options.rank) {
    ranks.push_back(Drain(*fixture.Load(options)));
  }
  std::map<std::uint64_t, std::string> by_id;
  for (std::size_t i = 0; i < 31; ++i) {
    by_id[whole.ids[i]] = whole.pixels.substr(i * bytes, bytes);
  }
  std::size_t seen = 0;
  for (const Delivered& rank : ranks) {
    for (std::size_t i = 0; i < rank.ids.size(); ++i, ++seen) {
      const std::string pixels = rank.pixels.substr(i * bytes, bytes);
      REQUIRE((by_id.at(rank.ids[i]) == pixels));
    }
  }
  CHECK(seen == 31);
  // Another loader of other batches resumes in the middle.
  options.world = 1;
  options.rank = 0;
  options.batch_size = 10;
  const auto first = fixture.Load(options);
  Drain(*first, 1);
  options.batch_size = 3;
  const auto second = fixture.Load(options);
  REQUIRE(second->SetState(first->State()).ok());
  CHECK(Drain(*second).pixels == whole.pixels.substr(10 * bytes));
}

TEST_CASE("Another epoch and another seed draw other operations",
          "[pixel_pipeline][loader]") {
  const LoaderFixture fixture(16);
  LoaderOptions options = Options({RandomInvert{}});
  options.transform->geometry = Resize{24, 20};
  options.order.order = SampleOrder::kSequential;
  const auto loader = fixture.Load(options);
  const Delivered first = Drain(*loader);
  const Delivered second = Drain(*loader);
  CHECK(first.ids == second.ids);
  CHECK(first.pixels != second.pixels);
  options.seed = 12;
  CHECK(Drain(*fixture.Load(options)).pixels != first.pixels);
}

TEST_CASE("Boxes say what flips did, and so do the pixels",
          "[pixel_pipeline][loader]") {
  const LoaderFixture fixture(24);
  LoaderOptions options = Options({});
  options.order.order = SampleOrder::kSequential;
  options.transform->geometry = CenterCrop{24, 20, 0};
  const Delivered plain = Drain(*fixture.Load(options));
  options.transform->operations = {RandomHorizontalFlip{}, RandomVerticalFlip{},
                                   RandomHorizontalFlip{}};
  const Delivered flipped = Drain(*fixture.Load(options));
  int kinds[2][2] = {};
  for (std::size_t i = 0; i < 24; ++i) {
    const CropBox& box = flipped.boxes[i];
    ++kinds[box.flip ? 1 : 0][box.vertical_flip ? 1 : 0];
    for (std::size_t y = 0; y < 20; ++y) {
      for (std::size_t x = 0; x < 24; ++x) {
        const std::size_t from_x = box.flip ? 23 - x : x;
        const std::size_t from_y = box.vertical_flip ? 19 - y : y;
        REQUIRE(flipped.pixels.substr(((i * 20 + y) * 24 + x) * 3, 3) ==
                plain.pixels.substr(((i * 20 + from_y) * 24 + from_x) * 3, 3));
      }
    }
  }
  for (const auto& row : kinds) {
    for (const int count : row) CHECK(count > 0);
  }
}

TEST_CASE("Floats are those of the operations' bytes",
          "[pixel_pipeline][loader]") {
  const LoaderFixture fixture(7);
  LoaderOptions options = Options(Everything());
  const Delivered bytes = Drain(*fixture.Load(options));
  options.pixels.type = PixelType::kFloat32;
  options.transform->operations.emplace_back(
      Normalize{.mean = {128, 128, 128}, .std = {64, 64, 64}});
  const Delivered floats = Drain(*fixture.Load(options));
  REQUIRE(floats.pixels.size() == 4 * bytes.pixels.size());
  const auto* const values =
      reinterpret_cast<const float*>(floats.pixels.data());
  for (std::size_t i = 0; i < bytes.pixels.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes.pixels[i]);
    REQUIRE(values[i] == (static_cast<float>(byte) - 128) / 64);
  }
}

TEST_CASE("ImageRecordNormalize draws for each image and follows its flips",
          "[pixel_pipeline][loader]") {
  const LoaderFixture fixture(7);
  LoaderOptions options =
      Options({RandomHorizontalFlip{}, RandomVerticalFlip{}});
  const Delivered bytes = Drain(*fixture.Load(options));
  const std::size_t count = bytes.pixels.size() / 7;
  options.pixels.type = PixelType::kFloat32;
  ImageRecordNormalize normalize{.max_contrast = 0.2f, .max_illumination = 3};
  // Rows are told apart, and columns.
  std::vector<float> means(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pixel = i % (24 * 20);
    means[i] = static_cast<float>(pixel % 24 + pixel / 24 * 100);
  }
  normalize.mean_image = std::make_shared<const std::vector<float>>(means);
  options.transform->operations.emplace_back(normalize);
  const Delivered floats = Drain(*fixture.Load(options));
  const auto* value = reinterpret_cast<const float*>(floats.pixels.data());
  for (std::size_t sample = 0; sample < 7; ++sample) {
    const SampleDraws draws(options.seed, floats.ids[sample], 0);
    const OperationDraws own(draws, 2);
    const RecordScale scale = DrawRecordScale(normalize, own);
    const bool flipped = OperationDraws(draws, 0).Happens(0.5);
    const bool upside_down = OperationDraws(draws, 1).Happens(0.5);
    for (std::size_t i = 0; i < count; ++i, ++value) {
      const std::size_t x = i / 3 % 24;
      const std::size_t y = i / 3 / 24;
      const auto mean = static_cast<float>((flipped ? 23 - x : x) +
                                           (upside_down ? 19 - y : y) * 100);
      const auto byte =
          static_cast<std::uint8_t>(bytes.pixels[sample * count + i]);
      const float product = (static_cast<float>(byte) - mean) * scale.contrast;
      REQUIRE(*value == product + scale.illumination);
    }
  }
}

TEST_CASE("A loader refuses what ImageRecordNormalize cannot do",
          "[pixel_pipeline][loader]") {
  const LoaderFixture fixture(3);
  LoaderOptions options = Options({ImageRecordNormalize{}});
  CHECK(
      Loader::Create(fixture.Open(), options).status().message() ==
      "ImageRecordNormalize: bytes stay as they are; it is for pixels of type "
      "float32 or float16");
  options.transform->operations.clear();
  ImageRecordCrop crop;
  crop.angle = {3, 2};
  options.transform->geometry = crop;
  CHECK(
      Loader::Create(fixture.Open(), options).status().message() ==
      "transform: angle of ImageRecordCrop must be -36000 to 36000, ascending");
}

TEST_CASE("An image that is replaced by gray stays gray",
          "[pixel_pipeline][loader]") {
  const LoaderFixture fixture(9);
  fixture.Damage(4);
  LoaderOptions options = Options({RandomInvert{1}});
  options.order.order = SampleOrder::kSequential;
  options.batch_size = 9;
  options.on_bad = OnBadSample::kGray;
  const Delivered delivered = Drain(*fixture.Load(options));
  const std::size_t bytes = delivered.pixels.size() / 9;
  CHECK(delivered.pixels.substr(4 * bytes, bytes) ==
        std::string(bytes, static_cast<char>(128)));
}

}  // namespace
}  // namespace shardine::pixel_pipeline_test
