// The words for the choices of a resize.
#ifndef SHARDINE_RESIZE_WORDS_H_
#define SHARDINE_RESIZE_WORDS_H_

#include "shardine/resize.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<ResizeTarget> {
  static constexpr EnumWord<ResizeTarget> kWords[] = {
      {ResizeTarget::kTree, "tree"}, {ResizeTarget::kShards, "shards"}};
};

template <>
struct EnumWords<ResizePreset> {
  static constexpr EnumWord<ResizePreset> kWords[] = {
      {ResizePreset::kImagenet18, "imagenet18"}};
};

}  // namespace shardine

#endif  // SHARDINE_RESIZE_WORDS_H_
