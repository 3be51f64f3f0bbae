// The words for the choices of the verbs that make datasets.
#ifndef SHARDINE_PACK_WORDS_H_
#define SHARDINE_PACK_WORDS_H_

#include "shardine/convert.h"
#include "shardine/entry_points.h"
#include "shardine/image_check.h"
#include "shardine/source.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<OnBad> {
  static constexpr EnumWord<OnBad> kWords[] = {
      {OnBad::kFail, "fail"},
      {OnBad::kSkip, "skip"},
      {OnBad::kQuarantine, "quarantine"},
      {OnBad::kKeep, "keep"}};
};

template <>
struct EnumWords<ImageCheckLevel> {
  static constexpr EnumWord<ImageCheckLevel> kWords[] = {
      {ImageCheckLevel::kNone, "none"},
      {ImageCheckLevel::kHeader, "header"},
      {ImageCheckLevel::kDecode, "decode"}};
};

template <>
struct EnumWords<EmptyClasses> {
  static constexpr EnumWord<EmptyClasses> kWords[] = {
      {EmptyClasses::kRefuse, "refuse"},
      {EmptyClasses::kKeep, "keep"},
      {EmptyClasses::kDrop, "drop"}};
};

template <>
struct EnumWords<BadAnnotations> {
  static constexpr EnumWord<BadAnnotations> kWords[] = {
      {BadAnnotations::kFail, "fail"}, {BadAnnotations::kSkip, "skip"}};
};

template <>
struct EnumWords<SmallClasses> {
  static constexpr EnumWord<SmallClasses> kWords[] = {
      {SmallClasses::kRefuse, "refuse"}, {SmallClasses::kTrain, "train"}};
};

template <>
struct EnumWords<PixelOrder> {
  static constexpr EnumWord<PixelOrder> kWords[] = {
      {PixelOrder::kRgb, "rgb"},
      {PixelOrder::kBgr, "bgr"},
      {PixelOrder::kGray, "gray"}};
};

template <>
struct EnumWords<EntryPoints> {
  static constexpr EnumWord<EntryPoints> kWords[] = {
      {EntryPoints::kAuto, "auto"}, {EntryPoints::kNone, "none"}};
};

template <>
struct EnumWords<MatchBy> {
  static constexpr EnumWord<MatchBy> kWords[] = {
      {MatchBy::kKey, "key"},
      {MatchBy::kId, "id"},
      {MatchBy::kPosition, "position"}};
};

}  // namespace shardine

#endif  // SHARDINE_PACK_WORDS_H_
