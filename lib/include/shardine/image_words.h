// The words for the choices of image.h.
#ifndef SHARDINE_IMAGE_WORDS_H_
#define SHARDINE_IMAGE_WORDS_H_

#include "shardine/image.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<Filter> {
  static constexpr EnumWord<Filter> kWords[] = {
      {Filter::kNearest, "nearest"},   {Filter::kBox, "box"},
      {Filter::kBilinear, "bilinear"}, {Filter::kHamming, "hamming"},
      {Filter::kBicubic, "bicubic"},   {Filter::kLanczos, "lanczos"}};
};

template <>
struct EnumWords<PassOrder> {
  static constexpr EnumWord<PassOrder> kWords[] = {
      {PassOrder::kPillow13, "pillow13"}, {PassOrder::kPillow12, "pillow12"}};
};

template <>
struct EnumWords<ColorMode> {
  static constexpr EnumWord<ColorMode> kWords[] = {{ColorMode::kKeep, "keep"},
                                                   {ColorMode::kColor, "color"},
                                                   {ColorMode::kGray, "gray"}};
};

template <>
struct EnumWords<Encoding> {
  static constexpr EnumWord<Encoding> kWords[] = {{Encoding::kJpeg, "jpeg"},
                                                  {Encoding::kPng, "png"}};
};

template <>
struct EnumWords<Subsampling> {
  static constexpr EnumWord<Subsampling> kWords[] = {
      {Subsampling::k420, "420"}, {Subsampling::k444, "444"}};
};

}  // namespace shardine

#endif  // SHARDINE_IMAGE_WORDS_H_
