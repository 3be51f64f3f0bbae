#include "pixels/opencv_resize.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace shardine::opencv_resize_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr OpenCvFilter kFilters[] = {
    OpenCvFilter::kNearest, OpenCvFilter::kLinear, OpenCvFilter::kCubic,
    OpenCvFilter::kArea, OpenCvFilter::kLanczos4};

struct Image {
  PixelSize size;
  std::uint8_t channels = 1;
  Bytes bytes;
  std::size_t padding = 0;  // of a row

  PixelView view() const {
    return {.data = bytes.data(),
            .size = size,
            .channels = channels,
            .stride = std::size_t{size.width} * channels + padding};
  }
};

Image Noise(PixelSize size, std::uint8_t channels, std::size_t padding = 0) {
  Image image{size, channels, {}, padding};
  image.bytes.resize(image.view().stride * size.height);
  std::minstd_rand draw(size.width * 131 + size.height);
  for (std::uint8_t& byte : image.bytes) {
    byte = static_cast<std::uint8_t>(draw() >> 7);
  }
  return image;
}

Bytes Resized(const Image& image, PixelSize size, OpenCvFilter filter) {
  PixelBuffer out;
  out.Reset(size, image.channels);
  OpenCvResize(image.view(), filter, out);
  const std::uint8_t* data = out.data();
  return {data, data + out.bytes().size()};
}

// 9 x 7 gray.
Image Pattern() {
  Image image{{9, 7}, 1, {}, 0};
  for (int y = 0; y < 7; ++y) {
    for (int x = 0; x < 9; ++x) {
      image.bytes.push_back(
          static_cast<std::uint8_t>(x * x * 37 + y * 91 + x * y * 13));
    }
  }
  return image;
}

TEST_CASE("OpenCvResize gives what cv2 4.9 gave of a small image, down",
          "[opencv]") {
  const std::array<Bytes, 5> expected = {
      Bytes{0, 148, 80, 52, 182, 126, 110, 134, 108, 104, 140, 216},
      Bytes{89, 150, 99, 98, 65, 215, 105, 86, 104, 173, 131, 116},
      Bytes{87, 164, 74, 96, 49, 213, 96, 85, 81, 201, 155, 114},
      Bytes{88, 120, 132, 91, 133, 158, 130, 131, 117, 135, 104, 122},
      Bytes{84, 169, 66, 85, 45, 212, 96, 86, 70, 219, 161, 113}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(Resized(Pattern(), {4, 3}, kFilters[i]) == expected[i]);
  }
}

// Area is a kind of linear here, and cubic has two values after its eight.
TEST_CASE("OpenCvResize gives what cv2 4.9 gave, wider and lower", "[opencv]") {
  const std::array<Bytes, 5> expected = {
      Bytes{0,   0,   37,  148, 77, 80,  157, 52,  21,  64,
            182, 182, 245, 126, 81, 110, 213, 134, 129, 198,
            108, 108, 197, 104, 85, 140, 13,  216, 237, 76},
      Bytes{61,  99, 68,  126, 170, 137, 116, 159, 124, 23,
            17,  82, 206, 222, 234, 190, 90,  49,  67,  137,
            144, 89, 151, 173, 119, 102, 123, 109, 129, 80},
      Bytes{51,  96, 39,  129, 210, 130, 95,  189, 132, 0,
            14,  71, 215, 226, 246, 201, 75,  39,  66,  140,
            160, 63, 158, 212, 108, 94,  142, 96,  127, 68},
      Bytes{52,  91,  75,  124, 157, 134, 116, 143, 114, 29,
            64,  128, 193, 186, 195, 181, 118, 73,  85,  154,
            186, 80,  174, 199, 111, 89,  145, 149, 157, 24},
      Bytes{40,  89, 43,  128, 238, 124, 82,  196, 125, 0,
            16,  70, 223, 221, 239, 207, 74,  42,  66,  139,
            158, 53, 155, 241, 100, 103, 148, 79,  122, 67}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(Resized(Pattern(), {10, 3}, kFilters[i]) == expected[i]);
  }
}

// In floats one of these would be 118: a tie that does not exist in whole
// numbers.
TEST_CASE("OpenCvResize makes cubic's last values of a row in whole numbers",
          "[opencv]") {
  const Image image{
      {3, 4}, 1, {72, 153, 74, 209, 58, 76, 105, 84, 10, 213, 226, 115}, 0};
  CHECK(Resized(image, {3, 8}, OpenCvFilter::kCubic) ==
        Bytes{58,  163, 74, 107, 131, 77, 189, 77,  83, 196, 49,  58,
              122, 60,  14, 119, 119, 27, 185, 195, 89, 224, 241, 126});
}

TEST_CASE("OpenCvResize rounds ties of 2 x 2 blocks up, of others to even",
          "[opencv]") {
  const Image quads{{4, 2}, 1, {0, 1, 0, 0, 0, 1, 0, 2}, 0};
  CHECK(Resized(quads, {2, 1}, OpenCvFilter::kArea) == Bytes{1, 1});
  CHECK(Resized(quads, {2, 1}, OpenCvFilter::kLinear) == Bytes{1, 1});
  const Image pairs{{6, 1}, 1, {0, 1, 2, 3, 5, 6}, 0};
  CHECK(Resized(pairs, {3, 1}, OpenCvFilter::kArea) == Bytes{0, 2, 6});
}

TEST_CASE("OpenCvResize by area over whole factors is the mean of each block",
          "[opencv]") {
  for (const auto& [across, down] :
       {std::pair{3u, 1u}, {1u, 4u}, {3u, 5u}, {7u, 2u}}) {
    const Image image = Noise({11 * across, 6 * down}, 3);
    const Bytes out = Resized(image, {11, 6}, OpenCvFilter::kArea);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t x = i / 3 % 11;
      const std::size_t y = i / 33;
      double sum = 0;
      for (std::size_t k = 0; k < across * down; ++k) {
        sum += image.view().row(static_cast<std::uint32_t>(
            y * down + k / across))[(x * across + k % across) * 3 + i % 3];
      }
      CHECK(std::abs(sum / (across * down) - out[i]) <= 0.5001);
    }
  }
}

// Scales by whole and by broken factors, and where nothing is left to share.
TEST_CASE("OpenCvResize keeps a flat image flat", "[opencv]") {
  for (const PixelSize to : {PixelSize{1, 1}, {7, 5}, {20, 10}, {39, 61}}) {
    for (const OpenCvFilter filter : kFilters) {
      const Image flat{{20, 15}, 1, Bytes(300, 200), 0};
      for (const std::uint8_t value : Resized(flat, to, filter)) {
        CHECK(int{value} == 200);
      }
    }
  }
}

// The vertical pass of cubic goes by the place of a value in its row.
TEST_CASE("OpenCvResize treats channels alike but for cubic's rounding",
          "[opencv]") {
  for (const std::uint8_t channels : {std::uint8_t{3}, std::uint8_t{4}}) {
    const Image image = Noise({23, 17}, channels);
    for (const PixelSize to : {PixelSize{9, 31}, {46, 34}, {11, 8}, {23, 5}}) {
      for (const OpenCvFilter filter : kFilters) {
        const Bytes all = Resized(image, to, filter);
        for (std::uint8_t c = 0; c < channels; ++c) {
          Image one{image.size, 1, {}, 0};
          for (std::size_t i = c; i < image.bytes.size(); i += channels) {
            one.bytes.push_back(image.bytes[i]);
          }
          const Bytes alone = Resized(one, to, filter);
          int worst = 0;
          for (std::size_t i = 0; i < alone.size(); ++i) {
            worst = std::max(worst, std::abs(all[i * channels + c] - alone[i]));
          }
          CHECK(worst <= (filter == OpenCvFilter::kCubic ? 1 : 0));
        }
      }
    }
  }
}

TEST_CASE("OpenCvResize copies an image that keeps its size, without padding",
          "[opencv]") {
  const Image image = Noise({13, 9}, 3, 5);
  for (const OpenCvFilter filter : kFilters) {
    const Bytes out = Resized(image, {13, 9}, filter);
    for (std::uint32_t y = 0; y < 9; ++y) {
      const std::uint8_t* row = image.view().row(y);
      CHECK(std::equal(row, row + 39, out.begin() + std::ptrdiff_t{39} * y));
    }
    // Padding is never read as pixels.
    Image other = image;
    for (std::uint32_t y = 0; y < 9; ++y) other.bytes[y * 44 + 41] ^= 0xFF;
    CHECK(Resized(other, {5, 20}, filter) == Resized(image, {5, 20}, filter));
  }
}

TEST_CASE("OpenCvShares give each output pixel a weight of one", "[opencv]") {
  for (const auto& [in, out] :
       {std::pair{10u, 3u}, {500u, 341u}, {7u, 7u}, {1000u, 1u}, {99u, 98u}}) {
    std::vector<double> sums(out);
    std::uint32_t last = 0;
    for (const OpenCvShare& share : OpenCvShares(in, out)) {
      REQUIRE(share.from < in);
      CHECK(share.to >= last);
      last = share.to;
      sums[share.to] += share.weight;
    }
    for (const double sum : sums) CHECK(std::abs(sum - 1) < 2e-3);
  }
}

TEST_CASE("Cubic of OpenCV 3.4 is a level off that of 4 in few pixels",
          "[opencv_resize]") {
  const Image image = Noise({90, 64}, 3);
  PixelBuffer older;
  PixelBuffer newer;
  std::size_t off = 0;
  std::size_t total = 0;
  int most = 0;
  for (std::uint32_t side = 8; side < 200; ++side) {
    older.Reset({side, side}, 3);
    newer.Reset({side, side}, 3);
    OpenCvResize(image.view(), OpenCvFilter::kCubic, older, OpenCvRelease::k3);
    OpenCvResize(image.view(), OpenCvFilter::kCubic, newer, OpenCvRelease::k4);
    for (std::size_t i = 0; i < older.bytes().size(); ++i, ++total) {
      const int away = older.data()[i] - newer.data()[i];
      most = std::max(most, std::abs(away));
      off += away != 0 ? 1 : 0;
    }
  }
  CHECK(most == 1);
  CHECK(off < total / 100'000);
}

}  // namespace
}  // namespace shardine::opencv_resize_test
