#include "pixels/normalizer.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/simd_level.h"
#include "pixels/half_float.h"

namespace shardine::normalizer_test {
namespace {

constexpr SimdLevel kLevels[] = {SimdLevel::kPortable, SimdLevel::kSse4,
                                 SimdLevel::kAvx2, SimdLevel::kAvx512,
                                 SimdLevel::kAvx512Vnni};
constexpr std::byte kGuard{0xA5};
constexpr std::size_t kGuards = 64;

// Pixels of an image, whose rows may be farther apart than they are long.
struct TestImage {
  TestImage(PixelSize size, std::size_t gap) {
    view.size = size;
    view.channels = 3;
    view.stride = size.width * 3 + gap;
    bytes.resize(view.stride * size.height);
    // Each value is followed by each other one, sooner or later.
    std::uint32_t state = size.width * 31 + size.height;
    for (std::uint8_t& byte : bytes) {
      state = state * 1664525 + 1013904223;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
    view.data = bytes.data();
  }

  std::vector<std::uint8_t> bytes;
  PixelView view;
};

template <typename T>
void AppendBytes(T value, std::vector<std::byte>& out) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// The settings of a Normalizer.
struct Settings : PixelFormat, Normalize {};

void AppendValue(std::uint8_t byte, std::size_t channel, const Settings& format,
                 std::vector<std::byte>& out) {
  if (format.type == PixelType::kUint8) return AppendBytes(byte, out);
  const float less = static_cast<float>(byte) - format.mean[channel];
  const float value = less / format.std[channel];
  if (format.type == PixelType::kFloat32) return AppendBytes(value, out);
  AppendBytes(HalfBits(value), out);
}

// One value after the other, as the header says.
std::vector<std::byte> Reference(const PixelView& image,
                                 const Settings& format) {
  std::vector<std::byte> out;
  const bool planar = format.layout == PixelLayout::kNchw;
  for (std::size_t plane = 0; plane < (planar ? 3 : 1); ++plane) {
    for (std::uint32_t y = 0; y < image.size.height; ++y) {
      for (std::uint32_t x = 0; x < image.size.width; ++x) {
        const std::uint8_t* pixel = image.row(y) + x * 3;
        for (std::size_t c = 0; c < 3; ++c) {
          if (!planar || c == plane) AppendValue(pixel[c], c, format, out);
        }
      }
    }
  }
  return out;
}

// Normalizes between guards on both sides, which must stay.
std::vector<std::byte> Normalized(const PixelView& image,
                                  const Settings& format) {
  const std::size_t bytes = std::size_t{image.size.width} * image.size.height *
                            3 * BytesPerValue(format.type);
  std::vector<std::byte> out(bytes + 2 * kGuards, kGuard);
  Normalizer normalize(format, format);
  normalize(image, out.data() + kGuards);
  const auto is_guard = [](std::byte byte) { return byte == kGuard; };
  REQUIRE(std::all_of(out.begin(), out.begin() + kGuards, is_guard));
  REQUIRE(std::all_of(out.end() - kGuards, out.end(), is_guard));
  return {out.begin() + kGuards, out.end() - kGuards};
}

void CheckFormat(const Settings& format) {
  for (const PixelSize size :
       {PixelSize{1, 1}, PixelSize{3, 5}, PixelSize{16, 1}, PixelSize{33, 7},
        PixelSize{64, 2}, PixelSize{127, 3}, PixelSize{224, 40}}) {
    for (const std::size_t gap : {std::size_t{0}, std::size_t{5}}) {
      const TestImage image(size, gap);
      const std::vector<std::byte> expected = Reference(image.view, format);
      for (const SimdLevel level : kLevels) {
        if (!LimitSimd(level)) continue;
        INFO(ToString(level) << ", " << size.width << "x" << size.height);
        REQUIRE(Normalized(image.view, format) == expected);
      }
      UnlimitSimd();
    }
  }
}

Settings Format(PixelLayout layout, PixelType type) {
  Settings format;
  format.layout = layout;
  format.type = type;
  format.mean = {123.675F, 116.28F, 103.53F};
  format.std = {58.395F, 57.12F, 57.375F};
  return format;
}

TEST_CASE(
    "Normalizer gives what one value after the other gives, at every "
    "level",
    "[normalizer]") {
  for (const PixelLayout layout : {PixelLayout::kNhwc, PixelLayout::kNchw}) {
    for (const PixelType type :
         {PixelType::kUint8, PixelType::kFloat32, PixelType::kFloat16}) {
      CheckFormat(Format(layout, type));
    }
  }
}

TEST_CASE("Normalizer is exact for any mean and std", "[normalizer]") {
  const float largest = std::numeric_limits<float>::max();
  const float least = std::numeric_limits<float>::min();
  // Among them divisors whose quotients cannot be made by multiplication.
  const std::array<float, 3> stds[] = {
      {1, 255, 3},
      {std::nextafter(2.0F, 0.0F), std::nextafter(1.0F, 0.0F), 1e-3F},
      {least, largest, 1e30F},
      {2e-38F, 0.1F, 1e-8F}};
  const std::array<float, 3> means[] = {
      {0, 0, 0}, {127.5F, -3, 1e-30F}, {1e30F, -largest, least}};
  for (const std::array<float, 3>& std : stds) {
    for (const std::array<float, 3>& mean : means) {
      for (const PixelLayout layout :
           {PixelLayout::kNhwc, PixelLayout::kNchw}) {
        for (const PixelType type :
             {PixelType::kFloat32, PixelType::kFloat16}) {
          Settings format = Format(layout, type);
          format.mean = mean;
          format.std = std;
          CheckFormat(format);
        }
      }
    }
  }
}

TEST_CASE("Normalizer keeps its values for ever", "[normalizer]") {
  const std::array<std::uint8_t, 6> rgb = {0, 128, 255, 1, 2, 3};
  const PixelView image{rgb.data(), {2, 1}, 3, 6};
  const std::vector<std::byte> floats =
      Normalized(image, Format(PixelLayout::kNchw, PixelType::kFloat32));
  std::array<float, 6> values;
  REQUIRE(floats.size() == sizeof(values));
  std::memcpy(values.data(), floats.data(), sizeof(values));
  CHECK(values == std::array<float, 6>{-2.117904F, -2.1007793F, 0.2051821F,
                                       -2.0007002F, 2.64F, -1.7521569F});
}

TEST_CASE("KeepsPixels of nothing but pixels of bytes", "[normalizer]") {
  CHECK(KeepsPixels(Format(PixelLayout::kNhwc, PixelType::kUint8)));
  CHECK_FALSE(KeepsPixels(Format(PixelLayout::kNchw, PixelType::kUint8)));
  CHECK_FALSE(KeepsPixels(Format(PixelLayout::kNhwc, PixelType::kFloat32)));
  CHECK_FALSE(KeepsPixels(Format(PixelLayout::kNhwc, PixelType::kFloat16)));
  CHECK(BytesPerValue(PixelType::kUint8) == 1);
  CHECK(BytesPerValue(PixelType::kFloat32) == 4);
  CHECK(BytesPerValue(PixelType::kFloat16) == 2);
}

TEST_CASE("CheckNormalize names what cannot be divided by or taken away",
          "[normalizer]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float std : {0.0F, -1.0F, 1e-40F, nan, infinity}) {
    Settings format = Format(PixelLayout::kNhwc, PixelType::kFloat32);
    format.std[1] = std;
    const Status status = CheckNormalize(format, format);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("std") != std::string::npos);
    format.type = PixelType::kUint8;
    CHECK(CheckNormalize(format, format).ok());
  }
  for (const float mean : {nan, infinity, -infinity}) {
    Settings format = Format(PixelLayout::kNhwc, PixelType::kFloat16);
    format.mean[2] = mean;
    const Status status = CheckNormalize(format, format);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("mean") != std::string::npos);
  }
}

TEST_CASE("CheckMeanAndStd says which numbers fit pixels from 0 to 255",
          "[normalizer]") {
  Settings format;
  CHECK(CheckMeanAndStd(format, format).ok());
  format.type = PixelType::kFloat32;
  CHECK(CheckMeanAndStd(format, format).ok());  // the pixels as they are
  format.mean = {0.485F, 0.456F, 0.406F};
  format.std = {0.229F, 0.224F, 0.225F};
  CHECK(CheckMeanAndStd(format, format).message() ==
        "mean, std: they are for values from 0 to 1, but pixels are 0 to 255; "
        "times 255: mean (123.675, 116.28, 103.53) std (58.395, 57.12, "
        "57.375)");
  format.mean = {123.675F, 116.28F, 103.53F};
  CHECK(CheckMeanAndStd(format, format)
            .message()
            .ends_with("times 255: std (58.395, 57.12, 57.375)"));
  format.std = {58.395F, 57.12F, 57.375F};
  CHECK(CheckMeanAndStd(format, format).ok());
  format.type = PixelType::kUint8;
  CHECK(CheckMeanAndStd(format, format).code() == Code::kInvalidArgument);
  format.type = PixelType::kFloat16;
  format.mean = {0, 0, 0};
  format.std = {255, 255, 255};  // to 0 to 1
  CHECK(CheckMeanAndStd(format, format).ok());
}

}  // namespace
}  // namespace shardine::normalizer_test
