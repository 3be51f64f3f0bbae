// The words for the choices of RemoteOptions.
#ifndef SHARDINE_REMOTE_WORDS_H_
#define SHARDINE_REMOTE_WORDS_H_

#include "shardine/remote_options.h"
#include "shardine/words.h"

namespace shardine {

template <>
struct EnumWords<PathStyle> {
  static constexpr EnumWord<PathStyle> kWords[] = {{PathStyle::kAuto, "auto"},
                                                   {PathStyle::kOn, "on"},
                                                   {PathStyle::kOff, "off"}};
};

}  // namespace shardine

#endif  // SHARDINE_REMOTE_WORDS_H_
