#include "jpeg/row_maker.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "jpeg/inverse_dct.h"
#include "support/jpeg_coefficients.h"
#include "support/jpeg_maker.h"
#include "support/simd_levels.h"

namespace shardine::row_maker_test {
namespace {

constexpr std::uint8_t kUntouched = 0xA5;

struct Box {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// All samples of a component, and of any part of them a copy between bytes that
// mean nothing.
class Plane {
 public:
  explicit Plane(const CoefficientPlane& plane)
      : stride_(plane.blocks_across * kBlockSide),
        samples_(std::size_t{stride_} * plane.blocks_down * kBlockSide) {
    std::array<std::uint16_t, kBlockSize> zigzag;
    for (std::size_t k = 0; k < kBlockSize; ++k) {
      zigzag[k] = plane.steps[kNaturalOrder[k]];
    }
    const DctSteps steps = StepsAt(SimdLevel::kPortable, zigzag);
    std::vector<DctBlock> blocks;
    for (std::size_t i = 0; i < plane.blocks.size(); ++i) {
      const std::size_t x = i % plane.blocks_across * kBlockSide;
      const std::size_t y = i / plane.blocks_across * kBlockSide;
      blocks.push_back({plane.blocks[i].data(), &steps,
                        samples_.data() + y * stride_ + x, stride_,
                        plane.blocks[i][0]});
    }
    InverseDct(SimdLevel::kPortable, blocks);
  }

  SampleBand Copy(const Box& box, std::uint8_t between) {
    const std::size_t stride = box.width + 5;
    copy_.assign(stride * (box.height - 1) + box.width + 2 * kBandPadding,
                 between);
    for (std::size_t y = 0; y < box.height; ++y) {
      std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>(
                                         (box.y + y) * stride_ + box.x),
                  box.width,
                  copy_.begin() +
                      static_cast<std::ptrdiff_t>(kBandPadding + y * stride));
    }
    return {copy_.data() + kBandPadding, stride, box.x, box.y};
  }

 private:
  std::uint32_t stride_ = 0;
  std::vector<std::uint8_t> samples_;
  std::vector<std::uint8_t> copy_;
};

// The samples of a component that a region is made of.
Box NeededOf(const JpegFrame& frame, std::uint32_t component, const Box& box) {
  const FrameComponent& part = frame.component[component];
  const std::uint32_t across = frame.max_h / part.h;
  const std::uint32_t down = frame.max_v / part.v;
  const auto needed = [](std::uint32_t first, std::uint32_t count,
                         std::uint32_t scale, std::uint32_t size) {
    std::uint32_t begin = first / scale;
    std::uint32_t end = (first + count - 1) / scale + 1;
    if (scale > 1) {
      begin -= begin > 0 ? 1 : 0;
      end = std::min(end + 1, size);
    }
    return std::pair(begin, end - begin);
  };
  const auto [x, width] = needed(box.x, box.width, across, part.width);
  const auto [y, height] = needed(box.y, box.height, down, part.height);
  return {x, y, width, height};
}

class Image {
 public:
  explicit Image(const std::string& jpeg) : decoded_(DecodeByLibjpeg(jpeg)) {
    const auto bytes = std::as_bytes(std::span(jpeg));
    REQUIRE(ReadJpegFrame(ByteView(bytes.data(), bytes.size()), frame_));
    for (const CoefficientPlane& plane : ReadCoefficients(jpeg)) {
      planes_.emplace_back(plane);
    }
  }

  const JpegFrame& frame() const { return frame_; }

  // Whether the region's rows are libjpeg's, and nothing beside them changes.
  bool Equal(SimdLevel level, const Box& box, std::uint8_t between) {
    maker_.Begin(level, frame_, box.x, box.width);
    REQUIRE(maker_.channels() == decoded_.channels);
    std::array<SampleBand, kMaxComponents> bands;
    for (std::uint32_t c = 0; c < planes_.size(); ++c) {
      bands[c] = planes_[c].Copy(NeededOf(frame_, c, box), between);
    }
    const std::size_t bytes = std::size_t{box.width} * decoded_.channels;
    const std::size_t stride = bytes + 3;
    std::vector<std::uint8_t> rows(stride * box.height, kUntouched);
    const std::uint32_t half = box.height / 2;
    maker_.MakeRows(bands, box.y, half, rows.data(), stride);
    maker_.MakeRows(bands, box.y + half, box.height - half,
                    rows.data() + half * stride, stride);
    return rows == Expected(box, stride);
  }

 private:
  std::vector<std::uint8_t> Expected(const Box& box, std::size_t stride) const {
    std::vector<std::uint8_t> rows(stride * box.height, kUntouched);
    for (std::size_t y = 0; y < box.height; ++y) {
      const std::size_t from =
          ((box.y + y) * decoded_.width + box.x) * decoded_.channels;
      std::copy_n(decoded_.pixels.begin() + static_cast<std::ptrdiff_t>(from),
                  std::size_t{box.width} * decoded_.channels,
                  rows.begin() + static_cast<std::ptrdiff_t>(y * stride));
    }
    return rows;
  }

  DecodedJpeg decoded_;
  JpegFrame frame_;
  std::vector<Plane> planes_;
  RowMaker maker_;
};

struct Sampling {
  JpegColor color;
  int across;
  int down;
};
constexpr std::array<Sampling, 5> kSamplings = {{{JpegColor::kYcc, 1, 1},
                                                 {JpegColor::kYcc, 2, 1},
                                                 {JpegColor::kYcc, 2, 2},
                                                 {JpegColor::kYcc, 1, 2},
                                                 {JpegColor::kGray, 1, 1}}};

// All colours: the noise is the picture.
std::string Picture(const Sampling& sampling, std::uint32_t width,
                    std::uint32_t height) {
  JpegSpec spec;
  spec.color = sampling.color;
  spec.across = sampling.across;
  spec.down = sampling.down;
  spec.width = width;
  spec.height = height;
  spec.quality = 97;
  spec.noise = 255;
  spec.seed = width * 100 + height;
  return MakeJpeg(spec);
}

std::uint32_t Below(std::mt19937& random, std::uint32_t end) {
  return static_cast<std::uint32_t>(random() % end);
}

Box RandomBox(std::mt19937& random, const JpegFrame& frame) {
  Box box;
  box.x = Below(random, frame.width);
  box.y = Below(random, frame.height);
  box.width = 1 + Below(random, frame.width - box.x);
  box.height = 1 + Below(random, frame.height - box.y);
  return box;
}

std::string Text(SimdLevel level, const JpegFrame& frame, const Box& box) {
  const auto text = [](std::uint32_t a, std::uint32_t b) {
    return std::to_string(a) + "x" + std::to_string(b) + " ";
  };
  return std::string(ToString(level)) + ": " +
         text(frame.component[0].h, frame.component[0].v) +
         text(frame.width, frame.height) + "at " + text(box.x, box.y) +
         text(box.width, box.height);
}

void CheckRegions(const std::string& jpeg, std::uint32_t seed, int regions) {
  Image image(jpeg);
  const Box whole = {0, 0, image.frame().width, image.frame().height};
  for (const SimdLevel level : SimdLevels()) {
    std::mt19937 random(seed);
    for (int i = 0; i < regions; ++i) {
      const Box box = i == 0 ? whole : RandomBox(random, image.frame());
      INFO(Text(level, image.frame(), box));
      REQUIRE(image.Equal(level, box, static_cast<std::uint8_t>(i * 85)));
    }
  }
}

TEST_CASE("rows of small images of any size are libjpeg's", "[row_maker]") {
  for (const Sampling& sampling : kSamplings) {
    for (std::uint32_t width = 1; width <= 9; ++width) {
      for (std::uint32_t height = 1; height <= 6; ++height) {
        CheckRegions(Picture(sampling, width, height), width, 6);
      }
    }
  }
}

TEST_CASE("rows of regions anywhere are libjpeg's", "[row_maker]") {
  std::mt19937 random(7);
  for (const Sampling& sampling : kSamplings) {
    for (std::uint32_t i = 0; i < 25; ++i) {
      const std::uint32_t width = 1 + Below(random, 300);
      const std::uint32_t height = 1 + Below(random, 70);
      CheckRegions(Picture(sampling, width, height), i, 12);
    }
  }
}

TEST_CASE("rows that end at each place of a vector are libjpeg's",
          "[row_maker]") {
  for (const Sampling& sampling : kSamplings) {
    Image image(Picture(sampling, 140, 3));
    for (const SimdLevel level : SimdLevels()) {
      for (std::uint32_t x = 0; x < 4; ++x) {
        for (std::uint32_t width = 1; x + width <= 140; ++width) {
          const Box box = {x, 0, width, 3};
          INFO(Text(level, image.frame(), box));
          REQUIRE(image.Equal(level, box, 0xFF));
        }
      }
    }
  }
}

// A JPEG of blocks of one value each.
std::string Flat(const Sampling& sampling, std::uint32_t seed) {
  const std::string picture = Picture(sampling, 256, 256);
  CoefficientPlanes planes = ReadCoefficients(picture);
  std::mt19937 random(seed);
  for (CoefficientPlane& plane : planes) {
    plane.steps.fill(8);
    for (auto& block : plane.blocks) {
      block.fill(0);
      block[0] =
          static_cast<std::int16_t>(static_cast<int>(Below(random, 256)) - 128);
    }
  }
  return ReplaceCoefficients(picture, planes);
}

TEST_CASE("chroma of any value becomes libjpeg's colour", "[row_maker]") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    CheckRegions(Flat(kSamplings[seed % kSamplings.size()], seed), seed, 2);
  }
}

}  // namespace
}  // namespace shardine::row_maker_test
