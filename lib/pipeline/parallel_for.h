// ParallelFor: independent pieces of work, each done once, by a few threads.
#ifndef SHARDINE_PIPELINE_PARALLEL_FOR_H_
#define SHARDINE_PIPELINE_PARALLEL_FOR_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <thread>

#include "pipeline/processor_share.h"
#include "shardine/status.h"

namespace shardine {

// Calls work(i) once for each i in [0, count), from at most `threads` threads,
// one of which is the caller's, so that it does without any other where the
// system has none. They begin in order, and end in any; returns when all have.
// Returns the failure, or the message of an exception, of the first in order;
// those after it may not have been begun. REQUIRES: threads > 0.
Status ParallelFor(std::size_t count, unsigned threads,
                   const std::function<Status(std::size_t)>& work);

}  // namespace shardine

#endif  // SHARDINE_PIPELINE_PARALLEL_FOR_H_
