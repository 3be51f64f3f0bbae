#include "shardine/transform_function.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "load/sample_draws.h"
#include "unit/load/loader_fixture.h"

namespace shardine::transform_function_test {
namespace {

constexpr std::uint32_t kWidth = 24;
constexpr std::uint32_t kHeight = 20;

LoaderOptions Options(std::vector<PixelOperation> operations) {
  LoaderOptions options;
  options.batch_size = 5;
  options.last_batch = LastBatch::kShort;
  options.order.order = SampleOrder::kSequential;
  options.seed = 11;
  options.transform = Transform(Resize{kWidth, kHeight}, std::move(operations));
  return options;
}

TransformFunction Inverting() {
  return {.function = [](const ChangedImage& image) {
    for (std::uint8_t& value : image.pixels) value = 255 - value;
    return Status();
  }};
}

TEST_CASE("A function changes pixels where it stands among the operations",
          "[transform_function][loader]") {
  const LoaderFixture fixture(13);
  const Delivered own =
      Drain(*fixture.Load(Options({Inverting(), RandomSolarize{100, 1}})));
  CHECK(own == Drain(*fixture.Load(
                   Options({RandomInvert{1}, RandomSolarize{100, 1}}))));
  CHECK(own !=
        Drain(*fixture.Load(Options({RandomSolarize{100, 1}, Inverting()}))));
}

TEST_CASE("A function sees the size, and a seed that threads do not change",
          "[transform_function][loader][property]") {
  const LoaderFixture fixture(17);
  for (const unsigned threads : {1U, 2U, 5U}) {
    std::mutex mutex;
    std::multiset<std::uint64_t> seeds;
    bool sizes = true;
    LoaderOptions options = Options(
        {RandomInvert{},
         TransformFunction{.function = [&](const ChangedImage& image) {
           const std::lock_guard lock(mutex);
           sizes = sizes && image.width == kWidth && image.height == kHeight &&
                   image.pixels.size() == std::size_t{kWidth} * kHeight * 3;
           seeds.insert(image.seed);
           return Status();
         }}});
    options.threads = threads;
    options.prefetch = 1;
    // The loader's threads end with it.
    const Delivered delivered = Drain(*fixture.Load(options));
    CHECK(sizes);
    std::set<std::uint64_t> expected;
    for (const std::uint64_t id : delivered.ids) {
      // Operation number 1: draws 512 and on, of which the second.
      expected.insert(SampleDraws(11, id, 0)(513).Bits());
    }
    CHECK(expected.size() == 17);
    for (const std::uint64_t seed : expected) CHECK(seeds.contains(seed));
  }
}

TEST_CASE("A function is called with its probability",
          "[transform_function][loader]") {
  const LoaderFixture fixture(40);
  std::atomic<int> calls = 0;
  TransformFunction counting{.function =
                                 [&](const ChangedImage&) {
                                   ++calls;
                                   return Status();
                                 },
                             .probability = 0};
  Drain(*fixture.Load(Options({counting})));
  CHECK(calls == 0);
  counting.probability = 0.5;
  LoaderOptions options = Options({counting});
  options.prefetch = 1;
  const auto loader = fixture.Load(options);
  Drain(*loader);
  loader->Stop();
  CHECK(calls > 8);
}

TEST_CASE("A function that fails makes the sample a bad one",
          "[transform_function][loader]") {
  const LoaderFixture fixture(10);
  Code code = Code::kUnsupported;
  const TransformFunction failing{.function = [&](const ChangedImage&) {
    return Status(code, "no face was found");
  }};
  LoaderOptions options = Options({failing});
  const auto failed = fixture.Load(options)->Next();
  REQUIRE(!failed.ok());
  CHECK(failed.status().ToString().find("no face was found") !=
        std::string::npos);
  CHECK(failed.status().where().key);
  CHECK(failed.status().where().record);
  options.on_bad = OnBadSample::kDrop;
  CHECK(Drain(*fixture.Load(options)).ids.empty());
  options.on_bad = OnBadSample::kGray;
  const Delivered gray = Drain(*fixture.Load(options));
  CHECK(gray.ids.size() == 10);
  CHECK(gray.pixels == std::string(gray.pixels.size(), static_cast<char>(128)));
  // A failure that is not the sample's fault makes no bad sample.
  code = Code::kIo;
  CHECK(fixture.Load(options)->Next().status().code() == Code::kIo);
}

TEST_CASE("A transform without its function is refused",
          "[transform_function][loader]") {
  const LoaderFixture fixture(3);
  const auto loader =
      Loader::Create(fixture.Open(), Options({TransformFunction{}}));
  CHECK(loader.status().message() ==
        "transform: function of TransformFunction must be given");
}

}  // namespace
}  // namespace shardine::transform_function_test
