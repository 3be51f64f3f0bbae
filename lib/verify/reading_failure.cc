#include "verify/reading_failure.h"

#include <algorithm>

namespace shardine {

Status ReadingFailure(std::span<const Status> findings) {
  const auto found = std::ranges::find_if(findings, [](const Status& finding) {
    return finding.code() == Code::kRemote ||
           finding.code() == Code::kChanged ||
           finding.code() == Code::kCancelled;
  });
  return found == findings.end() ? Status() : *found;
}

}  // namespace shardine
