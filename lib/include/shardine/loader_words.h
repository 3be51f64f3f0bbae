// The words for the choices of a loader's options.
#ifndef SHARDINE_LOADER_WORDS_H_
#define SHARDINE_LOADER_WORDS_H_

#include "shardine/loader.h"
#include "shardine/transform.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<SampleOrder> {
  static constexpr EnumWord<SampleOrder> kWords[] = {
      {SampleOrder::kShuffle, "shuffle"},
      {SampleOrder::kBlocks, "blocks"},
      {SampleOrder::kSequential, "sequential"},
      {SampleOrder::kRatio, "ratio"}};
};

template <>
struct EnumWords<LastBatch> {
  static constexpr EnumWord<LastBatch> kWords[] = {{LastBatch::kDrop, "drop"},
                                                   {LastBatch::kShort, "short"},
                                                   {LastBatch::kPad, "pad"},
                                                   {LastBatch::kRoll, "roll"}};
};

template <>
struct EnumWords<OnBadSample> {
  static constexpr EnumWord<OnBadSample> kWords[] = {
      {OnBadSample::kFail, "fail"},
      {OnBadSample::kDrop, "drop"},
      {OnBadSample::kGray, "gray"}};
};

template <>
struct EnumWords<OnUnsupported> {
  static constexpr EnumWord<OnUnsupported> kWords[] = {
      {OnUnsupported::kFail, "fail"}, {OnUnsupported::kDrop, "drop"}};
};

template <>
struct EnumWords<EntryPointTrust> {
  static constexpr EnumWord<EntryPointTrust> kWords[] = {
      {EntryPointTrust::kTrusted, "trusted"},
      {EntryPointTrust::kProved, "proved"},
      {EntryPointTrust::kUnused, "unused"}};
};

template <>
struct EnumWords<FollowKind> {
  static constexpr EnumWord<FollowKind> kWords[] = {
      {FollowKind::kNearest, "nearest"},
      {FollowKind::kNearestExact, "nearest-exact"},
      {FollowKind::kBoxes, "boxes"},
      {FollowKind::kPoints, "points"},
      {FollowKind::kRows, "with"},
      {FollowKind::kStay, "stay"}};
};

template <>
struct EnumWords<Interpolation> {
  static constexpr EnumWord<Interpolation> kWords[] = {
      {Interpolation::kNearest, "nearest"},
      {Interpolation::kBilinear, "bilinear"}};
};

template <>
struct EnumWords<OpenCvInterpolation> {
  static constexpr EnumWord<OpenCvInterpolation> kWords[] = {
      {OpenCvInterpolation::kNearest, "nearest"},
      {OpenCvInterpolation::kLinear, "linear"},
      {OpenCvInterpolation::kCubic, "cubic"},
      {OpenCvInterpolation::kArea, "area"},
      {OpenCvInterpolation::kLanczos4, "lanczos4"},
      {OpenCvInterpolation::kAuto, "auto"},
      {OpenCvInterpolation::kRandom, "random"}};
};

// torchvision's names.
template <>
struct EnumWords<AugmentationKind> {
  static constexpr EnumWord<AugmentationKind> kWords[] = {
      {AugmentationKind::kIdentity, "Identity"},
      {AugmentationKind::kShearX, "ShearX"},
      {AugmentationKind::kShearY, "ShearY"},
      {AugmentationKind::kTranslateX, "TranslateX"},
      {AugmentationKind::kTranslateY, "TranslateY"},
      {AugmentationKind::kRotate, "Rotate"},
      {AugmentationKind::kBrightness, "Brightness"},
      {AugmentationKind::kColor, "Color"},
      {AugmentationKind::kContrast, "Contrast"},
      {AugmentationKind::kSharpness, "Sharpness"},
      {AugmentationKind::kPosterize, "Posterize"},
      {AugmentationKind::kSolarize, "Solarize"},
      {AugmentationKind::kAutoContrast, "AutoContrast"},
      {AugmentationKind::kEqualize, "Equalize"},
      {AugmentationKind::kInvert, "Invert"}};
};

template <>
struct EnumWords<AutoAugmentTable> {
  static constexpr EnumWord<AutoAugmentTable> kWords[] = {
      {AutoAugmentTable::kImagenet, "imagenet"},
      {AutoAugmentTable::kCifar10, "cifar10"},
      {AutoAugmentTable::kSvhn, "svhn"}};
};

template <>
struct EnumWords<MixPer> {
  static constexpr EnumWord<MixPer> kWords[] = {{MixPer::kBatch, "batch"},
                                                {MixPer::kSample, "sample"}};
};

template <>
struct EnumWords<PixelLayout> {
  static constexpr EnumWord<PixelLayout> kWords[] = {
      {PixelLayout::kNhwc, "nhwc"}, {PixelLayout::kNchw, "nchw"}};
};

template <>
struct EnumWords<PixelType> {
  static constexpr EnumWord<PixelType> kWords[] = {
      {PixelType::kUint8, "uint8"},
      {PixelType::kFloat32, "float32"},
      {PixelType::kFloat16, "float16"}};
};

}  // namespace shardine

#endif  // SHARDINE_LOADER_WORDS_H_
