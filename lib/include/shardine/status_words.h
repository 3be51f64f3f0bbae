// The words for the codes of a status.
#ifndef SHARDINE_STATUS_WORDS_H_
#define SHARDINE_STATUS_WORDS_H_

#include "shardine/status.h"
#include "shardine/words.h"

namespace shardine {

// Python's errors have them with "_" for "-".
template <>
struct EnumWords<Code> {
  static constexpr EnumWord<Code> kWords[] = {
      {Code::kOk, "ok"},
      {Code::kFailed, "failed"},
      {Code::kInvalidArgument, "invalid-argument"},
      {Code::kNotFound, "not-found"},
      {Code::kAlreadyExists, "already-exists"},
      {Code::kUnsupported, "unsupported"},
      {Code::kCorrupt, "corrupt"},
      {Code::kIo, "io"},
      {Code::kRemote, "remote"},
      {Code::kChanged, "changed"},
      {Code::kCancelled, "cancelled"}};
};

}  // namespace shardine

#endif  // SHARDINE_STATUS_WORDS_H_
