// Transforms of each kind that there is, done to every image that comes.
#ifndef SHARDINE_TESTS_SUPPORT_EVERY_TRANSFORM_H_
#define SHARDINE_TESTS_SUPPORT_EVERY_TRANSFORM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "shardine/transform.h"

namespace shardine {

// Each geometry, with the ways that it can go. Some have images that they
// refuse: those that are smaller than a box.
inline std::vector<Geometry> EveryGeometry() {
  using Interpolated = OpenCvInterpolation;
  return {
      RandomResizedCrop{.width = 24, .height = 17, .min_scale = 0.01},
      RandomResizedCrop{
          .width = 9, .height = 31, .min_ratio = 0.01, .max_ratio = 100},
      CenterCrop{.width = 24, .height = 16, .resize = 28},
      CenterCrop{.width = 40, .height = 16, .resize = 0},
      Resize{.width = 13, .height = 21},
      FixedCrop{.x = 3,
                .y = 2,
                .box_width = 11,
                .box_height = 9,
                .width = 15,
                .height = 8},
      RandomCrop{.width = 12, .height = 10},
      RandomCrop{.width = 32,
                 .height = 32,
                 .padding = {4, 3, 2, 1},
                 .pad_if_needed = true,
                 .fill = {1, 2, 3}},
      ImageRecordCrop{
          .width = 16, .height = 12, .angles = {}, .random_place = true},
      ImageRecordCrop{.width = 16, .height = 12, .resize = 20, .angles = {}},
      ImageRecordCrop{.width = 16,
                      .height = 12,
                      .shear = {-0.2, 0.2},
                      .angle = {-20, 20},
                      .angles = {},
                      .scale = {0.5, 1.5},
                      .aspect = {0.8, 1.25},
                      .side = {16, 60},
                      .interpolation = Interpolated::kCubic},
      ImageRecordCrop{.width = 16,
                      .height = 12,
                      .angles = {0, 90, 180},
                      .interpolation = Interpolated::kLanczos4},
      ImageRecordCrop{.width = 16,
                      .height = 12,
                      .angles = {},
                      .pad = 5,
                      .fill = 7,
                      .crop_size = {6, 9},
                      .interpolation = Interpolated::kRandom},
      ImageRecordCrop{.width = 16,
                      .height = 12,
                      .angles = {},
                      .aspect = {0.75, 1.3},
                      .resized_crop = true,
                      .area = {0.01, 1},
                      .interpolation = Interpolated::kArea},
      ImageRecordCrop{.width = 16,
                      .height = 12,
                      .angles = {},
                      .interpolation = Interpolated::kAuto},
      ImageRecordCrop{.width = 16,
                      .height = 12,
                      .angles = {},
                      .interpolation = Interpolated::kNearest},
  };
}

// Each operation on bytes, sure to be done.
inline std::vector<PixelOperation> EveryOperation() {
  constexpr auto kBilinear = Interpolation::kBilinear;
  constexpr std::array<std::uint8_t, 3> kFill = {9, 90, 200};
  const auto invert = [](const ChangedImage& image) -> Status {
    for (std::uint8_t& value : image.pixels) {
      value = static_cast<std::uint8_t>(value ^ image.seed);
    }
    return {};
  };
  return {
      TransformFunction{invert},
      RandomHorizontalFlip{1},
      RandomVerticalFlip{1},
      ColorJitter{{0, 3}, {0, 3}, {0, 3}, {-0.5, 0.5}},
      RandomGrayscale{1},
      RandomInvert{1},
      RandomPosterize{3, 1},
      RandomSolarize{100, 1},
      RandomAutocontrast{1},
      RandomEqualize{1},
      RandomAdjustSharpness{5, 1},
      GaussianBlur{23, 5, {0.1, 9}},
      RandomErasing{.probability = 1, .value = {5, 6, 7}},
      Cutout{.side = 9},
      Lighting{.deviation = 1},
      Affine{.angle = 33, .translate = {2, -3}, .shear = {10, 5}},
      RandomAffine{.degrees = {-180, 180},
                   .translate = {0.3, 0.3},
                   .scale = {0.2, 3},
                   .shear_x = {-40, 40},
                   .interpolation = kBilinear,
                   .fill = kFill},
      RandomRotation{.degrees = {-90, 90}, .interpolation = kBilinear},
      TrivialAugmentWide{.interpolation = kBilinear},
      RandAugment{.num_ops = 4, .magnitude = 20, .fill = kFill},
      AutoAugment{},
      AutoAugment{.policy = AutoAugmentTable::kCifar10},
      AutoAugment{.policy = AutoAugmentTable::kSvhn},
      ImageRecordJitter{{-1, 3}, {-1, 3}, {-1, 3}},
      RandomHls{{-90, 90}, {-90, 90}, {-90, 90}},
      PcaNoise{.deviation = 1},
  };
}

// Operations that end a transform to floats, of images of that size.
inline std::vector<PixelOperation> EveryNormalization(std::uint32_t width,
                                                      std::uint32_t height) {
  std::vector<float> mean(std::size_t{3} * width * height);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean[i] = static_cast<float>(i % 251);
  }
  return {
      Normalize{{123.675F, 116.28F, 103.53F}, {58.395F, 57.12F, 57.375F}},
      ImageRecordNormalize{.mean = {120, 110, 100},
                           .std = {50, -60, 0.5F},
                           .scale = 0.5F,
                           .max_contrast = 0.3F,
                           .max_illumination = 20},
      ImageRecordNormalize{
          .mean_image =
              std::make_shared<const std::vector<float>>(std::move(mean))},
  };
}

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_EVERY_TRANSFORM_H_
