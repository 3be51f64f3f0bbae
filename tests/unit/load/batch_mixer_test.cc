#include "load/batch_mixer.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "load/sample_draws.h"
#include "pixels/normalizer.h"
#include "pixels/value_blend.h"

namespace shardine::batch_mixer_test {
namespace {

struct Shape {
  std::uint32_t samples;
  PixelSize size;
  PixelLayout layout;
  PixelType type;
};

// A batch of drawn pixels, of samples that are cut, blended or stay.
class Drawn {
 public:
  explicit Drawn(const Shape& shape)
      : batch(std::make_shared<BlockPool>()), shape_(shape) {
    BatchLayout layout;
    layout.pixels = shape.layout;
    layout.type = shape.type;
    layout.has_pixels = true;
    layout.mix = {.choices = {MixUp{}}, .per = MixPer::kSample};
    batch.Reset({shape.samples, shape.size.height, shape.size.width, 3},
                std::make_shared<const BatchLayout>(layout));
    const auto pixels = batch.views[0].pixels.bytes();
    const SampleDraws draws(1, shape.samples, shape.size.width);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      // No float is NaN, whose comparison says nothing.
      const bool top = (i + 1) % BytesPerValue(shape.type) == 0 &&
                       shape.type != PixelType::kUint8;
      const Draw draw = draws(static_cast<std::uint32_t>(i));
      pixels[i] = static_cast<std::byte>(draw.Below(0, top ? 60 : 256));
    }
    for (std::uint32_t i = 0; i < shape.samples; ++i) {
      batch.mix[i] = DrawnFactor(draws((1U << 23) + i), i);
    }
    batch.Complete();
  }

  // Value by value, as the header of BatchMixer's contract has it.
  std::vector<std::byte> Expected() {
    const auto pixels = batch.views[0].pixels.bytes();
    std::vector<std::byte> mixed(pixels.begin(), pixels.end());
    const std::size_t value = BytesPerValue(shape_.type);
    const std::size_t slot = batch.views[0].slot_bytes;
    for (std::uint32_t i = 0; i < shape_.samples; ++i) {
      const MixFactor& factor = batch.mix[i];
      if (factor.weight == 1) continue;
      for (std::size_t at = 0; at < slot; at += value) {
        const std::byte* const other =
            pixels.data() + factor.partner * slot + at;
        std::byte* const own = mixed.data() + i * slot + at;
        if (!factor.is_cut()) {
          BlendValues(shape_.type, other, 1, factor.weight, own);
        } else if (IsInside(factor, at / value)) {
          std::memcpy(own, other, value);
        }
      }
    }
    return mixed;
  }

  std::vector<std::byte> Pixels() {
    const auto pixels = batch.views[0].pixels.bytes();
    return {pixels.begin(), pixels.end()};
  }

  BatchBuffers batch;

 private:
  MixFactor DrawnFactor(const Draw& draw, std::uint32_t i) const {
    if (i % 3 == 2) return {};
    MixFactor factor{.weight = static_cast<float>(draw.Uniform(0))};
    if (i % 3 == 0) return factor;
    factor.x = draw.Below(1, shape_.size.width);
    factor.y = draw.Below(2, shape_.size.height);
    factor.width = 1 + draw.Below(0, shape_.size.width - factor.x);
    factor.height = 1 + draw.Below(3, shape_.size.height - factor.y);
    return factor;
  }

  bool IsInside(const MixFactor& factor, std::size_t number) const {
    const auto [width, height] = shape_.size;
    const std::size_t pixel = shape_.layout == PixelLayout::kNhwc
                                  ? number / 3
                                  : number % (std::size_t{width} * height);
    const std::size_t x = pixel % width;
    const std::size_t y = pixel / width;
    return x >= factor.x && x < factor.x + factor.width && y >= factor.y &&
           y < factor.y + factor.height;
  }

  Shape shape_;
};

template <typename F>
void ForShapes(const F& use) {
  for (const PixelLayout layout : {PixelLayout::kNhwc, PixelLayout::kNchw}) {
    for (const PixelType type :
         {PixelType::kUint8, PixelType::kFloat32, PixelType::kFloat16}) {
      for (const PixelSize size :
           {PixelSize{1, 1}, PixelSize{5, 3}, PixelSize{61, 90}}) {
        for (const std::uint32_t samples : {1u, 2u, 7u}) {
          use(Shape{samples, size, layout, type});
        }
      }
    }
  }
}

TEST_CASE("BatchMixer mixes each sample with the one before it, as it was",
          "[batch_mixer]") {
  ForShapes([](const Shape& shape) {
    Drawn drawn(shape);
    CAPTURE(shape.samples, shape.size.width, shape.size.height);
    for (std::uint32_t i = 0; i < shape.samples; ++i) {
      CHECK(drawn.batch.mix[i].partner ==
            (i + shape.samples - 1) % shape.samples);
    }
    const auto expected = drawn.Expected();
    BatchMixer mixer;
    REQUIRE(mixer.Begin(drawn.batch) > 0);
    REQUIRE(mixer.Mix());
    REQUIRE(drawn.Pixels() == expected);
    // A thread that comes too late does nothing.
    REQUIRE_FALSE(mixer.Mix());
    REQUIRE(drawn.Pixels() == expected);
  });
}

TEST_CASE("BatchMixer gives the same pixels by any number of threads",
          "[batch_mixer]") {
  for (const std::size_t threads : {2u, 7u}) {
    Drawn drawn({9, {224, 131}, PixelLayout::kNhwc, PixelType::kFloat32});
    const auto expected = drawn.Expected();
    BatchMixer mixer;
    REQUIRE(mixer.Begin(drawn.batch) > threads);
    std::atomic<int> last = 0;
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 0; i < threads; ++i) {
        workers.emplace_back([&] { last += mixer.Mix() ? 1 : 0; });
      }
    }
    CHECK(last == 1);
    CHECK((drawn.Pixels() == expected));
  }
}

TEST_CASE("BatchMixer has nothing to do where all samples stay",
          "[batch_mixer]") {
  Drawn drawn({4, {8, 8}, PixelLayout::kNhwc, PixelType::kUint8});
  drawn.batch.mix.assign(4, MixFactor());
  BatchMixer mixer;
  CHECK(mixer.Begin(drawn.batch) == 0);
  CHECK_FALSE(mixer.Mix());
}

}  // namespace
}  // namespace shardine::batch_mixer_test
