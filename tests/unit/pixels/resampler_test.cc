#include "pixels/resampler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "base/philox.h"
#include "base/simd_level.h"
#include "pixels/resample_axis.h"

namespace shardine::resampler_test {
namespace {

constexpr SimdLevel kLevels[] = {SimdLevel::kPortable, SimdLevel::kSse4,
                                 SimdLevel::kAvx2, SimdLevel::kAvx512,
                                 SimdLevel::kAvx512Vnni};

// Lifts the limit when a test is over.
struct AtLevel {
  explicit AtLevel(SimdLevel level) : there(LimitSimd(level)) {}
  ~AtLevel() { UnlimitSimd(); }
  bool there;
};

std::vector<std::uint8_t> Noise(std::size_t size, std::uint32_t seed) {
  std::vector<std::uint8_t> bytes(size);
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

std::vector<std::uint8_t> Resample(const ResampleSpec& spec,
                                   const std::vector<std::uint8_t>& pixels,
                                   std::uint32_t batch) {
  std::vector<std::uint8_t> out(std::size_t{spec.out.width} * spec.channels *
                                spec.out.height);
  const std::size_t stride = std::size_t{spec.in.width} * spec.channels;
  Resampler resampler;
  resampler.Begin(spec, out.data(),
                  std::size_t{spec.out.width} * spec.channels);
  for (std::uint32_t y = 0; y < spec.in.height; y += batch) {
    resampler.Push(pixels.data() + stride * y, stride,
                   std::min(batch, spec.in.height - y));
  }
  return out;
}

// One pass of the formula in resample_axis.h, along any axis.
struct Pass {
  const ResampleAxis& axis;
  std::size_t step;  // between the pixels of the axis

  void Run(const std::uint8_t* in, std::uint8_t* out, std::size_t out_step) {
    for (std::uint32_t i = 0; i < axis.out; ++i) {
      std::int64_t sum = 1 << (kWeightBits - 1);
      for (std::uint32_t k = 0; k < axis.windows[i].count; ++k) {
        sum += std::int64_t{in[step * (axis.windows[i].first + k)]} *
               axis.weights_of(i)[k];
      }
      out[out_step * i] = static_cast<std::uint8_t>(
          std::clamp<std::int64_t>(sum >> kWeightBits, 0, 255));
    }
  }
};

// The definition, written down as it reads.
std::vector<std::uint8_t> Model(const ResampleSpec& spec,
                                const std::vector<std::uint8_t>& pixels) {
  const ResampleAxis across =
      MakeResampleAxis(spec.in.width, spec.out.width, spec.filter, spec.flip);
  const ResampleAxis down =
      MakeResampleAxis(spec.in.height, spec.out.height, spec.filter);
  const std::size_t c = spec.channels;
  const std::size_t in = spec.in.width * c;
  const std::size_t out = spec.out.width * c;
  std::vector<std::uint8_t> result(out * spec.out.height);
  if (VerticalFirst(spec)) {
    std::vector<std::uint8_t> middle(in * spec.out.height);
    for (std::size_t x = 0; x < in; ++x) {
      Pass{down, in}.Run(pixels.data() + x, middle.data() + x, in);
    }
    for (std::size_t y = 0; y < spec.out.height; ++y) {
      for (std::size_t k = 0; k < c; ++k) {
        Pass{across, c}.Run(middle.data() + in * y + k,
                            result.data() + out * y + k, c);
      }
    }
    return result;
  }
  std::vector<std::uint8_t> middle(out * spec.in.height);
  for (std::size_t y = 0; y < spec.in.height; ++y) {
    for (std::size_t k = 0; k < c; ++k) {
      Pass{across, c}.Run(pixels.data() + in * y + k,
                          middle.data() + out * y + k, c);
    }
  }
  for (std::size_t x = 0; x < out; ++x) {
    Pass{down, out}.Run(middle.data() + x, result.data() + x, out);
  }
  return result;
}

ResampleSpec SpecOf(std::uint32_t number) {
  const auto draw = [&](std::uint32_t which, std::uint32_t below) {
    return Philox4x32({number, which, 0, 0}, {99, 0})[0] % below;
  };
  const std::uint32_t most = number % 3 == 0 ? 20 : 300;
  ResampleSpec spec;
  spec.in = {draw(0, most) + 1, draw(1, most) + 1};
  spec.out = {draw(2, most) + 1, draw(3, most) + 1};
  spec.channels = draw(4, 2) == 0 ? 1 : 3;
  spec.filter = static_cast<Filter>(draw(5, 6));
  spec.order = static_cast<PassOrder>(draw(6, 2));
  spec.flip = draw(7, 2) == 1;
  return spec;
}

TEST_CASE("Resampler gives the pixels of its definition at every SIMD level",
          "[image]") {
  for (const SimdLevel level : kLevels) {
    const AtLevel at(level);
    if (!at.there) continue;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const ResampleSpec spec = SpecOf(i);
      const auto pixels =
          Noise(std::size_t{spec.in.width} * spec.in.height * spec.channels, i);
      INFO("level " << static_cast<int>(level) << ", case " << i);
      REQUIRE(Resample(spec, pixels, 1 + i % 9) == Model(spec, pixels));
    }
  }
}

// Any part of the output.
Region SomePart(PixelSize size, std::uint32_t number) {
  const auto draw = [&](std::uint32_t which, std::uint32_t below) {
    return Philox4x32({number, which, 1, 0}, {99, 0})[0] % below;
  };
  Region part;
  part.x = draw(0, size.width);
  part.y = draw(1, size.height);
  part.width = draw(2, size.width - part.x) + 1;
  part.height = draw(3, size.height - part.y) + 1;
  return part;
}

// Resamples by pushing no more than InputOf says.
std::vector<std::uint8_t> ResamplePart(const ResampleSpec& spec,
                                       const std::vector<std::uint8_t>& pixels,
                                       std::uint32_t batch) {
  const Region input = InputOf(spec);
  const std::size_t row = std::size_t{input.width} * spec.channels;
  std::vector<std::uint8_t> in;  // nothing behind it can be read
  for (std::uint32_t y = 0; y < input.height; ++y) {
    const auto from = pixels.begin() +
                      static_cast<std::ptrdiff_t>(
                          (std::size_t{input.y + y} * spec.in.width + input.x) *
                          spec.channels);
    in.insert(in.end(), from, from + static_cast<std::ptrdiff_t>(row));
  }
  const std::size_t stride = std::size_t{spec.part.width} * spec.channels;
  std::vector<std::uint8_t> out(stride * spec.part.height);
  Resampler resampler;
  resampler.Begin(spec, out.data(), stride);
  for (std::uint32_t y = 0; y < input.height; y += batch) {
    resampler.Push(in.data() + row * y, row, std::min(batch, input.height - y));
  }
  return out;
}

TEST_CASE("A part that Resampler makes is that part of the whole", "[image]") {
  for (const SimdLevel level : kLevels) {
    const AtLevel at(level);
    if (!at.there) continue;
    for (std::uint32_t i = 0; i < 200; ++i) {
      ResampleSpec spec = SpecOf(i);
      const auto pixels =
          Noise(std::size_t{spec.in.width} * spec.in.height * spec.channels, i);
      const auto whole = Resample(spec, pixels, 8);
      spec.part = SomePart(spec.out, i);
      const std::size_t row = std::size_t{spec.part.width} * spec.channels;
      const auto part = ResamplePart(spec, pixels, 1 + i % 9);
      INFO("level " << static_cast<int>(level) << ", case " << i);
      for (std::uint32_t y = 0; y < spec.part.height; ++y) {
        const std::size_t from =
            (std::size_t{spec.part.y + y} * spec.out.width + spec.part.x) *
            spec.channels;
        REQUIRE(std::equal(
            part.begin() + static_cast<std::ptrdiff_t>(row * y),
            part.begin() + static_cast<std::ptrdiff_t>(row * (y + 1)),
            whole.begin() + static_cast<std::ptrdiff_t>(from)));
      }
    }
  }
}

TEST_CASE("Resampler makes a part of what would be far too large", "[image]") {
  // 65,535 x 2^26 pixels; a flat image stays flat.
  ResampleSpec spec{{1, 1024}, {65'535, 1u << 26}};
  spec.part = {32'000, 33'000'000, 16, 8};
  CHECK(InputOf(spec).width == 1);
  CHECK(InputOf(spec).height <= 3);
  const std::vector<std::uint8_t> pixels(std::size_t{1024} * 3, 77);
  CHECK(ResamplePart(spec, pixels, 2) ==
        std::vector<std::uint8_t>(std::size_t{16} * 8 * 3, 77));
}

TEST_CASE("Resampler shrinks by large factors at every SIMD level", "[image]") {
  for (const SimdLevel level : kLevels) {
    const AtLevel at(level);
    if (!at.there) continue;
    for (const std::uint8_t channels : {std::uint8_t{1}, std::uint8_t{3}}) {
      const ResampleSpec spec{{3001, 37}, {17, 2}, channels};
      const auto pixels = Noise(std::size_t{3001} * 37 * channels, 5);
      REQUIRE(Resample(spec, pixels, 8) == Model(spec, pixels));
    }
  }
}

TEST_CASE("Resampler writes the pixels of a row and nothing behind them",
          "[image]") {
  const ResampleSpec spec{{61, 40}, {23, 11}};
  const auto pixels = Noise(61 * 40 * 3, 3);
  constexpr std::ptrdiff_t kStride = 100;
  std::vector<std::uint8_t> out(std::size_t{kStride} * 11, 0xEE);
  Resampler resampler;
  resampler.Begin(spec, out.data(), kStride);
  resampler.Push(pixels.data(), 61 * 3, 40);
  const auto whole = Resample(spec, pixels, 40);
  for (std::ptrdiff_t y = 0; y < 11; ++y) {
    const auto row = out.begin() + y * kStride;
    REQUIRE(std::equal(row, row + 69, whole.begin() + y * 69));
    REQUIRE(std::all_of(row + 69, row + kStride,
                        [](std::uint8_t byte) { return byte == 0xEE; }));
  }
}

TEST_CASE("Resampler takes one image after another", "[image]") {
  Resampler resampler;
  for (std::uint32_t i = 0; i < 30; ++i) {
    const ResampleSpec spec = SpecOf(i / 2);  // each twice
    const auto pixels =
        Noise(std::size_t{spec.in.width} * spec.in.height * spec.channels, i);
    std::vector<std::uint8_t> out(std::size_t{spec.out.width} *
                                  spec.out.height * spec.channels);
    resampler.Begin(spec, out.data(),
                    std::size_t{spec.out.width} * spec.channels);
    resampler.Push(pixels.data(), std::size_t{spec.in.width} * spec.channels,
                   spec.in.height);
    REQUIRE(out == Resample(spec, pixels, 7));
  }
}

TEST_CASE("VerticalFirst is Pillow 13's rule", "[image]") {
  CHECK(VerticalFirst({{100, 100}, {90, 70}}));        // 30 > 2 * 10
  CHECK_FALSE(VerticalFirst({{100, 100}, {90, 80}}));  // 20 = 2 * 10
  CHECK_FALSE(VerticalFirst({{100, 100}, {50, 120}}));
  CHECK(VerticalFirst({{100, 100}, {200, 99}}));
  CHECK_FALSE(VerticalFirst({{100, 100}, {200, 100}}));
  ResampleSpec old{{100, 100}, {90, 70}};
  old.order = PassOrder::kPillow12;
  CHECK_FALSE(VerticalFirst(old));
}

}  // namespace
}  // namespace shardine::resampler_test
