// A line for people on standard error, from threads that others wait for.
#ifndef SHARDINE_BASE_STDERR_LINE_H_
#define SHARDINE_BASE_STDERR_LINE_H_

#include <string>

namespace shardine {

// Writes `line`, with its end, or drops it where that would have to wait: a
// full pipe without a reader must not stop the requests of a process.
void SayWithoutWaiting(const std::string& line);

}  // namespace shardine

#endif  // SHARDINE_BASE_STDERR_LINE_H_
