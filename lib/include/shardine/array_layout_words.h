// The words for the choices of array_layout.h.
#ifndef SHARDINE_ARRAY_LAYOUT_WORDS_H_
#define SHARDINE_ARRAY_LAYOUT_WORDS_H_

#include "shardine/array_layout.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<ArrayLayout> {
  static constexpr EnumWord<ArrayLayout> kWords[] = {
      {ArrayLayout::kHwc, "hwc"},
      {ArrayLayout::kChw, "chw"},
      {ArrayLayout::kBgr, "bgr"},
      {ArrayLayout::kBgrPlanes, "bgr-planes"}};
};

}  // namespace shardine

#endif  // SHARDINE_ARRAY_LAYOUT_WORDS_H_
