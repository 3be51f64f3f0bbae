#include "pack/written_format.h"

#include <string>

namespace shardine {

// Before anything is written: a writer would refuse it when a folder and a
// journal of such a plan are there already.
Status CheckWritten(const FormatAndLayout& format) {
  for (const LayoutParameter& parameter : format.layout->parameters) {
    if (parameter.name != kSplitParameter ||
        format.value(parameter.name) == kAllSplits) {
      continue;
    }
    return Status(Code::kInvalidArgument,
                  format.Name() +
                      " picks a split of files that are read; shards are "
                      "written without it");
  }
  return Status();
}

}  // namespace shardine
