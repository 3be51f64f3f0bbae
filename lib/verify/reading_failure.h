// Findings that say nothing about a dataset: a server did not answer, or
// replaced an object in the middle of the work.
#ifndef SHARDINE_VERIFY_READING_FAILURE_H_
#define SHARDINE_VERIFY_READING_FAILURE_H_

#include <span>

#include "shardine/status.h"

namespace shardine {

// The first such finding (kRemote, kChanged, kCancelled), which is then the
// failure of the whole work; ok if there is none.
Status ReadingFailure(std::span<const Status> findings);

}  // namespace shardine

#endif  // SHARDINE_VERIFY_READING_FAILURE_H_
